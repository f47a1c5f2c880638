/** What is left of the SPF records that stand there, once it is tried out. */

import type { MailboxProvider } from '../../../catalog/mailbox-providers.js'
import type { DnsUnavailable } from '../../../checks/check-result.js'
import type { SpfFacts } from '../../../checks/spf/discover-spf.js'
import { isWellFormedSpf, MECHANISM_TYPOS, parseSpf } from '../../../checks/spf/parse-spf.js'
import { isSpfNearMiss, repairSpfNearMiss } from '../../../checks/spf/spf-near-miss.js'
import { findAll, MECHANISMS, type SpfRecord, type Term } from '../../../checks/spf/spf-record.js'
import { joinStrings } from '../../../checks/txt-records.js'
import type { DomainFacts } from '../discover-domain.js'
import { fillTemplate } from '../planned-record.js'
import type { MailboxProvidersInUse } from '../services-in-use.js'
import { type ComposedSpf, composeSpf, dedupeTerms, type SpfAllTerm } from './compose-spf.js'

export interface UsableSpf {
  readonly kind: 'left'
  readonly repaired: RepairedTerms
  readonly composed: ComposedSpf
}

export async function findUsableSpf(
  facts: DomainFacts,
  mailboxes: MailboxProvidersInUse,
): Promise<UsableSpf | DnsUnavailable> {
  const meant = repairTerms(facts.spf)
  const composed = await composeSpf(meant, createSpfContext(facts, mailboxes))
  return composed.kind === 'composed' ? { kind: 'left', repaired: meant, composed } : composed
}

export function createSpfContext(facts: DomainFacts, mailboxes: MailboxProvidersInUse) {
  const { dns, domain } = facts
  return {
    dns,
    domain,
    stays: new Set(mailboxes.map(({ entry }) => entry.id)),
    asked: new Set(mailboxProviderTerms(facts, mailboxes).values()),
  }
}

function isInclude(term: string): boolean {
  return /^\+?include:/i.test(term)
}

/** Whether the records name anybody, though receivers may not be able to read it. */
export function hasNamedSenders({ repaired, composed }: UsableSpf): boolean {
  const { authorizesSenders, senders, dropped, moved } = composed
  const isSomebody = dropped.some(({ term, doom }) => doom !== 'dead' || isInclude(term))
  const isMeant = senders.length + moved.length + repaired.unreadable.length > 0
  return authorizesSenders || isSomebody || isMeant
}

/** By id of the provider; none for one who tells each customer another. */
export function mailboxProviderTerms(
  { domain, mx }: DomainFacts,
  mailboxes: MailboxProvidersInUse,
): ReadonlyMap<string, string> {
  const hosts = mx.targets.map(({ exchange }) => exchange)
  return new Map(
    mailboxes.flatMap(({ entry }) => {
      const term = termOf(entry, hosts)
      return term === null ? [] : [[entry.id, fillTemplate(term, domain)] as const]
    }),
  )
}

function termOf({ setup }: MailboxProvider, hosts: readonly string[]): string | null {
  const isUnder = (pattern: string) =>
    hosts.some((host) => host === pattern || host.endsWith(`.${pattern}`))
  return setup.spf.find(({ forMx }) => forMx === undefined || isUnder(forMx))?.term ?? null
}

export interface RepairedTerms {
  /** Each once, in order, without `all`. */
  readonly terms: readonly string[]
  readonly allTerm: SpfAllTerm
  /** Terms of which nobody can tell what they were to be. */
  readonly unreadable: readonly string[]
  /** Whether receivers read the same today. */
  readonly isAsPublished: boolean
}

