/** Finds what is usable of the published SPF records, valid or not. */

import { findServiceBySpfHost } from '../../../catalog/mail-services.js'
import { findProviderTerms } from '../../../catalog/mailbox-providers.js'
import type { DnsUnavailable } from '../../../checks/check-result.js'
import type { SpfFacts } from '../../../checks/spf/discover-spf.js'
import { isSpfNearMiss, repairSpfNearMiss } from '../../../checks/spf/spf-near-miss.js'
import {
  findAll,
  isWellFormedSpf,
  MECHANISM_TYPOS,
  MECHANISMS,
  parseSpf,
  type SpfRecord,
  type Term,
} from '../../../checks/spf/spf-record.js'
import { joinStrings } from '../../../checks/txt-records.js'
import type { DomainFacts } from '../discover-domain.js'
import { fillTemplate } from '../planned-record.js'
import type { MailboxProvidersInUse } from '../services-in-use.js'
import {
  type ComposedSpf,
  composeSpf,
  dedupeTerms,
  type SpfAllTerm,
  type SpfContext,
} from './compose-spf.js'

export interface UsableSpf {
  readonly kind: 'usable'
  readonly repaired: RepairedTerms
  readonly composed: ComposedSpf
}

export async function findUsableSpf(
  facts: DomainFacts,
  mailboxProviders: MailboxProvidersInUse,
): Promise<UsableSpf | DnsUnavailable> {
  const repaired = repairTerms(facts.spf)
  const composed = await composeSpf(repaired, createSpfContext(facts, mailboxProviders))
  return composed.kind === 'composed' ? { kind: 'usable', repaired, composed } : composed
}

export function createSpfContext(
  facts: DomainFacts,
  mailboxProviders: MailboxProvidersInUse,
): SpfContext {
  const { dns, domain } = facts
  const providerTerms = mailboxProviderTerms(facts, mailboxProviders)
  // A provider may send through another service.
  const hosts = [...providerTerms.values()].flat().map((term) => term.replace(/^[a-z]+:/, ''))
  const serviceIds = hosts.flatMap((host) => findServiceBySpfHost(host)?.id ?? [])
  return {
    dns,
    domain,
    keptServiceIds: new Set([...mailboxProviders.map(({ entry }) => entry.id), ...serviceIds]),
    providerTerms,
  }
}

/** Whether the records name a sender, even if receivers cannot read them. */
export function hasNamedSenders({ repaired, composed }: UsableSpf): boolean {
  const { authorizesSenders, senders, dropped, moved } = composed
  const hasRemovedSender = dropped.some(
    ({ term, reason }) => reason !== 'matches-nothing' || /^\+?include:/i.test(term),
  )
  const hasOtherSender = senders.length + moved.length + repaired.unreadable.length > 0
  return authorizesSenders || hasRemovedSender || hasOtherSender
}

/** By provider id; without providers that give each customer another term. */
function mailboxProviderTerms(
  { domain, mx }: DomainFacts,
  mailboxProviders: MailboxProvidersInUse,
): ReadonlyMap<string, readonly string[]> {
  const hosts = mx.targets.map(({ exchange }) => exchange)
  return new Map(
    mailboxProviders.flatMap(({ entry }) => {
      const terms = findProviderTerms(entry, hosts).map((term) => fillTemplate(term, domain))
      return terms.length === 0 ? [] : [[entry.id, terms] as const]
    }),
  )
}

interface RepairedTerms {
  /** In order, without duplicates and `all`. */
  readonly terms: readonly string[]
  readonly allTerm: SpfAllTerm
  /** Terms that cannot be repaired. */
  readonly unreadable: readonly string[]
  /** Whether receivers read the same record today. */
  readonly isAsPublished: boolean
}

