/** Explains the changes of the SPF record. */

import { formatFullList, truncateForDisplay } from '../../../checks/format-list.js'
import { isSpfNearMiss } from '../../../checks/spf/spf-near-miss.js'
import { findAll, isDirective } from '../../../checks/spf/spf-record.js'
import { joinStrings } from '../../../checks/txt-records.js'
import { sendingProfile } from '../../check/check-reports.js'
import type { DomainFacts } from '../discover-domain.js'
import type { ComposedSpf, RemovalReason } from './compose-spf.js'

const REMOVAL_TEXTS: Readonly<Record<RemovalReason, (terms: string) => string>> = {
  ptr: (terms) => `${terms} is slow, unreliable and must not be used (RFC 7208 §5.5).`,
  'matches-nothing': (terms) => `${terms} matches no server and costs lookups.`,
  broken: (terms) =>
    `${terms} leads to a broken record, which would break the whole record (RFC 7208 §5.2).`,
  unaligned: (terms) =>
    `${terms} has no effect if the service bounces to its own domain: its mail then passes DMARC only via DKIM.`,
  'allows-everyone': (terms) => `${terms} allows every server.`,
}

export interface SpfChange {
  readonly composed: ComposedSpf
  readonly missing: readonly string[]
  readonly unreadable: readonly string[]
  readonly facts: DomainFacts
}

export function explainSpf({ composed, missing, unreadable, facts }: SpfChange): string {
  return [
    ...describeCurrent(facts),
    ...(composed.terms.length === 0
      ? ['DNS does not show which servers send, so the record names none: add yours before "all".']
      : []),
    ...(missing.length > 0 ? [`Added: ${formatFullList(missing)}.`] : []),
    ...removedSentences(composed),
    ...(unreadable.length > 0
      ? [`Removed because it is not valid: ${formatFullList(unreadable)}.`]
      : []),
    ...rewrittenSentences(composed),
    ...redirectSentence(facts),
    ...afterAllSentence(facts),
    ...movedSentence(composed),
    ...(hasOpenDefault(facts)
      ? [`It now ends in "${composed.allTerm}", so other servers do not pass.`]
      : []),
    `Lookups: ${composed.lookups} of 10 (RFC 7208 §4.6.4).`,
  ].join(' ')
}

/** A sender that is removed has to pass DMARC via DKIM first. */
export function spfPrecondition({ composed, unreadable, facts }: SpfChange): string | null {
  // If receivers cannot use the record today, no sender loses anything.
  if (facts.reports.spf.issues.some(({ id }) => PERMERROR_IDS.has(id))) return null
  const { moved, dropped } = composed
  const removed = [...dropped.filter(({ reason }) => reason !== 'matches-nothing'), ...moved]
  const terms = removed.map(({ term }) => term).filter((term) => !term.startsWith('-'))
  const lost = [...terms, ...unreadable]
  if (lost.length > 0) {
    const relaxed = facts.reports.dmarc.alignment?.dkim === 'strict' ? '' : ' or a name below it'
    const unaligned = dropped.filter(({ reason }) => reason === 'unaligned').map(({ term }) => term)
    const exception =
      unaligned.length > 0
        ? ` Keep ${formatFullList(unaligned)} if the Return-Path of that mail is at ${facts.domain}.`
        : ''
    return `Do this only once every service that sends via ${formatFullList(lost)} signs as ${facts.domain}: send yourself a message from each, and check its Authentication-Results header for dkim=pass with header.d=${facts.domain}${relaxed}.${exception}`
  }
  const isOpen = hasOpenDefault(facts) && facts.reports.spf.valid
  return isOpen && facts.dmarc.policy !== null && facts.dmarc.policy !== 'none'
    ? 'The record blocks no server today. First check in the DMARC reports that it names every service that sends for you.'
    : null
}

/** Errors that make receivers ignore the whole record. */
const PERMERROR_IDS: ReadonlySet<string> = new Set([
  'spf.syntax',
  'spf.multiple-records',
  'spf.missing',
])

/** Asks for confirmation unless the domain itself declares that it sends no mail. */
export function explainNonSendingSpf({ domain, reports }: DomainFacts): {
  why: string
  precondition?: string
} {
  const why = 'Says that the domain sends no mail, so no server passes (RFC 7208 §10.1.2).'
  if (sendingProfile(reports) === 'non-sending') return { why }
  const precondition = `DNS does not show that ${domain} sends mail. First make sure that no web form, device or service does: its mail would be rejected from now on.`
  return { why, precondition }
}

function describeCurrent({ spf }: DomainFacts): string[] {
  const [, second] = spf.spfRecords
  if (second)
    return ['Receivers that find two SPF records use neither, so they are merged into one.']
  if (spf.spfRecords.length === 1) return []
  const miss = spf.txtRecords.map(joinStrings).find(isSpfNearMiss)
  return [
    miss === undefined
      ? 'Lists the servers that may send for the domain.'
      : `"${truncateForDisplay(miss)}" is not read as SPF: a record must begin with exactly "v=spf1" and a space (RFC 7208 §4.5).`,
  ]
}

function removedSentences({ dropped }: ComposedSpf): string[] {
  const reasons = [...new Set(dropped.map(({ reason }) => reason))]
  return reasons.map((reason) => {
    const terms = dropped.filter((each) => each.reason === reason).map(({ term }) => term)
    return `Removed: ${REMOVAL_TEXTS[reason](formatFullList(terms))}`
  })
}

function rewrittenSentences({ rewritten }: ComposedSpf): string[] {
  const redundant = rewritten.filter(({ replacement }) => replacement.length === 0)
  const expanded = rewritten.filter(({ replacement }) => replacement.length > 0)
  return [
    ...(redundant.length > 0
      ? [
          `Removed because another term allows the same servers: ${formatFullList(redundant.map(({ term }) => term))}.`,
        ]
      : []),
    ...expanded.map(
      ({ term, replacement }) =>
        `To save a lookup, ${term} is replaced with ${formatFullList(replacement)}.`,
    ),
  ]
}

/** RFC 7208 §6.1. */
function redirectSentence({ spf }: DomainFacts): string[] {
  const ignored = spf.tree.records
    .filter((record) => findAll(record) !== null)
    .flatMap(({ terms }) => terms.filter(({ kind }) => kind === 'redirect'))
    .map(({ text }) => text)
  if (ignored.length === 0) return []
  return [
    `Receivers ignore ${formatFullList(ignored)} beside "all"; it is now an include, so remove it if its servers do not send for you.`,
  ]
}

/** RFC 7208 §5.1. */
function afterAllSentence({ spf }: DomainFacts): string[] {
  const after = spf.tree.records.flatMap(({ terms }) => {
    const end = terms.findIndex(({ kind }) => kind === 'all')
    return end === -1 ? [] : terms.slice(end + 1).filter(isDirective)
  })
  const texts = after.filter(({ kind }) => kind !== 'all').map(({ text }) => text)
  if (texts.length === 0) return []
  return [
    `Receivers ignore terms after "all"; ${formatFullList(texts)} now applies, so remove it if it does not send for you.`,
  ]
}

function movedSentence({ moved }: ComposedSpf): string[] {
  if (moved.length === 0) return []
  return [
    `No room for ${formatFullList(moved.map(({ term }) => term))}: let these services send from a subdomain with its own SPF record.`,
  ]
}

function hasOpenDefault({ spf, reports }: DomainFacts): boolean {
  const isClosed = reports.spf.allResult === 'fail' || reports.spf.allResult === 'softfail'
  return spf.spfRecords.length === 1 && !isClosed
}
