/** What a domain's own DMARC record starts from: what stands there today, however broken. */
import { isRegistrys } from '../../../checks/dmarc/advice.js'
import type { DmarcFacts } from '../../../checks/dmarc/discover-dmarc.js'
import {
  type DmarcRecord,
  POLICIES,
  type Policy,
  parseDmarcRecord,
} from '../../../checks/dmarc/dmarc-record.js'
import { isNearMiss, meantRecord } from '../../../checks/dmarc/near-miss.js'
import { isWeaker } from '../../../checks/dmarc/policies.js'
import { mendedUris, rewritten } from '../../../checks/dmarc/rewrite-record.js'
import { emptyStation, type Station } from '../../../checks/dmarc/tree-walk.js'

const NOTHING = parseDmarcRecord('v=DMARC1')

export function ownStation({ domain, walk }: DmarcFacts): Station {
  return walk.stations[0] ?? emptyStation(domain)
}

/** Null when the domain has none of its own, nor inherits one that is not the registry's. */
export function inheritedRecord({ domain, applied }: DmarcFacts): DmarcRecord | null {
  const isInherited = applied && applied.station.domain !== domain
  return isInherited && !isRegistrys(applied, domain) ? applied.record : null
}

/**
 * Its tags are kept, whatever becomes of the policy; but what is not in force today and speaks of
 * the names below, or of the place in the tree, does not come into force unseen.
 */
export function baseRecord(facts: DmarcFacts): DmarcRecord {
  const { texts, records } = ownStation(facts)
  const [record, ...others] = records
  if (record && others.length === 0) return record
  const [meant] = texts.filter(isNearMiss).flatMap((text) => meantRecord(text) ?? [])
  const idle = record
    ? merged(records)
    : meant === undefined
      ? inheritedRecord(facts)
      : parseDmarcRecord(meant)
  return idle ? parseDmarcRecord(rewritten(idle, { psd: null, sp: null, np: null })) : NOTHING
}

/** Receivers discard them all, so nothing is lost but their addresses if these were not kept. */
function merged(records: readonly DmarcRecord[]): DmarcRecord {
  const [first = NOTHING] = records
  const uris = [...new Set(records.flatMap((record) => mendedUris(record, 'rua')))]
  return parseDmarcRecord(rewritten(first, uris.length > 0 ? { rua: uris.join(',') } : {}))
}

/** What receivers of either kind apply today, which no stage may fall behind. */
export function policyToday({ applied, policy, older, domain }: DmarcFacts): Policy {
  const isOwn = applied?.station.domain === domain
  const theirs = (isOwn && older?.policy) || 'none'
  const ours = policy ?? 'none'
  return isWeaker(ours, theirs) ? theirs : ours
}

/** What the record says of names below the domain, and receivers go by today. */
export function tagsInForce(record: DmarcRecord, facts: DmarcFacts): TagsBelow {
  const { applied, below } = facts
  const isApplied = applied?.record === record && below?.station === applied.station
  const policies = isApplied ? below.policies : null
  const kept = (tag: 'sp' | 'np', today: Policy | undefined) => {
    const said = POLICIES.find((each) => each === record.tags.get(tag)?.toLowerCase())
    return said && said === today ? said : null
  }
  return { sp: kept('sp', policies?.subdomains), np: kept('np', policies?.nonexistent) }
}

export interface TagsBelow {
  readonly sp: Policy | null
  readonly np: Policy | null
}

/** Those of them that a policy does not make needless: what is weaker goes. */
export function tagsBeside(policy: Policy, { sp, np }: TagsBelow): TagsBelow {
  return {
    sp: sp && !isWeaker(sp, policy) ? sp : null,
    np: np && !isWeaker(np, policy) ? np : null,
  }
}
