/** The text of a DMARC record: what stands there, with the policy of a stage. */
import type { DmarcFacts } from '../../../checks/dmarc/discover-dmarc.js'
import { type DmarcRecord, percentOf } from '../../../checks/dmarc/dmarc-record.js'
import { rewritten, type TagChanges } from '../../../checks/dmarc/rewrite-record.js'
import { subdomainChanges } from './base-record.js'
import type { Rung } from './ladder.js'
import type { ReportAddresses } from './report-addresses.js'

/** What a record is written from. */
export interface Draft {
  readonly facts: DmarcFacts
  readonly base: DmarcRecord
  readonly reports: ReportAddresses
  readonly sends: boolean
}

/** As strong as today; what is said today of subdomains and of shares of the mail stays for now. */
export function valueNow(draft: Draft, rung: Rung): string {
  const { base, reports, facts } = draft
  if (facts.applied?.record !== base) return valueAt(draft, rung)
  const percent = percentOf(base)
  return rewritten(base, {
    p: rung.policy,
    t: rung.testing ? 'y' : null,
    ...(percent < 100 && rung.policy !== 'none' && { pct: `${percent}` }),
    rua: reports.rua,
  })
}

export function valueAt(
  { base, facts, reports, sends }: Draft,
  { policy, testing }: Rung,
  changes: TagChanges = {},
): string {
  const isNew = base.tags.size === 1
  return rewritten(base, {
    p: policy,
    t: testing ? 'y' : null,
    ...subdomainChanges(base, facts, policy),
    // Who sends nothing has no mail from a name that is only similar.
    ...(isNew && !sends && { adkim: 's', aspf: 's' }),
    rua: reports.rua,
    ...changes,
  })
}
