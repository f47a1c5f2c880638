/** Options that several commands have. */
import { InvalidArgumentError, Option } from 'commander'

export interface LocalSourceOptions {
  readonly resolver?: readonly URL[]
  /** Seconds. */
  readonly timeout?: number
}

export interface SourceOptions extends LocalSourceOptions {
  readonly server?: URL
  readonly yes?: boolean
  readonly maxUsd?: number
}

export const collect =
  <Value>(parse: (text: string) => Value) =>
  (text: string, previous: readonly Value[] = []): Value[] => [
    ...previous,
    ...text.split(',').map(parse),
  ]

const resolverOption = new Option(
  '--resolver <url>',
  'DNS-over-HTTPS endpoint; repeat the option to add a fallback (default: Cloudflare, then Google)',
).argParser(collect(parseHttpUrl))

/** A scan shares its queries instead. */
export const scanResolverOption = new Option(
  '--resolver <url>',
  'DNS-over-HTTPS endpoint; repeat the option to share the work (default: Cloudflare and Google)',
).argParser(collect(parseHttpUrl))

const timeoutOption = new Option(
  '--timeout <seconds>',
  'time limit for one report (default: 5, or 20 with --server)',
).argParser(parsePositive)

export const selectorOption = new Option(
  '--selector <name>',
  'DKIM selector to look up in addition to the usual ones; repeat the option for more',
).argParser(collect((text) => text.trim()))

export const exactOption = new Option('--exact', 'keep a leading www. instead of removing it')

const serverOption = new Option(
  '--server <url>',
  'get reports from a running Mailgrade service instead of DNS; asks before it pays',
).argParser(parseHttpUrl)

const yesOption = new Option('--yes', 'with --server: pay without asking, up to --max-usd')

const maxUsdOption = new Option(
  '--max-usd <amount>',
  'with --server: the most this command may spend; required with --yes',
).argParser(parsePositive)

/** For a command that makes every report itself. */
export const LOCAL_SOURCE_OPTIONS = [
  resolverOption,
  new Option('--timeout <seconds>', 'time limit for one report (default: 5)').argParser(
    parsePositive,
  ),
]

/** Where a report comes from. */
export const SOURCE_OPTIONS = [resolverOption, timeoutOption, serverOption]
export const PAID_SOURCE_OPTIONS = [...SOURCE_OPTIONS, yesOption, maxUsdOption]

export function formatOption<Format extends string>(formats: readonly Format[]): Option {
  return new Option('-f, --format <format>', 'output format').choices(formats).default('text')
}

/** Another file for the result, so one run can serve people and programs. */
export interface ReportFile<Format extends string> {
  readonly format: Format
  readonly path: string
}

export function reportFileOption<Format extends string>(formats: readonly Format[]): Option {
  const example = 'sarif=mailgrade.sarif'
  return new Option(
    '--report <format=file>',
    `also write the result to a file, such as ${example}; repeat the option for more`,
  ).argParser((text, previous: readonly ReportFile<Format>[] = []) => {
    const [, name, path] = /^([^=]*)=(.+)$/s.exec(text) ?? []
    const format = formats.find((it) => it === name)
    if (format === undefined || path === undefined) {
      throw new InvalidArgumentError(
        `Use a format and a file, such as ${example}. The formats are ${formats.join(', ')}.`,
      )
    }
    return [...previous, { format, path }]
  })
}

export const FAIL_ON = ['critical', 'high', 'medium', 'low'] as const
export type FailOn = (typeof FAIL_ON)[number]

export const failOnOption = new Option(
  '--fail-on <severity>',
  'exit with 1 if any finding is at least this severe',
)
  .choices(FAIL_ON)
  .default('high')

export function parsePositive(text: string): number {
  const value = Number(text)
  if (!(value > 0) || !Number.isFinite(value)) {
    throw new InvalidArgumentError('Use a number greater than 0.')
  }
  return value
}

export function parsePositiveInteger(text: string): number {
  const value = parsePositive(text)
  if (!Number.isSafeInteger(value))
    throw new InvalidArgumentError('Use a whole number greater than 0.')
  return value
}

function parseHttpUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') {
    throw new InvalidArgumentError('Use a URL such as https://dns.google/dns-query.')
  }
  return url
}
