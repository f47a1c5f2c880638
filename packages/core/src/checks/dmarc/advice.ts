/** What to publish, and where, in words that can be pasted. */
import { exactTxt, type Finding } from '../finding.js'
import type { DmarcFacts } from './discover-dmarc.js'
import { type DmarcRecord, URI_TAGS } from './dmarc-record.js'
import { isPolicyChosen } from './policies.js'
import { contradictions, proposed, type TagChanges } from './rewrite-record.js'
import { emptyStation, type Found, hasPsd, type Station } from './tree-walk.js'

/** A record that the operator of a public suffix publishes for whoever has none (RFC 9989 §4.10.1). */
export function isRegistrys(found: Found, domain: string): boolean {
  return found.station.domain !== domain && hasPsd(found, 'y')
}

export function publication(facts: DmarcFacts, found: Found, changes: TagChanges = {}): string {
  const { station, record } = proposal(facts, found, changes)
  return publishAt(station, record)
}

/** The same as a record; none where something of it is left to the owner. */
export function publishedRecord(
  facts: DmarcFacts,
  found: Found,
  changes: TagChanges = {},
): Pick<Finding, 'record'> {
  // Addresses that were not read are not in the proposal, but are not to be lost either.
  const isRead = URI_TAGS.every((tag) => found.record.urisOf(tag).unread === 0)
  const { station, record } = proposal(facts, found, changes)
  return isRead ? exactTxt(station.name, record) : {}
}

/**
 * The record with some tags changed, where it stands; or, since nobody can change the registry's,
 * a record of the organisation's own that is as strong.
 */
function proposal(
  facts: DmarcFacts,
  found: Found,
  changes: TagChanges,
): { readonly station: Station; readonly record: string } {
  if (!isRegistrys(found, facts.domain)) {
    const record = proposed(found.record, withPolicy(found.record, changes))
    return { station: found.station, record }
  }
  const organization = facts.organizationalDomain ?? facts.domain
  const policy = changes.p ?? changes.sp ?? changes.np ?? facts.policy ?? 'none'
  const record = `v=DMARC1; p=${policy}; rua=${ownMailbox(facts, organization)}`
  return { station: stationOf(facts, organization), record }
}

/** Where no policy is given, what receivers go by now. */
function withPolicy(record: DmarcRecord, changes: TagChanges): TagChanges {
  const isSaid = isPolicyChosen(record) || contradictions(record).includes('p')
  return isSaid ? changes : { p: 'none', ...changes }
}

/** RFC 1034 §3.6.2: beside a CNAME no TXT record can stand. */
export function publishAt(station: Station, record: string, publish = 'publish'): string {
  const { name, cnames, records } = station
  const target = cnames.at(-1)
  if (!target) return `${publish} at ${name}: "${record}"`
  const other = records.length > 0 ? ` (or have the owner of ${target} change the one there)` : ''
  return `replace the CNAME at ${name} by a TXT record${other}: "${record}"`
}

/** The same for a change that was told in words: a sentence to follow them, if one is needed. */
export function aliasNote({ name, cnames }: Station): string {
  const target = cnames.at(-1)
  return target
    ? ` ${name} is an alias: have the owner of ${target} do so, or replace the CNAME by a TXT record.`
    : ''
}

export function stationOf({ walk }: DmarcFacts, domain: string): Station {
  return walk.stations.find((station) => station.domain === domain) ?? emptyStation(domain)
}

export function ownMailbox({ domain, refusesMail }: DmarcFacts, owner: string): string {
  const isDeaf = owner === domain && refusesMail
  return isDeaf ? 'mailto:<a mailbox that receives mail>' : `mailto:dmarc@${owner}`
}

export function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}
