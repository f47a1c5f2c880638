/** Whether anybody gets reports, without which nobody can know that a stricter policy is safe. */
import { ownMailbox } from './advice.js'
import type { DmarcFacts, ReportTarget } from './discover-dmarc.js'
import { percentOf } from './dmarc-record.js'
import type { TagChanges } from './rewrite-record.js'
import type { Found } from './tree-walk.js'

export function mayHaveReports({ rua }: DmarcFacts, { record, station }: Found): boolean {
  const isUnread = record.urisOf('rua').unread > 0
  return isUnread || rua.some((target) => mayWork(target, station.domain))
}

/**
 * As far as we know: what was not looked up may well work. That the domain itself takes no mail is
 * said once, of the destination; it asks for reports all the same.
 */
function mayWork({ host, destination }: ReportTarget, owner: string): boolean {
  if (host === null || destination?.authorized === false) return false
  return host === owner || destination?.acceptsMail !== false
}

/** And for nothing more: a `pct` that spares some mail goes when the reports say that it may. */
export function askingForReports(facts: DmarcFacts, { record, station }: Found): TagChanges {
  const percent = percentOf(record)
  return {
    rua: ownMailbox(facts, station.domain),
    ...(percent < 100 && facts.policy !== 'none' && { pct: `${percent}` }),
  }
}
