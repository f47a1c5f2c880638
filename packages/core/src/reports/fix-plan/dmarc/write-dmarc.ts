/** The text of a DMARC record: what stands there, with the policy of a stage. */
import type { DmarcFacts } from '../../../checks/dmarc/discover-dmarc.js'
import { type DmarcRecord, isTesting, percentOf } from '../../../checks/dmarc/dmarc-record.js'
import { rewritten, type TagChanges } from '../../../checks/dmarc/rewrite-record.js'
import { tagsBeside, tagsInForce } from './base-record.js'
import type { Rung } from './ladder.js'
import type { ReportAddresses } from './report-addresses.js'

/** What a record is written from. */
export interface Draft {
  readonly facts: DmarcFacts
  readonly base: DmarcRecord
  readonly reports: ReportAddresses
  readonly sends: boolean
  readonly hasServers: boolean
  /** What stands at the name is made by a wildcard, and goes when anything is published there. */
  readonly isWild: boolean
}

/** As strong as today; what is said today of subdomains and of shares of the mail stays for now. */
export function valueNow(draft: Draft, rung: Rung): string {
  const { base, facts } = draft
  const isInForce = facts.applied?.record === base
  const percent = percentOf(base)
  const isShared = isInForce && percent < 100 && rung.policy !== 'none'
  return valueWith(draft, rung, {
    ...tagsInForce(base, facts),
    // With `p=none` it still holds for what is said of subdomains.
    ...(isInForce && { t: isTesting(base) ? 'y' : null }),
    ...(isShared && { pct: `${percent}` }),
  })
}

export function valueAt(draft: Draft, rung: Rung, changes: TagChanges = {}): string {
  const tags = tagsBeside(rung.policy, tagsInForce(draft.base, draft.facts))
  return valueWith(draft, rung, { ...tags, ...changes })
}

/** For a domain that sends nothing; what it says of names below it is meant for those that send. */
export function lockedValue(draft: Draft, rung: Rung): string {
  const isNew = draft.base.tags.size === 1
  return valueWith(draft, rung, {
    ...tagsInForce(draft.base, draft.facts),
    // Who sends nothing has no mail from a name that is only similar.
    ...(isNew && { adkim: 's', aspf: 's' }),
  })
}

function valueWith({ base, reports }: Draft, { policy, testing }: Rung, changes: TagChanges) {
  return rewritten(base, { p: policy, t: testing ? 'y' : null, ...changes, rua: reports.rua })
}
