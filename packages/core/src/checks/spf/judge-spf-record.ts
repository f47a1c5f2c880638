/** Findings about a missing, repeated, misspelled or invalid record. */

import { findServiceBySpfHost } from '../../catalog/mail-services.js'
import { createFinding, proposeTxtRecord } from '../finding.js'
import { formatList, quoteForDisplay } from '../format-list.js'
import { describeUnselected, joinStrings, selectRecords } from '../txt-records.js'
import type { SpfFacts } from './discover-spf.js'
import { matchesNothing } from './matching-addresses.js'
import { wouldAuthorizeSome } from './spf-authorization.js'
import type { TermTarget } from './spf-graph.js'
import { LOOKUP_LIMIT, VOID_LOOKUP_LIMIT } from './spf-limits.js'
import { isSpfNearMiss, repairSpfNearMiss } from './spf-near-miss.js'
import {
  findAll,
  findRedirect,
  invalidTerms,
  isDirective,
  isIncludeOrRedirect,
  isSpfRecord,
  mergeTerms,
  parseSpf,
  type Term,
} from './spf-record.js'
import {
  fixOrRequest,
  formatNodeDomains,
  type SpfRule,
  spfNodeEvidence,
  spfRecordEvidence,
} from './spf-rule.js'
import { isFirstOccurrence, type SpfNode } from './spf-tree.js'

const missing: SpfRule = ({ domain, spfRecords, txtRecords, type99Records, mailboxes }) => {
  if (spfRecords.length > 0) return null
  const [meant, ...others] = selectNearMisses(txtRecords).map(repairSpfNearMiss)
  const [leftover] = type99Records.filter(isSpfRecord)
  const known = toFirstRecord(others.length === 0 && meant ? meant : leftover)
  return createFinding('spf.missing', {
    title: 'No SPF record',
    detail: `No record says which servers may send mail as ${domain}, so receivers cannot tell forged mail from real mail.`,
    fix: known
      ? `Publish the record that was meant: "${domain} TXT ${known}".${softFailNote(known)}`
      : `If ${domain} sends no mail, publish "${domain} TXT v=spf1 -all". Otherwise publish one record that names all its senders, for example "v=spf1 include:<your provider’s SPF host> ~all".`,
    ...(known && isSafeToPublish(known, mailboxes) && proposeTxtRecord(domain, known)),
  })
}

const nearMiss: SpfRule = ({ domain, spfRecords, txtRecords }) => {
  const nearMisses = selectNearMisses(txtRecords)
  const [first, ...others] = nearMisses
  if (first === undefined) return null
  const repaired = others.length === 0 ? toFirstRecord(repairSpfNearMiss(first)) : null
  const correction = repaired
    ? `Replace it with "${domain} TXT ${repaired}".${softFailNote(repaired)}`
    : `Correct the start of the TXT record of ${domain} to "v=spf1 ", or delete the record if it is not needed. If ${domain} sends mail, name its senders and end it in "~all". Only one SPF record may remain.`
  return createFinding(
    'spf.near-miss',
    {
      title: 'A record that looks like SPF is ignored',
      detail:
        'Receivers read only records that start with exactly "v=spf1" and a space. They ignore this one.',
      fix:
        spfRecords.length === 0
          ? correction
          : `Delete it: ${domain} already has an SPF record, and may have only one. Add any missing terms to that one.`,
    },
    spfRecordEvidence(
      domain,
      nearMisses.map((text) => ({ text })),
    ),
  )
}

/**
 * What to publish first of a record that no receiver has applied so far: senders that it does not
 * name get a soft fail. Null if it names no sender, because only the owner knows whether one is missing.
 */
function toFirstRecord(text: string | null | undefined): string | null {
  if (!text) return null
  const record = parseSpf(text)
  const all = findAll(record)
  const namesSenders = record.active.some(({ kind }) => kind !== 'all')
  if (!namesSenders || record.isCut) return null
  if (all) {
    return `${text.slice(0, all.position)}~all${text.slice(all.position + all.text.length)}`
  }
  return findRedirect(record) ? text : `${text.trimEnd()} ~all`
}

/** A sentence to append. */
function softFailNote(record: string): string {
  return findAll(parseSpf(record))
    ? ' It has "~all", because no receiver has applied this record so far.'
    : ''
}

function selectNearMisses(txtRecords: SpfFacts['txtRecords']): readonly string[] {
  return selectRecords(txtRecords.map(joinStrings).filter(isSpfNearMiss), (text) => text)
}

