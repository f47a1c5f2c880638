/** The text of a DMARC record: what stands there, with the policy of a stage. */
import type { DmarcFacts } from '../../../checks/dmarc/discover-dmarc.js'
import { type DmarcRecord, isTesting, readPercentage } from '../../../checks/dmarc/dmarc-record.js'
import { rewriteDmarcRecord, type TagChanges } from '../../../checks/dmarc/rewrite-dmarc-record.js'
import { currentSubdomainTags, withoutWeakerTags } from './base-record.js'
import type { PolicyLevel } from './policy-levels.js'
import type { ReportAddresses } from './report-addresses.js'

/** What a record is written from. */
export interface DmarcDraft {
  readonly facts: DmarcFacts
  readonly base: DmarcRecord
  readonly reportAddresses: ReportAddresses
  readonly sends: boolean
  readonly hasMailServers: boolean
  /** What stands at the name is made by a wildcard, and goes when anything is published there. */
  readonly isWildcard: boolean
}

/** As strong as today; what is said today of subdomains and of shares of the mail stays for now. */
export function dmarcValueNow(draft: DmarcDraft, rung: PolicyLevel): string {
  const { base, facts } = draft
  const isInForce = facts.applied?.record === base
  const percent = readPercentage(base)
  const isShared = isInForce && percent < 100 && rung.policy !== 'none'
  return valueWith(draft, rung, {
    ...currentSubdomainTags(base, facts),
    // With `p=none` it still holds for what is said of subdomains.
    ...(isInForce && { t: isTesting(base) ? 'y' : null }),
    ...(isShared && { pct: `${percent}` }),
  })
}

export function dmarcValueAtLevel(
  draft: DmarcDraft,
  rung: PolicyLevel,
  changes: TagChanges = {},
): string {
  const tags = withoutWeakerTags(rung.policy, currentSubdomainTags(draft.base, draft.facts))
  return valueWith(draft, rung, { ...tags, ...changes })
}

/** For a domain that sends nothing; what it says of names below it is meant for those that send. */
export function nonSendingDmarcValue(draft: DmarcDraft, rung: PolicyLevel): string {
  const isNew = draft.base.tags.size === 1
  return valueWith(draft, rung, {
    ...currentSubdomainTags(draft.base, draft.facts),
    // Who sends nothing has no mail from a name that is only similar.
    ...(isNew && { adkim: 's', aspf: 's' }),
  })
}

function valueWith(
  { base, reportAddresses }: DmarcDraft,
  { policy, testing }: PolicyLevel,
  changes: TagChanges,
) {
  return rewriteDmarcRecord(base, {
    p: policy,
    t: testing ? 'y' : null,
    ...changes,
    rua: reportAddresses.rua,
  })
}
