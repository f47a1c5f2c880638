/** The score with the plan carried out: its final records laid over today's DNS. */
import type { CheckResult } from '../../../checks/check-result.js'
import type { Finding } from '../../../checks/finding.js'
import { isActionable } from '../../check/findings-by-severity.js'
import type { Random } from '../../check/repeatable-random.js'
import { runChecks } from '../../check/run-checks.js'
import { createOverlayDns } from '../../overlay-dns.js'
import { buildScoreReport } from '../../score/build-score-report.js'
import type { DomainFacts } from '../discover-domain.js'
import type { FixPlan } from '../fix-plan-report.js'
import type { PlannedRecord } from '../planned-record.js'
import { assumeRecord } from './assume-record.js'

export interface ScoreProjection {
  readonly projected: Omit<FixPlan['projected'], 'assumes'>
  readonly assumptions: readonly string[]
  /** What is still wrong then. */
  readonly remainingFindings: readonly Finding[]
}

/** `final`: the records as they stand in the end, those that stay among them. */
export async function projectScore(
  { dns, domain }: DomainFacts,
  final: readonly PlannedRecord[],
  chance: Random,
): Promise<CheckResult<ScoreProjection>> {
  const changed = final.filter((record) => isLaid(record, final))
  const laid = await Promise.all(changed.map((record) => assumeRecord(dns, record, domain)))
  const records = new Map(
    laid
      .flatMap((each) => each.records)
      .map((each) => [`${each.type} ${each.name} ${each.value}`, each]),
  )
  const gathered = await runChecks(createOverlayDns(dns, [...records.values()]), domain, chance)
  if (gathered.kind !== 'report') return gathered
  const { score, grade, findings } = buildScoreReport(domain, gathered.report, [])
  return {
    kind: 'report',
    report: {
      projected: { score, grade },
      assumptions: laid.flatMap(({ assumption }) => assumption ?? []),
      remainingFindings: findings.filter(isActionable),
    },
  }
}

/** What stays need not be laid, but for mail servers: these are replaced together or not at all. */
function isLaid({ action, type }: PlannedRecord, final: readonly PlannedRecord[]): boolean {
  if (action === 'delete') return false
  const isChanging = final.some((each) => each.type === 'MX' && each.action !== 'keep')
  return action !== 'keep' || (type === 'MX' && isChanging)
}
