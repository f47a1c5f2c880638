/** A checked domain in one row of a table: the verdict, each mechanism, and what to fix. */
import { describeVerdict } from '../score/verdict.js'
import type { StatusName } from '../status-words.js'
import { findingsBySeverity, isActionable } from './check-reports.js'
import type { DomainReport } from './domain-report.js'
import { type MechanismSummaries, summarizeMechanisms } from './mechanism-words.js'

export interface DomainSummary {
  /** In ASCII. */
  readonly domain: string
  readonly status: StatusName
  readonly label: string
  /** One sentence, or why there is no verdict. */
  readonly answer: string
  /** Null if the domain was not checked. */
  readonly checked:
    | (MechanismSummaries & {
        readonly isForgeryRefused: boolean
        readonly checkedAt: string
        /** What to fix, the most important first. */
        readonly fixes: readonly string[]
      })
    | null
}

export function summarizeDomain(report: DomainReport, checkedAt: string): DomainSummary {
  const { status, spoofable, label, statement } = describeVerdict(report)
  return {
    domain: report.domain,
    status,
    label,
    answer: statement,
    checked: {
      checkedAt,
      isForgeryRefused: spoofable === 'no',
      ...summarizeMechanisms(report),
      fixes: findingsBySeverity(report)
        .filter(isActionable)
        .map(({ title }) => title),
    },
  }
}
