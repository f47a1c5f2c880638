/** Why the SPF record is to be what it is, in sentences. */

import { formatFullList, truncateForDisplay } from '../../../checks/format-list.js'
import { isSpfNearMiss } from '../../../checks/spf/spf-near-miss.js'
import { findAll, isDirective } from '../../../checks/spf/spf-record.js'
import { joinStrings } from '../../../checks/txt-records.js'
import { sendingProfile } from '../../check/check-reports.js'
import type { DomainFacts } from '../discover-domain.js'
import type { ComposedSpf, RemovalReason } from './compose-spf.js'

const DROPPED: Readonly<Record<RemovalReason, (terms: string) => string>> = {
  ptr: (terms) => `${terms} is slow, unreliable and not to be used (RFC 7208 §5.5).`,
  dead: (terms) => `${terms} leads nowhere: it lets nobody send and costs lookups.`,
  broken: (terms) =>
    `${terms} leads to a record that is broken, and with it the whole record would be (RFC 7208 §5.2).`,
  unaligned: (terms) =>
    `${terms} cannot help where the service bounces to a domain of its own: its mail then passes DMARC by DKIM or not at all.`,
  open: (terms) => `${terms} lets everybody pass.`,
}

export interface SpfChange {
  readonly composed: ComposedSpf
  readonly missing: readonly string[]
  readonly unreadable: readonly string[]
  readonly facts: DomainFacts
}

export function explainSpf({ composed, missing, unreadable, facts }: SpfChange): string {
  return [
    ...whatStands(facts),
    ...(composed.terms.length === 0
      ? ['Nothing shows which servers send, so it names none: put yours before "all".']
      : []),
    ...(missing.length > 0 ? [`Added: ${formatFullList(missing)}.`] : []),
    ...droppedSentences(composed),
    ...(unreadable.length > 0
      ? [`Left out, since it is not valid: ${formatFullList(unreadable)}.`]
      : []),
    ...rewrittenSentences(composed),
    ...redirectSentence(facts),
    ...behindAllSentence(facts),
    ...movedSentence(composed),
    ...(endsOpen(facts)
      ? [`It now ends in "${composed.allTerm}", so that others do not pass.`]
      : []),
    `It needs ${composed.lookups} of the 10 lookups that receivers make (RFC 7208 §4.6.4).`,
  ].join(' ')
}

/** Whoever loses a place in the record has to pass by DKIM, and must do so before. */
export function spfPrecondition({ composed, unreadable, facts }: SpfChange): string | null {
  // Where receivers read nothing today, nobody has a place to lose.
  if (facts.reports.spf.issues.some(({ id }) => UNREAD.has(id))) return null
  const { moved, dropped } = composed
  const leaving = [...dropped.filter(({ doom }) => doom !== 'dead'), ...moved]
  const terms = leaving.map(({ term }) => term).filter((term) => !term.startsWith('-'))
  const losers = [...terms, ...unreadable]
  if (losers.length > 0) {
    const strict = facts.reports.dmarc.alignment?.dkim === 'strict' ? '' : ' or a name below it'
    const idle = dropped.filter(({ doom }) => doom === 'unaligned').map(({ term }) => term)
    const stay =
      idle.length > 0
        ? ` Leave ${formatFullList(idle)} in if the Return-Path of that mail is at ${facts.domain}.`
        : ''
    return `Do this only when whoever sends by ${formatFullList(losers)} signs as ${facts.domain}: send yourself a message through each, and look in its Authentication-Results header for dkim=pass with header.d=${facts.domain}${strict}.${stay}`
  }
  const isOpen = endsOpen(facts) && facts.reports.spf.valid
  return isOpen && facts.dmarc.policy !== null && facts.dmarc.policy !== 'none'
    ? 'Today the record keeps nobody out, so see first in the DMARC reports that everybody who sends for you is named in it.'
    : null
}

/** Permanent errors that receivers meet before anybody can pass. */
const UNREAD: ReadonlySet<string> = new Set(['spf.syntax', 'spf.multiple-records', 'spf.missing'])

/** Where it is not the domain that says so, somebody has to make sure. */
export function explainNonSendingSpf({ domain, reports }: DomainFacts): {
  why: string
  precondition?: string
} {
  const why = 'A domain that sends nothing says so, and nobody passes (RFC 7208 §10.1.2).'
  if (sendingProfile(reports) === 'non-sending') return { why }
  const before = `Nothing shows that ${domain} sends mail. First make sure that no web form, device or service does: from now on its mail would be rejected.`
  return { why, precondition: before }
}

function whatStands({ spf }: DomainFacts): string[] {
  const [, second] = spf.spfRecords
  if (second) return ['Receivers that find two SPF records use neither: one says it all.']
  if (spf.spfRecords.length === 1) return []
  const miss = spf.txtRecords.map(joinStrings).find(isSpfNearMiss)
  return [
    miss === undefined
      ? 'Says to receivers which servers may send for the domain.'
      : `"${truncateForDisplay(miss)}" is not read as SPF: a record begins with exactly "v=spf1" and a space (RFC 7208 §4.5).`,
  ]
}

function droppedSentences({ dropped }: ComposedSpf): string[] {
  const dooms = [...new Set(dropped.map(({ doom }) => doom))]
  return dooms.map((doom) => {
    const terms = dropped.filter((each) => each.doom === doom).map(({ term }) => term)
    return `Left out: ${DROPPED[doom](formatFullList(terms))}`
  })
}

function rewrittenSentences({ rewritten }: ComposedSpf): string[] {
  const needless = rewritten.filter(({ replacement }) => replacement.length === 0)
  const shorter = rewritten.filter(({ replacement }) => replacement.length > 0)
  return [
    ...(needless.length > 0
      ? [
          `Left out, since another term lets the same servers send: ${formatFullList(needless.map(({ term }) => term))}.`,
        ]
      : []),
    ...shorter.map(
      ({ term, replacement }) =>
        `To save a lookup, ${term} is written out: ${formatFullList(replacement)}.`,
    ),
  ]
}

/** RFC 7208 §6.1. */
function redirectSentence({ spf }: DomainFacts): string[] {
  const idle = spf.tree.records
    .filter((record) => findAll(record) !== null)
    .flatMap(({ terms }) => terms.filter(({ kind }) => kind === 'redirect'))
    .map(({ text }) => text)
  if (idle.length === 0) return []
  return [
    `Receivers ignore ${formatFullList(idle)} beside "all"; it is written as an include, so take it out if its servers are not to send for you.`,
  ]
}

/** RFC 7208 §5.1. */
function behindAllSentence({ spf }: DomainFacts): string[] {
  const behind = spf.tree.records.flatMap(({ terms }) => {
    const end = terms.findIndex(({ kind }) => kind === 'all')
    return end === -1 ? [] : terms.slice(end + 1).filter(isDirective)
  })
  const texts = behind.filter(({ kind }) => kind !== 'all').map(({ text }) => text)
  if (texts.length === 0) return []
  return [
    `Receivers ignore what stands behind "all"; ${formatFullList(texts)} now counts, so take it out if it is not to send for you.`,
  ]
}

function movedSentence({ moved }: ComposedSpf): string[] {
  if (moved.length === 0) return []
  return [
    `No room for ${formatFullList(moved.map(({ term }) => term))}: have these send from a subdomain with an SPF record of its own.`,
  ]
}

function endsOpen({ spf, reports }: DomainFacts): boolean {
  const isSaid = reports.spf.allResult === 'fail' || reports.spf.allResult === 'softfail'
  return spf.spfRecords.length === 1 && !isSaid
}
