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
import { mendedUris, rewritten, type TagChanges } from '../../../checks/dmarc/rewrite-record.js'
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

/** Its tags are kept, whatever becomes of the policy. */
export function baseRecord(facts: DmarcFacts): DmarcRecord {
  const { texts, records } = ownStation(facts)
  const [record, ...others] = records
  if (record && others.length === 0) return record
  if (record) return merged(records)
  const meant = texts.filter(isNearMiss).flatMap((text) => meantRecord(text) ?? [])
  if (meant[0] !== undefined) return parseDmarcRecord(meant[0])
  const inherited = inheritedRecord(facts)
  // What a parent says of its own place in the tree does not hold for the names below it.
  return inherited
    ? parseDmarcRecord(rewritten(inherited, { psd: null, sp: null, np: null }))
    : NOTHING
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

/** Where the names below a domain go by its own record, and no longer by what is weaker there. */
export function subdomainChanges(
  record: DmarcRecord,
  { domain, organizationalDomain }: DmarcFacts,
  policy: Policy,
): TagChanges {
  const isIgnored = organizationalDomain !== null && organizationalDomain !== domain
  const kept = (tag: 'sp' | 'np') => {
    const said = POLICIES.find((each) => each === record.tags.get(tag)?.toLowerCase())
    return said && !isIgnored && !isWeaker(said, policy) ? said : null
  }
  return { sp: kept('sp'), np: kept('np') }
}
