/** The result as JSON: the fields of `AggregateReports`, with a version for those who store it. */
import type { AggregateReports, DomainSummary, Problem } from '@mailgrade/dmarc-reports'

export interface AggregateJson {
  /** Changes when a field is removed or gets another meaning. */
  readonly version: 1
  readonly files: number
  readonly reports: AggregateReports['reports']
  readonly problems: readonly Problem[]
  readonly problemCount: number
  readonly domains: readonly DomainSummary[]
}

export function toAggregateJson(read: AggregateReports): AggregateJson {
  const { files, reports, problems, problemCount, domains } = read
  return { version: 1, files, reports, problems, problemCount, domains }
}
