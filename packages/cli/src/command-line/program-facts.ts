/** What the help, the man page and the documentation say about the whole program. */
import { EXIT } from './command.js'

export const PROGRAM_SUMMARY =
  'Check whether a domain can be spoofed, and get the exact DNS records that fix it.'

export const EXIT_MEANINGS = [
  [EXIT.fine, 'fine'],
  [EXIT.findings, 'findings, or a domain that does not exist'],
  [EXIT.usage, 'the command line is not usable'],
  [EXIT.unavailable, 'DNS could not be reached, so nothing is known'],
] as const

/** Every environment variable that a command reads. */
export const ENVIRONMENT: readonly (readonly [name: string, meaning: string])[] = [
  ['NO_COLOR', 'If set, the output has no color.'],
  [
    'FORCE_COLOR',
    'If set, the output has color, also in a pipe or a CI log. With 0 it has none. Wins over NO_COLOR.',
  ],
  [
    'COLUMNS',
    'The width of the text in a pipe or a file. Default: 80. On a terminal, its own width counts.',
  ],
  ['MAILGRADE_PRIVATE_KEY', 'The key of the wallet that pays for reports with --server.'],
]
