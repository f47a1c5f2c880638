/** What a badge or a share image says: the verdict on a domain, or why there is none. */
import { type DomainReport, describeVerdict, type StatusName, toVisibleText } from '@mailgrade/core'
import type { OperationResult } from '@mailgrade/operations/operation'
import type { ProblemCode } from '@mailgrade/operations/problem-types'

export interface VerdictImage {
  readonly status: StatusName
  /** A word or two. */
  readonly label: string
  /** One sentence. */
  readonly statement: string
  /** In ASCII; null if the image is about no domain. */
  readonly domain: string | null
  /** Null if nothing was checked. */
  readonly checkedAt: string | null
}

export function verdictImage(report: OperationResult<DomainReport>): VerdictImage {
  const { status, label, statement } = describeVerdict(report)
  return { status, label, statement, domain: report.domain, checkedAt: report.meta.checkedAt }
}

const FAILURE_LABELS: Partial<Record<ProblemCode, string>> = {
  invalid_input: 'not a domain',
  uri_too_long: 'not a domain',
  not_found: 'not a domain',
  unknown_domain: 'unknown domain',
  dns_unavailable: 'DNS error',
  dns_timeout: 'DNS error',
}

export function problemImage(code: ProblemCode, detail: string, parameter?: string): VerdictImage {
  const isOtherParameter = parameter !== undefined && parameter !== 'domain'
  return {
    status: 'unknown',
    label: isOtherParameter ? `invalid ${parameter}` : (FAILURE_LABELS[code] ?? 'try later'),
    statement: toVisibleText(detail),
    domain: null,
    checkedAt: null,
  }
}

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')

/** `2026-11-07T09:05:59.123Z` → `7 Nov 2026` */
export function formatUtcDay(time: string): string {
  const date = new Date(time)
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`
}
