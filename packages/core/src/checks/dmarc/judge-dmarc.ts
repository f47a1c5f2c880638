/** What is wrong with how a domain's mail is guarded, gravest matters first. */
import type { Finding } from '../finding.js'
import type { DmarcFacts } from './discover-dmarc.js'
import { judgeDmarcPresence } from './judge-dmarc-presence.js'
import { judgeDmarcRecord } from './judge-dmarc-record.js'
import { judgePolicy } from './judge-policy.js'
import { judgeReports } from './judge-reports.js'
import { judgeRfc7489 } from './judge-rfc7489.js'
import { judgeSubdomains } from './judge-subdomains.js'

export function judgeDmarc(facts: DmarcFacts): Finding[] {
  return [
    ...judgeDmarcPresence(facts),
    ...judgePolicy(facts),
    ...judgeSubdomains(facts),
    ...judgeDmarcRecord(facts),
    ...judgeReports(facts),
    ...judgeRfc7489(facts),
  ]
}
