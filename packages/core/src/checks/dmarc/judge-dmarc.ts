/** What is wrong with how a domain's mail is guarded, gravest matters first. */
import type { Finding } from '../finding.js'
import type { DmarcFacts } from './discover-dmarc.js'
import { judgeOlder } from './judge-older.js'
import { judgePolicy } from './judge-policy.js'
import { judgePresence } from './judge-presence.js'
import { judgeRecord } from './judge-record.js'
import { judgeReports } from './judge-reports.js'
import { judgeSubdomains } from './judge-subdomains.js'

export function judgeDmarc(facts: DmarcFacts): Finding[] {
  return [
    ...judgePresence(facts),
    ...judgePolicy(facts),
    ...judgeSubdomains(facts),
    ...judgeRecord(facts),
    ...judgeReports(facts),
    ...judgeOlder(facts),
  ]
}