export function repairTerms({ spfRecords, txtRecords, defaultResult }: SpfFacts): RepairedTerms {
  const records = meantRecords(spfRecords.map(joinStrings), txtRecords.map(joinStrings))
  const read = records.flatMap(({ terms }) => terms).map((term) => [term, meaningOf(term)] as const)
  const terms = dedupeTerms(read.flatMap(([, meaning]) => meaning ?? []))
  const [only, ...others] = spfRecords.length === 0 ? [] : records
  const isClosed = defaultResult.kind === 'all' && /[-~]/.test(defaultResult.term.qualifier)
  return {
    terms,
    allTerm: isStrict(records, defaultResult) ? '-all' : '~all',
    unreadable: read.flatMap(([term, meaning]) => (meaning ? [] : [term.text])),
    isAsPublished:
      only !== undefined && others.length === 0 && isClosed && isOrderly(only, terms.length),
  }
}

/** Near misses count only where nothing else does: beside a record that counts, nobody misses them. */
function meantRecords(published: readonly string[], texts: readonly string[]): SpfRecord[] {
  if (published.length > 0) return published.map(parseSpf)
  return texts.filter(isSpfNearMiss).flatMap((text) => {
    const meant = repairSpfNearMiss(text)
    return meant ? [parseSpf(meant)] : []
  })
}

/** Nothing in it is broken, said twice, or left behind an `all` or beside it. */
function isOrderly(record: SpfRecord, meant: number): boolean {
  const end = record.terms.findIndex(({ kind }) => kind === 'all')
  const isLast = end === -1 || end === record.terms.length - 1
  const isAlone = end === -1 || record.terms.every(({ kind }) => kind !== 'redirect')
  const said = record.terms.filter(({ kind }) => kind !== 'all').length
  return isWellFormedSpf(record.text) && isLast && isAlone && said === meant
}

/** Never weaker than today; of several records the mildest, for receivers obey none of them. */
function isStrict(records: readonly SpfRecord[], ending: SpfFacts['defaultResult']): boolean {
  if (records.length === 1 && ending.kind === 'all') return ending.term.qualifier === '-'
  return records.length > 0 && records.every((record) => findAll(record)?.qualifier === '-')
}

/** The term as it should be written; nothing where that cannot be told. */
function meaningOf(term: Term): string[] | null {
  if (term.kind === 'all') return []
  // Beside other terms a redirect is ignored or ends in somebody else's `all`; an include does neither.
  if (term.kind === 'redirect') return [`include:${term.target.text}`]
  if (term.kind === 'unknown-modifier') return [mechanismOf(term.text) ?? term.text]
  if (term.kind !== 'invalid') return [term.text]
  if (withoutMarks(term.text) === '') return []
  const mended = mechanismOf(term.text)
  if (mended && /^[+?~-]?all$/i.test(mended)) return []
  return mended ? [mended] : null
}

/** What people put between terms, where only a space belongs (RFC 7208 §4.6.1). */
function withoutMarks(text: string): string {
  return text.replace(/^[,;]{1,8}|[,;]{1,8}$/g, '')
}

const WRITTEN_OTHERWISE = /^([+?~-]?)([a-z\d]+)[=:](.+)$/is
const BARE_ADDRESS = /^\+?((?:\d{1,3}\.){3}\d{1,3}(?:\/\d+)?)$/

/** `ipv4:192.0.2.1`, `include=example.com`, `192.0.2.1`, `ip4:192.0.2.1;`. */
function mechanismOf(written: string): string | null {
  const text = withoutMarks(written)
  if (text !== written && isWellFormedSpf(`v=spf1 ${text}`)) return text
  const address = BARE_ADDRESS.exec(text)?.[1]
  const [, qualifier = '', name = '', rest = ''] = WRITTEN_OTHERWISE.exec(text) ?? []
  const known = MECHANISM_TYPOS.get(name.toLowerCase()) ?? name.toLowerCase()
  const isMechanism = (MECHANISMS as readonly string[]).includes(known)
  const guess = address ? `ip4:${address}` : isMechanism ? `${qualifier}${known}:${rest}` : null
  return guess && isWellFormedSpf(`v=spf1 ${guess}`) ? guess : null
}
