/** What to publish, and where, in words that can be pasted. */
import { type Finding, proposeTxtRecord, txtEvidence } from '../finding.js'
import { toDisplayText } from '../txt-records.js'
import type { DmarcFacts, ResolvedReportUri } from './discover-dmarc.js'
import { hasValidPolicy } from './dmarc-policies.js'
import { type DmarcRecord, REPORT_URI_TAGS, readPercentage } from './dmarc-record.js'
import { findConflictingTags, proposeDmarcRecord, type TagChanges } from './rewrite-dmarc-record.js'
import { emptyWalkStep, type FoundDmarcRecord, hasPsdTag, type WalkStep } from './tree-walk.js'

/** A record that the operator of a public suffix publishes for whoever has none (RFC 9989 §4.10.1). */
export function isPublicSuffixRecord(found: FoundDmarcRecord, domain: string): boolean {
  return found.step.domain !== domain && hasPsdTag(found, 'y')
}

export function recordChangeInstruction(
  facts: DmarcFacts,
  found: FoundDmarcRecord,
  changes: TagChanges = {},
): string {
  const { station, record } = proposal(facts, found, changes)
  return publishInstruction(station, record)
}

/** The same as a record; none where something of it is left to the owner. */
export function recordChangeProposal(
  facts: DmarcFacts,
  found: FoundDmarcRecord,
  changes: TagChanges = {},
): Pick<Finding, 'record'> {
  // Addresses that were not read are not in the proposal, but are not to be lost either.
  const isRead = REPORT_URI_TAGS.every((tag) => found.record.reportUris(tag).unreadCount === 0)
  const { station, record } = proposal(facts, found, changes)
  return isRead ? proposeTxtRecord(station.name, record) : {}
}

/**
 * The record with some tags changed, where it stands; or, since nobody can change the registry's,
 * a record of the organisation's own that is as strong.
 */
function proposal(
  facts: DmarcFacts,
  found: FoundDmarcRecord,
  changes: TagChanges,
): { readonly station: WalkStep; readonly record: string } {
  if (!isPublicSuffixRecord(found, facts.domain)) {
    const record = proposeDmarcRecord(found.record, withPolicy(found.record, changes))
    return { station: found.step, record }
  }
  const organization = facts.organizationalDomain ?? facts.domain
  const policy = changes.p ?? changes.sp ?? changes.np ?? facts.policy ?? 'none'
  const record = `v=DMARC1; p=${policy}; rua=${defaultReportUri(facts, organization)}`
  return { station: findWalkStep(facts, organization), record }
}

/** Where no policy is given, what receivers go by now. */
function withPolicy(record: DmarcRecord, changes: TagChanges): TagChanges {
  const isSaid = hasValidPolicy(record) || findConflictingTags(record).includes('p')
  return isSaid ? changes : { p: 'none', ...changes }
}

/** RFC 1034 §3.6.2: beside a CNAME no TXT record can stand. */
export function publishInstruction(station: WalkStep, record: string, publish = 'publish'): string {
  const { name, cnames, records } = station
  const target = cnames.at(-1)
  if (!target) return `${publish} at ${name}: "${record}"`
  const other = records.length > 0 ? ` (or have the owner of ${target} change the one there)` : ''
  return `replace the CNAME at ${name} by a TXT record${other}: "${record}"`
}

/** The same for a change that was told in words: a sentence to follow them, if one is needed. */
export function cnameNote({ name, cnames }: WalkStep): string {
  const target = cnames.at(-1)
  return target
    ? ` ${name} is an alias: have the owner of ${target} do so, or replace the CNAME by a TXT record.`
    : ''
}

export function findWalkStep({ walk }: DmarcFacts, domain: string): WalkStep {
  return walk.steps.find((station) => station.domain === domain) ?? emptyWalkStep(domain)
}

export function defaultReportUri({ domain, hasNullMx }: DmarcFacts, owner: string): string {
  const isDeaf = owner === domain && hasNullMx
  return isDeaf ? 'mailto:<a mailbox that receives mail>' : `mailto:dmarc@${owner}`
}

export function capitalize(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}

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

export function dmarcRecordEvidence({ step, record }: FoundDmarcRecord): Finding['evidence'] {
  return dmarcTxtEvidence(step, [record.text])
}

export function dmarcTxtEvidence(
  { name }: WalkStep,
  texts: readonly string[],
): Finding['evidence'] {
  return texts.map((text) => txtEvidence(name, toDisplayText(text)))
}
