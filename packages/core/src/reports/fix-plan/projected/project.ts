/** The score with the plan carried out: its final records laid over today's DNS. */
import type { Checked } from '../../../checks/checked.js'
import type { Finding } from '../../../checks/finding.js'
import type { Chance } from '../../check/chance.js'
import { isFault } from '../../check/findings-of.js'
import { gatherParts } from '../../check/gather-parts.js'
import { overlay } from '../../overlay.js'
import { scoreParts } from '../../score/score-parts.js'
import type { DomainFacts } from '../domain-facts.js'
import type { FixPlan } from '../fix-plan-report.js'
import type { PlannedRecord } from '../planned-record.js'
import { laidRecord } from './assume.js'

export interface Projection {
  readonly projected: Omit<FixPlan['projected'], 'assumes'>
  readonly assumes: readonly string[]
  /** What is still wrong then. */
  readonly remaining: readonly Finding[]
}

/** `final`: the records as they stand in the end, those that stay among them. */
export async function project(
  { dns, domain }: DomainFacts,
  final: readonly PlannedRecord[],
  chance: Chance,
): Promise<Checked<Projection>> {
  const changed = final.filter((record) => isLaid(record, final))
  const laid = await Promise.all(changed.map((record) => laidRecord(dns, record, domain)))
  const records = new Map(
    laid
      .flatMap((each) => each.records)
      .map((each) => [`${each.type} ${each.name} ${each.value}`, each]),
  )
  const gathered = await gatherParts(overlay(dns, [...records.values()]), domain, chance)
  if (gathered.kind !== 'report') return gathered
  const { score, grade, findings } = scoreParts(domain, gathered.report, [])
  return {
    kind: 'report',
    report: {
      projected: { score, grade },
      assumes: laid.flatMap(({ assumption }) => assumption ?? []),
      remaining: findings.filter(isFault),
    },
  }
}

/** What stays need not be laid, but for mail servers: these are replaced together or not at all. */
function isLaid({ action, type }: PlannedRecord, final: readonly PlannedRecord[]): boolean {
  if (action === 'delete') return false
  const isChanging = final.some((each) => each.type === 'MX' && each.action !== 'keep')
  return action !== 'keep' || (type === 'MX' && isChanging)
}
