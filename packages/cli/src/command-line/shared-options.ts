/** Options that several commands have. */
import { InvalidArgumentError, Option } from 'commander'

export interface SourceOptions {
  readonly resolver?: readonly URL[]
  /** Seconds. */
  readonly timeout?: number
  readonly server?: URL
  readonly yes?: boolean
  readonly maxUsd?: number
}

const collect =
  <Value>(parse: (text: string) => Value) =>
  (text: string, previous: readonly Value[] = []): Value[] => [
    ...previous,
    ...text.split(',').map(parse),
  ]

/** `google,mailchimp`, also repeated. */
export const commaSeparated = collect((text) => text.trim())

export const resolverOption = new Option(
  '--resolver <url>',
  'DNS-over-HTTPS endpoint to query; repeat it for a second choice (default: Cloudflare, then Google)',
).argParser(collect(parseHttpUrl))

const timeoutOption = new Option(
  '--timeout <seconds>',
  'how long all DNS lookups of one report may take (default: 5)',
).argParser(parsePositive)

export const selectorOption = new Option(
  '--selector <name>',
  'DKIM selector to look up besides the usual ones; repeat it for more',
).argParser(commaSeparated)

export const exactOption = new Option('--exact', 'keep a leading www. instead of removing it')

const serverOption = new Option(
  '--server <url>',
  'query a running Mailgrade service instead of DNS; paid reports show their price first',
).argParser(parseHttpUrl)

const yesOption = new Option('--yes', 'with --server: pay without asking, up to --max-usd')

const maxUsdOption = new Option(
  '--max-usd <amount>',
  'with --server: never pay more than this for one command (default: 0 without --yes)',
).argParser(parsePositive)

/** Where a report comes from. */
export const SOURCE_OPTIONS = [resolverOption, timeoutOption, serverOption]
export const PAID_SOURCE_OPTIONS = [...SOURCE_OPTIONS, yesOption, maxUsdOption]

export function formatOption<Format extends string>(formats: readonly Format[]): Option {
  return new Option('--format <format>', 'how to write the result').choices(formats).default('text')
}

/** A further file with the result, so that one run can serve people and programs. */
export interface ReportFile<Format extends string> {
  readonly format: Format
  readonly path: string
}

export function reportFileOption<Format extends string>(formats: readonly Format[]): Option {
  const example = '--report sarif=mailgrade.sarif'
  return new Option(
    '--report <format=file>',
    `also write the result to a file: ${example}; repeat it for more`,
  ).argParser((text, previous: readonly ReportFile<Format>[] = []) => {
    const [, name, path] = /^([^=]*)=(.+)$/s.exec(text) ?? []
    const format = formats.find((it) => it === name)
    if (format === undefined || path === undefined) {
      throw new InvalidArgumentError(
        `Give a format and a file: ${example}. The formats are ${formats.join(', ')}.`,
      )
    }
    return [...previous, { format, path }]
  })
}

export const FAIL_ON = ['critical', 'high', 'medium', 'low'] as const
export type FailOn = (typeof FAIL_ON)[number]

export const failOnOption = new Option(
  '--fail-on <severity>',
  'exit with 1 if a finding is at least this severe',
)
  .choices(FAIL_ON)
  .default('high')

export function parsePositive(text: string): number {
  const value = Number(text)
  if (!(value > 0) || !Number.isFinite(value)) {
    throw new InvalidArgumentError('Give a number above 0.')
  }
  return value
}

export function parsePositiveInteger(text: string): number {
  const value = parsePositive(text)
  if (!Number.isSafeInteger(value)) throw new InvalidArgumentError('Give a whole number above 0.')
  return value
}

function parseHttpUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') {
    throw new InvalidArgumentError('Give a URL such as https://dns.google/dns-query.')
  }
  return url
}
