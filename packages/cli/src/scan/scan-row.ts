/** What a scan keeps about a domain: one flat object, for tables, the summary and `--brief`. */
import {
  assessSpoofability,
  type DomainReport,
  findingsBySeverity,
  isActionable,
  STATUS_SIGNS,
  type StatusName,
  summarizeDomain,
  toCsvRecords,
  toVisibleLine,
} from '@mailgrade/core'
import { type ReportOutcome, toJsonValue } from '../output/report-outcome.js'

export type ScanOutcome = ReportOutcome<DomainReport>

interface CheckedRow {
  /** In ASCII. */
  readonly domain: string
  readonly status: StatusName
  readonly verdict: string
  /** One sentence. */
  readonly answer: string
  readonly spoofable: ReturnType<typeof assessSpoofability>
  /** Null if there is none. */
  readonly policy: DomainReport['dmarc']['policy']
  readonly spf: string
  readonly dkim: string
  readonly dmarc: string
  readonly mx: string
  readonly fixFirst: string | null
  /** The ids of everything to fix, the most severe first. */
  readonly findings: readonly string[]
  readonly checkedAt: string
}

interface FailedRow {
  /** As given, if it is not a domain. */
  readonly domain: string
  readonly error: { readonly code: string; readonly detail: string }
}

export type ScanRow = CheckedRow | FailedRow

export function toScanRow(outcome: ScanOutcome): ScanRow {
  const { result } = outcome
  if (result.kind !== 'report') return toJsonValue(outcome) as FailedRow
  const { report, meta } = result
  const { domain, status, label, answer, checked } = summarizeDomain(report, meta.checkedAt)
  const words = (name: 'spf' | 'dkim' | 'dmarc' | 'mx') => checked?.[name].words ?? ''
  return {
    domain,
    status,
    verdict: label,
    answer,
    spoofable: assessSpoofability(report),
    policy: report.dmarc.policy,
    spf: words('spf'),
    dkim: words('dkim'),
    dmarc: words('dmarc'),
    mx: words('mx'),
    fixFirst: checked?.fixes[0] ?? null,
    findings: findingsBySeverity(report)
      .filter(isActionable)
      .map(({ id }) => id),
    checkedAt: meta.checkedAt,
  }
}

export function isFailed(row: ScanRow): row is FailedRow {
  return 'error' in row
}

/** Whether what was read from a file is a row. */
export function isScanRow(value: unknown): value is ScanRow {
  const row = Object(value) as { [Name in keyof (CheckedRow & FailedRow)]?: unknown }
  if (!isText(row.domain)) return false
  if (row.error !== undefined) {
    const { code, detail } = Object(row.error) as { code?: unknown; detail?: unknown }
    return isText(code) && isText(detail)
  }
  const { verdict, answer, spoofable, spf, dkim, dmarc, mx, checkedAt, findings } = row
  const texts = [verdict, answer, spoofable, spf, dkim, dmarc, mx, checkedAt]
  return (
    texts.every(isText) &&
    [row.policy, row.fixFirst].every((value) => value === null || isText(value)) &&
    isText(row.status) &&
    Object.hasOwn(STATUS_SIGNS, row.status) &&
    Array.isArray(findings) &&
    findings.every(isText)
  )
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

const ERROR_LABELS: ReadonlyMap<string, string> = new Map([
  ['invalid_input', 'Not a domain'],
  ['unknown_domain', 'Does not exist'],
  ['dns_timeout', 'DNS unavailable'],
  ['dns_unavailable', 'DNS unavailable'],
])

export function rowLabel(row: ScanRow): string {
  return isFailed(row) ? (ERROR_LABELS.get(row.error.code) ?? row.error.code) : row.verdict
}

export function rowStatus(row: ScanRow): StatusName {
  return isFailed(row) ? 'unknown' : row.status
}

const HEADINGS = [
  'Domain',
  'Verdict',
  'Answer',
  'Spoofable',
  'Policy',
  'SPF',
  'DKIM',
  'DMARC',
  'MX',
  'Fix first',
  'Error',
  'Checked (UTC)',
]

export const CSV_HEADER = toCsvRecords([HEADINGS])

export function toCsvLine(row: ScanRow): string {
  return toCsvRecords([toFields(row).map(toVisibleLine)])
}

function toFields(row: ScanRow): string[] {
  if (isFailed(row)) {
    const { domain, error } = row
    return [domain, rowLabel(row), error.detail, '', '', '', '', '', '', '', error.code, '']
  }
  const { domain, verdict, answer, spoofable, policy, spf, dkim, dmarc, mx } = row
  const mechanisms = [spf, dkim, dmarc, mx]
  const fix = row.fixFirst ?? ''
  return [domain, verdict, answer, spoofable, policy ?? '', ...mechanisms, fix, '', row.checkedAt]
}
