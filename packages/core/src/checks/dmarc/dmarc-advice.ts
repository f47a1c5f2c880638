/** What to publish, and where, as text that can be pasted. */
import { type Finding, proposeTxtRecord, txtEvidence } from '../finding.js'
import { toDisplayText } from '../txt-records.js'
import type { DmarcFacts, ResolvedReportUri } from './discover-dmarc.js'
import { hasValidPolicy } from './dmarc-policies.js'
import { type DmarcRecord, REPORT_URI_TAGS, readPercentage } from './dmarc-record.js'
import { findConflictingTags, proposeDmarcRecord, type TagChanges } from './rewrite-dmarc-record.js'
import { emptyWalkStep, type FoundDmarcRecord, hasPsdTag, type WalkStep } from './tree-walk.js'

/** A record that a public suffix operator publishes for domains without one (RFC 9989 §4.10.1). */
export function isPublicSuffixRecord(found: FoundDmarcRecord, domain: string): boolean {
  return found.step.domain !== domain && hasPsdTag(found, 'y')
}

export function recordChangeInstruction(
  facts: DmarcFacts,
  found: FoundDmarcRecord,
  changes: TagChanges = {},
): string {
  const { step, record } = proposeChange(facts, found, changes)
  return publishInstruction(step, record)
}

/** The same as a record; none if a placeholder is left for the owner to fill in. */
export function recordChangeProposal(
  facts: DmarcFacts,
  found: FoundDmarcRecord,
  changes: TagChanges = {},
): Pick<Finding, 'record'> {
  // Addresses beyond the limit were not read, and the proposal must not drop them.
  const isFullyRead = REPORT_URI_TAGS.every((tag) => found.record.reportUris(tag).unreadCount === 0)
  const { step, record } = proposeChange(facts, found, changes)
  return isFullyRead ? proposeTxtRecord(step.name, record) : {}
}

/**
 * The record with some tags changed. A registry's record cannot be changed, so there it is a new
 * record for the organization, with the same policy.
 */
function proposeChange(
  facts: DmarcFacts,
  found: FoundDmarcRecord,
  changes: TagChanges,
): { readonly step: WalkStep; readonly record: string } {
  if (!isPublicSuffixRecord(found, facts.domain)) {
    const record = proposeDmarcRecord(found.record, withPolicy(found.record, changes))
    return { step: found.step, record }
  }
  const organization = facts.organizationalDomain ?? facts.domain
  const policy = changes.p ?? changes.sp ?? changes.np ?? facts.policy ?? 'none'
  const record = `v=DMARC1; p=${policy}; rua=${defaultReportUri(facts, organization)}`
  return { step: findWalkStep(facts, organization), record }
}

/** Adds the policy that receivers assume where the record has none. */
function withPolicy(record: DmarcRecord, changes: TagChanges): TagChanges {
  const isGiven = hasValidPolicy(record) || findConflictingTags(record).includes('p')
  return isGiven ? changes : { p: 'none', ...changes }
}

/** RFC 1034 §3.6.2: a name with a CNAME cannot have a TXT record. */
export function publishInstruction(step: WalkStep, record: string, publish = 'publish'): string {
  const { name, cnames, records } = step
  const target = cnames.at(-1)
  if (!target) return `${publish} at ${name}: "${record}"`
  const other = records.length > 0 ? ` (or ask the owner of ${target} to change theirs)` : ''
  return `replace the CNAME at ${name} with a TXT record${other}: "${record}"`
}

/** A sentence to append to an instruction whose name is a CNAME. */
export function cnameNote({ name, cnames }: WalkStep): string {
  const target = cnames.at(-1)
  return target
    ? ` ${name} is a CNAME: ask the owner of ${target} to do this, or replace the CNAME with a TXT record.`
    : ''
}

export function findWalkStep({ walk }: DmarcFacts, domain: string): WalkStep {
  return walk.steps.find((step) => step.domain === domain) ?? emptyWalkStep(domain)
}

export function defaultReportUri({ domain, hasNullMx }: DmarcFacts, owner: string): string {
  const isUnreachable = owner === domain && hasNullMx
  return isUnreachable ? 'mailto:<a mailbox that receives mail>' : `mailto:dmarc@${owner}`
}

/** Without reports, a stricter policy cannot be known to be safe. */
export function mayReceiveReports(
  { rua }: DmarcFacts,
  { record, step }: FoundDmarcRecord,
): boolean {
  const hasUnreadUris = record.reportUris('rua').unreadCount > 0
  return hasUnreadUris || rua.some((target) => mayReceive(target, step.domain))
}

/**
 * A destination that was not looked up may work. The policy's own domain counts even if it accepts
 * no mail, because that has its own finding.
 */
function mayReceive({ host, destination }: ResolvedReportUri, owner: string): boolean {
  if (host === null || destination?.authorized === false) return false
  return host === owner || destination?.acceptsMail !== false
}

/** Asks for reports and keeps an enforced `pct` below 100 as it is. */
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

export function capitalize(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}
