/** What a command is: one entry of the table that arguments, help, completion and the man page use, and what these say about the whole program. */
import type { AbortableDns } from '@mailgrade/doh/dns'
import type { Option } from 'commander'
import type { DohOptions } from '../library.js'

/** `failed` is EX_SOFTWARE of sysexits.h. */
export const EXIT = {
  fine: 0,
  findings: 1,
  usage: 2,
  unavailable: 3,
  control: 4,
  failed: 70,
} as const
export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** The file name that means standard input. */
export const STDIN = '-'

export interface Command {
  readonly name: string
  /** One line, for the list of commands. */
  readonly summary: string
  /** As commander writes it, such as `<domain...>`. */
  readonly argument: string
  readonly argumentDescription: string
  readonly options: readonly Option[]
  readonly examples: readonly Example[]
  run(values: readonly string[], options: object, context: CommandContext): Promise<ExitCode>
}

export interface Example {
  readonly command: string
  readonly explanation: string
}

export type OpenDns = (options: DohOptions) => AbortableDns & { close(): void }

/** What a command needs from the process that runs it. */
export interface CommandContext {
  readonly stdout: OutputStream
  readonly stderr: OutputStream
  readonly stdin: InputStream
  readonly env: Readonly<Record<string, string | undefined>>
  /** Aborted when the user presses Ctrl-C. */
  readonly signal: AbortSignal
  /** From now on, SIGTERM aborts the signal too, instead of ending the process at once. */
  readonly stopOnSigterm: () => void
  readonly now: () => Date
  readonly openDns: OpenDns
}

interface InputStream extends AsyncIterable<Uint8Array> {
  readonly isTTY?: boolean
  /** Ends a pending read, which would keep the process running. */
  destroy?(): unknown
}

export interface OutputStream {
  /** False when the buffer is full; `drain` then says when there is room again. */
  write(text: string): boolean
  once(event: 'drain', listener: () => void): unknown
  readonly isTTY?: boolean
  readonly columns?: number
}

/** Types `run` by the options that the command declares. */
export function defineCommand<Options extends object>(
  command: Omit<Command, 'run'> & {
    run(values: readonly string[], options: Options, context: CommandContext): Promise<ExitCode>
  },
): Command {
  return command as Command
}

/** Input that the command cannot use; the message says what to use instead. */
export class UsageError extends Error {}

export const PROGRAM_SUMMARY =
  'Check whether mail from a domain can be forged, and get the exact DNS records that fix it.'

/** The command that runs if none is named. */
export const DEFAULT_COMMAND = 'check'

export const EXIT_MEANINGS = [
  [EXIT.fine, 'fine'],
  [EXIT.findings, 'findings, or a domain that doesn’t exist'],
  [EXIT.usage, 'usage error, such as an unknown option'],
  [EXIT.unavailable, 'we couldn’t reach DNS, so there’s no result'],
  [EXIT.control, 'watch: who controls a domain or its mail changed'],
  [EXIT.failed, 'mailgrade crashed, which is a bug'],
] as const

/** Every environment variable that a command reads. */
export const ENVIRONMENT: readonly (readonly [name: string, meaning: string])[] = [
  ['NO_COLOR', 'If set, output has no color.'],
  [
    'FORCE_COLOR',
    'If set, output has color, even in a pipe or a CI log. 0 turns color off. Overrides NO_COLOR.',
  ],
  [
    'COLUMNS',
    'The width of text output in a pipe, in columns. Default: 80. On a terminal, output is as wide as the terminal.',
  ],
  [
    'ALLOW_PRIVATE_NAMES',
    'Set to true to check names on private networks too, such as nas.internal. Use it with --resolver and a resolver on that network.',
  ],
  ['MAILGRADE_PRIVATE_KEY', 'The private key of the wallet that pays for reports with --server.'],
]
