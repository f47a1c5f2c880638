/** One row per source, with a header row. */
import type {
  AggregateSummary,
  DomainSummary,
  NamedCount,
  SourceSummary,
} from '@mailgrade/dmarc-reports'
import { dateOf, printable } from './aggregate-words.js'

const COLUMNS: readonly (readonly [
  name: string,
  value: (source: SourceSummary, domain: DomainSummary) => string | number,
])[] = [
  ['domain', (_, { domain }) => domain],
  ['policy', (_, { policy }) => policy.p ?? ''],
  ['rollout', (_, { rollout }) => rollout.status],
  ['class', (source) => source.class],
  ['source', ({ name }) => name],
  ['kind', ({ kind }) => kind],
  ['service_id', ({ serviceId }) => serviceId ?? ''],
  ['messages', ({ messages }) => messages],
  ['dmarc_pass', ({ passing }) => passing],
  ['dmarc_fail', ({ failing }) => failing],
  ['spf_pass', ({ spf }) => spf.raw],
  ['spf_aligned', ({ spf }) => spf.aligned],
  ['spf_domains', ({ spf }) => names(spf.domains)],
  ['dkim_pass', ({ dkim }) => dkim.raw],
  ['dkim_aligned', ({ dkim }) => dkim.aligned],
  [
    'dkim_signatures',
    ({ dkim }) =>
      dkim.signatures.map(({ domain, selector }) => `${selector ?? ''}@${domain}`).join(' '),
  ],
  ['dispositions', ({ dispositions }) => counts(dispositions)],
  ['reasons', ({ reasons }) => counts(reasons)],
  ['header_from', ({ headerFrom }) => names(headerFrom)],
  ['addresses', ({ addresses }) => names(addresses)],
  ['reporters', ({ reporters }) => reporters.map(({ name }) => name).join('; ')],
  ['first_seen', ({ firstSeen }) => dateOf(firstSeen)],
  ['last_seen', ({ lastSeen }) => dateOf(lastSeen)],
]

export function toCsvRows({ domains }: AggregateSummary): string[][] {
  const rows = domains.flatMap((domain) =>
    domain.sources.map((source) => COLUMNS.map(([, value]) => toCell(value(source, domain)))),
  )
  return [COLUMNS.map(([name]) => name), ...rows]
}

const MAX_CELL = 2_000

function toCell(value: string | number): string {
  return printable(String(value), MAX_CELL)
}

function names(list: readonly NamedCount[]): string {
  return list.map(({ name }) => name).join(' ')
}

function counts(list: readonly NamedCount[]): string {
  return list.map(({ name, messages }) => `${name}=${messages}`).join(' ')
}
