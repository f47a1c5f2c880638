/** Whether anybody gets reports, without which nobody can know that a stricter policy is safe. */

import type { DmarcFacts, ResolvedReportUri } from './discover-dmarc.js'
import { defaultReportUri } from './dmarc-advice.js'
import { readPercentage } from './dmarc-record.js'
import type { TagChanges } from './rewrite-dmarc-record.js'
import type { FoundDmarcRecord } from './tree-walk.js'

export function mayReceiveReports(
  { rua }: DmarcFacts,
  { record, step }: FoundDmarcRecord,
): boolean {
  const isUnread = record.reportUris('rua').unreadCount > 0
  return isUnread || rua.some((target) => mayWork(target, step.domain))
}

/**
 * As far as we know: what was not looked up may well work. That the domain itself takes no mail is
 * said once, of the destination; it asks for reports all the same.
 */
function mayWork({ host, destination }: ResolvedReportUri, owner: string): boolean {
  if (host === null || destination?.authorized === false) return false
  return host === owner || destination?.acceptsMail !== false
}

/** And for nothing more: a `pct` that spares some mail goes when the reports say that it may. */
export function reportRequestChanges(
  facts: DmarcFacts,
  { record, step }: FoundDmarcRecord,
): TagChanges {
  const percent = readPercentage(record)
  return {
    rua: defaultReportUri(facts, step.domain),
    ...(percent < 100 && facts.policy !== 'none' && { pct: `${percent}` }),
  }
}