function repairTerms({ spfRecords, txtRecords, defaultResult }: SpfFacts): RepairedTerms {
  const records = repairRecords(spfRecords.map(joinStrings), txtRecords.map(joinStrings))
  const repaired = records
    .flatMap(({ terms }) => terms)
    .map((term) => ({ term, repairs: repairTerm(term) }))
  const terms = dedupeTerms(repaired.flatMap(({ repairs }) => repairs ?? []))
  const [only, ...others] = spfRecords.length === 0 ? [] : records
  const isClosed = defaultResult.kind === 'all' && /[-~]/.test(defaultResult.term.qualifier)
  return {
    terms,
    allTerm: isStrict(records, defaultResult) ? '-all' : '~all',
    unreadable: repaired.flatMap(({ term, repairs }) => (repairs ? [] : [term.text])),
    isAsPublished:
      only !== undefined && others.length === 0 && isClosed && isOrderly(only, terms.length),
  }
}

/** Near misses are used only if there is no SPF record. */
function repairRecords(published: readonly string[], texts: readonly string[]): SpfRecord[] {
  if (published.length > 0) return published.map(parseSpf)
  return texts.filter(isSpfNearMiss).flatMap((text) => {
    const repaired = repairSpfNearMiss(text)
    return repaired ? [parseSpf(repaired)] : []
  })
}

/** Well-formed, without duplicates, without terms after `all` or a redirect beside it. */
function isOrderly(record: SpfRecord, termCount: number): boolean {
  const end = record.terms.findIndex(({ kind }) => kind === 'all')
  const isLast = end === -1 || end === record.terms.length - 1
  const hasNoRedirect = end === -1 || record.terms.every(({ kind }) => kind !== 'redirect')
  const published = record.terms.filter(({ kind }) => kind !== 'all').length
  return isWellFormedSpf(record.text) && isLast && hasNoRedirect && published === termCount
}

/** Never weaker than today. Of several records the weakest counts: receivers use none of them. */
function isStrict(
  records: readonly SpfRecord[],
  defaultResult: SpfFacts['defaultResult'],
): boolean {
  if (records.length === 1 && defaultResult.kind === 'all')
    return defaultResult.term.qualifier === '-'
  return records.length > 0 && records.every((record) => findAll(record)?.qualifier === '-')
}

/** The repaired term; null if it cannot be repaired. */
function repairTerm(term: Term): string[] | null {
  if (term.kind === 'all') return []
  // A redirect is ignored beside `all`, and otherwise brings the `all` of its target; an include does neither.
  if (term.kind === 'redirect') return [`include:${term.target.text}`]
  if (term.kind === 'unknown-modifier') return [repairMechanism(term.text) ?? term.text]
  if (term.kind !== 'invalid') return [term.text]
  if (withoutSeparators(term.text) === '') return []
  const repaired = repairMechanism(term.text)
  if (repaired && /^[+?~-]?all$/i.test(repaired)) return []
  return repaired ? [repaired] : null
}

/** Terms are separated by spaces only (RFC 7208 §4.6.1). */
function withoutSeparators(text: string): string {
  return text.replace(/^[,;]{1,8}|[,;]{1,8}$/g, '')
}

const MISSPELLED_TERM = /^([+?~-]?)([a-z\d]+)[=:](.+)$/is
const BARE_ADDRESS = /^\+?((?:\d{1,3}\.){3}\d{1,3}(?:\/\d+)?)$/

/** Repairs `ipv4:192.0.2.1`, `include=example.com`, `192.0.2.1`, `ip4:192.0.2.1;`. */
function repairMechanism(original: string): string | null {
  const text = withoutSeparators(original)
  if (text !== original && isWellFormedSpf(`v=spf1 ${text}`)) return text
  const address = BARE_ADDRESS.exec(text)?.[1]
  const [, qualifier = '', name = '', rest = ''] = MISSPELLED_TERM.exec(text) ?? []
  const known = MECHANISM_TYPOS.get(name.toLowerCase()) ?? name.toLowerCase()
  const isMechanism = (MECHANISMS as readonly string[]).includes(known)
  const guess = address ? `ip4:${address}` : isMechanism ? `${qualifier}${known}:${rest}` : null
  return guess && isWellFormedSpf(`v=spf1 ${guess}`) ? guess : null
}