const multipleRecords: SpfRule = (facts) => {
  const { tree, nodes, spfRecordCount } = facts
  const several = nodes.filter(({ state }) => state === 'several')
  if (several.length === 0) return null
  const names = formatNodeDomains(several)
  const merged = several.length === 1 && several[0] === tree ? mergeRecords(tree) : null
  const fix = merged
    ? `Publish one TXT record at ${names} with the terms of all, "${merged}", and delete the others.`
    : `Merge all terms into one TXT record at ${names} with a single "v=spf1" and a single "all", and delete the others.`
  return createFinding(
    'spf.multiple-records',
    {
      title: `More than one SPF record at ${names}`,
      detail: `Receivers that find two SPF records use neither and report a permanent error, so no sender passes.${describeUnselected(spfRecordCount)}`,
      fix: several.every(({ isOwn }) => isOwn)
        ? fix
        : `Ask the operator of ${names} to fix this, and remove the term that leads there until then.`,
      ...(merged && isSafeMerge(facts) && proposeTxtRecord(tree.domain, merged)),
    },
    spfNodeEvidence(several),
  )
}

/**
 * A merged record takes effect at once, so it must authorize some senders but not all, stay within
 * the limits, and have no term that needs another change.
 */
function isSafeMerge({ graph, tree, voidLookups, mailboxes }: SpfFacts): boolean {
  const terms = mergeTerms(tree.records).filter(({ kind }) => kind !== 'all')
  const targets = terms.filter(isIncludeOrRedirect).map((term) => hostKey(graph.targetOf(term)))
  const isWithinLimits =
    tree.lookups < LOOKUP_LIMIT &&
    Math.max(voidLookups.ipv4VoidLookups, voidLookups.ipv6VoidLookups) <= VOID_LOOKUP_LIMIT
  return (
    wouldAuthorizeSome(graph) &&
    isWithinLimits &&
    mailboxes?.isAuthorized !== false &&
    new Set(targets).size === targets.length &&
    !terms.some(
      (term) => isDirective(term) && !isIncludeOrRedirect(term) && matchesNothing(graph, term),
    )
  )
}

function hostKey(target: TermTarget): string {
  return target.kind === 'dynamic' ? '' : target.name
}

/** One record with the terms of several; null when that is unclear. */
function mergeRecords({ records, lookups }: SpfNode): string | null {
  const isPlain = records.every(({ terms }) => terms.every(isDirective))
  if (!isPlain || lookups > LOOKUP_LIMIT) return null
  const terms = mergeTerms(records).filter(({ kind }) => kind !== 'all')
  // The mildest result, so no sender is rejected that only one record names.
  const isStrict = records.every((record) => findAll(record)?.qualifier === '-')
  return ['v=spf1', ...terms.map(({ text }) => text), isStrict ? '-all' : '~all'].join(' ')
}

const syntax: SpfRule = ({ nodes }) => {
  const broken = nodes.filter(
    (node) => isFirstOccurrence(node) && node.records.some((one) => invalidTerms(one).length > 0),
  )
  const invalid = broken.flatMap(({ records }) => records.flatMap(invalidTerms))
  if (invalid.length === 0) return null
  const terms = formatList(
    invalid.map(({ text }) => text),
    quoteForDisplay,
  )
  return createFinding(
    'spf.syntax',
    {
      title: `Invalid SPF term: ${terms}`,
      detail: `One invalid term makes the whole record a permanent error, so no sender passes. ${invalid
        .slice(0, 6)
        .map(
          ({ text, position, problem }) =>
            `${quoteForDisplay(text)} (octet ${position}): ${problem}.`,
        )
        .join(' ')}`,
      fix: fixOrRequest(
        broken,
        `Correct or remove ${terms} in the record of ${formatNodeDomains(broken)}.`,
        `correct or remove ${terms}`,
      ),
    },
    spfNodeEvidence(broken),
  )
}

export const SPF_RECORD_RULES: readonly SpfRule[] = [missing, nearMiss, multipleRecords, syntax]

const WIDEST_PROPOSED_IPV4 = 16
const WIDEST_PROPOSED_IPV6 = 32

/**
 * Its terms were not looked up, so it may only name networks and known services, each once, and must
 * end in `all`. The mailbox provider must be among them.
 */
function isSafeToPublish(text: string, mailboxes: SpfFacts['mailboxes']): boolean {
  const { terms } = parseSpf(text)
  const texts = terms.map((term) => term.text.toLowerCase())
  const senders = terms.filter(({ kind }) => kind !== 'all')
  return (
    terms.every(isSafeTerm) &&
    senders.length > 0 &&
    terms.at(-1)?.kind === 'all' &&
    terms.length === senders.length + 1 &&
    new Set(texts).size === texts.length &&
    (mailboxes === null || texts.includes(mailboxes.term))
  )
}

function isSafeTerm(term: Term): boolean {
  if (!isDirective(term)) return false
  const { kind, qualifier, target, ipv4Prefix, ipv6Prefix } = term
  if (kind === 'all') return qualifier === '-' || qualifier === '~'
  if (qualifier !== '+') return false
  if (kind === 'ip4' || kind === 'ip6') {
    return ipv4Prefix >= WIDEST_PROPOSED_IPV4 && ipv6Prefix >= WIDEST_PROPOSED_IPV6
  }
  return kind === 'include' && target !== null && findServiceBySpfHost(target.text) !== null
}
