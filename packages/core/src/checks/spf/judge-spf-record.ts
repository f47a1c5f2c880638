/** Findings about a missing, repeated, misspelled or invalid record. */
import { findServiceBySpfHost } from '../../catalog/mail-services.js'
import { quoteForDisplay } from '../format-list.js'
import { type Found, found, type Rule } from '../rule.js'
import { joinStrings, selectRecords } from '../txt-records.js'
import type { SpfFacts } from './discover-spf.js'
import { wouldAuthorizeSome } from './spf-authorization.js'
import {
  LOOKUP_LIMIT,
  MAX_EXPLAINED_TERMS,
  NARROW_PREFIX,
  VOID_LOOKUP_LIMIT,
} from './spf-limits.js'
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
  domainsOf,
  inRecordsOf,
  proposeAtDomain,
  spfNodeEvidence,
  spfRecordEvidence,
} from './spf-rule.js'
import { isFirstOccurrence, type SpfNode } from './spf-tree.js'
import { matchesNothing, type TermTarget } from './term-lookups.js'

export const SPF_RECORD_RULES: readonly Rule<SpfFacts>[] = [
  (facts) => {
    const { domain, spfRecords, txtRecords, type99Records, mailboxes, cnames } = facts
    if (spfRecords.length > 0) return null
    const [meant, ...others] = selectNearMisses(txtRecords).map(repairSpfNearMiss)
    const [leftover] = type99Records.filter(isSpfRecord)
    const record = toFirstRecord(others.length === 0 && meant ? meant : leftover)
    if (record === null) return found('spf.missing', { domain })
    return found(
      cnames.length > 0 ? 'spf.missing (meant-alias)' : 'spf.missing (meant)',
      { domain, record, alias: cnames.slice(-1) },
      isSafeToPublish(record, mailboxes) ? proposeAtDomain(facts, record) : {},
    )
  },

  ({ domain, spfRecords, txtRecords }) => {
    const nearMisses = selectNearMisses(txtRecords)
    const [first, ...others] = nearMisses
    if (first === undefined) return null
    const proof = {
      evidence: spfRecordEvidence(
        domain,
        nearMisses.map((text) => ({ text })),
      ),
    }
    if (spfRecords.length > 0) return found('spf.near-miss (extra)', { domain }, proof)
    const record = others.length === 0 ? toFirstRecord(repairSpfNearMiss(first)) : null
    return record === null
      ? found('spf.near-miss', { domain }, proof)
      : found('spf.near-miss (repaired)', { domain, record }, proof)
  },

  multipleRecords,

  ({ nodes }) => {
    const broken = nodes.filter(
      (node) => isFirstOccurrence(node) && node.records.some((one) => invalidTerms(one).length > 0),
    )
    const invalid = broken.flatMap(({ records }) => records.flatMap(invalidTerms))
    if (invalid.length === 0) return null
    const problems = invalid
      .slice(0, MAX_EXPLAINED_TERMS)
      .map(
        ({ text, position, problem }) => `${quoteForDisplay(text)} (byte ${position}): ${problem}.`,
      )
    return found(
      inRecordsOf(broken, 'spf.syntax'),
      {
        terms: invalid.map(({ text }) => quoteForDisplay(text)),
        places: domainsOf(broken),
        problems: problems.join(' '),
      },
      { evidence: spfNodeEvidence(broken) },
    )
  },
]

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

function selectNearMisses(txtRecords: SpfFacts['txtRecords']): readonly string[] {
  return selectRecords(txtRecords.map(joinStrings).filter(isSpfNearMiss), (text) => text)
}

function multipleRecords(facts: SpfFacts): Found | null {
  const { domain, tree, nodes, cnames, spfRecords, spfRecordCount: count } = facts
  const several = nodes.filter(({ state }) => state === 'several')
  if (several.length === 0) return null
  const places = domainsOf(several)
  const evidence = spfNodeEvidence(several)
  const shown = spfRecords.length
  const key = inRecordsOf(several, 'spf.multiple-records')
  // The terms of the records that are not read are unknown, so no record has all of them.
  if (key === 'spf.multiple-records' && count > shown) {
    return found('spf.multiple-records (not-all-shown)', { places, shown, count }, { evidence })
  }
  const record = several.length === 1 && several[0] === tree ? mergeRecords(tree) : null
  if (record === null) return found(key, { places }, { evidence })
  const proof = { evidence, ...(isSafeMerge(facts) && proposeAtDomain(facts, record)) }
  return found(
    cnames.length > 0 ? 'spf.multiple-records (alias)' : 'spf.multiple-records (merged)',
    { places, domain, record, alias: cnames.slice(-1) },
    proof,
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
    mailboxes.every(({ isAuthorized }) => isAuthorized !== false) &&
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
    mailboxes.every((mailbox) => mailbox.terms.every((term) => texts.includes(term)))
  )
}

function isSafeTerm(term: Term): boolean {
  if (!isDirective(term)) return false
  const { kind, qualifier, target, ipv4Prefix, ipv6Prefix } = term
  if (kind === 'all') return qualifier === '-' || qualifier === '~'
  if (qualifier !== '+') return false
  if (kind === 'ip4' || kind === 'ip6') {
    return ipv4Prefix >= NARROW_PREFIX.ipv4 && ipv6Prefix >= NARROW_PREFIX.ipv6
  }
  return kind === 'include' && target !== null && findServiceBySpfHost(target.text) !== null
}
