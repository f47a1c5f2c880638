/** What the help, the man page and the documentation say about the whole program. */
import { EXIT } from './command.js'

export const PROGRAM_SUMMARY =
  'Check whether a domain can be spoofed, and get the exact DNS records that fix it.'

/** The command that runs if none is named. */
export const DEFAULT_COMMAND = 'check'

export const EXIT_MEANINGS = [
  [EXIT.fine, 'fine'],
  [EXIT.findings, 'findings, or a domain that does not exist'],
  [EXIT.usage, 'usage error, such as an unknown option'],
  [EXIT.unavailable, 'DNS could not be reached, so nothing is known'],
  [EXIT.failed, 'mailgrade itself failed: a bug'],
] as const

/** Every environment variable that a command reads. */
export const ENVIRONMENT: readonly (readonly [name: string, meaning: string])[] = [
  ['NO_COLOR', 'If set, the output has no color.'],
  [
    'FORCE_COLOR',
    'If set, the output has color, even in a pipe or a CI log; 0 turns color off. Takes precedence over NO_COLOR.',
  ],
  [
    'COLUMNS',
    'The width of text output in a pipe. Default: 80. On a terminal, the width of the terminal is used.',
  ],
  [
    'ALLOW_PRIVATE_NAMES',
    'true: names for private networks, such as nas.internal, are checked too. Use it with --resolver and a resolver of that network.',
  ],
  ['MAILGRADE_PRIVATE_KEY', 'The private key of the wallet that pays for reports with --server.'],
]
