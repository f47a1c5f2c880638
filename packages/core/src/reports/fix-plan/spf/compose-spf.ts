/** Finds the record to publish: composed, tried out over today's DNS, and mended until it holds. */

import type { Dns } from '@mailgrade/doh/dns'
import type { MailService } from '../../../catalog/mail-services.js'
import type { DnsUnavailable } from '../../../checks/check-result.js'
import { listSpfSenders } from '../../../checks/spf/check-spf.js'
import { discoverSpf, type SpfFacts } from '../../../checks/spf/discover-spf.js'
import type { SpfReport } from '../../../checks/spf/spf-report.js'
import type { DomainName } from '../../../names/domain-name.js'
import { createOverlayDns } from '../../overlay-dns.js'
import { inlineTerms } from './inline-terms.js'
import { type LookupSaving, nextLookupSavings } from './lookup-savings.js'
import { findRemovableTerms, type RemovalReason } from './removable-terms.js'
import { dedupeTerms, type SpfAllTerm } from './repaired-terms.js'

export interface SpfDraft {
  readonly terms: readonly string[]
  readonly allTerm: SpfAllTerm
}

interface Dropped {
  readonly term: string
  readonly doom: RemovalReason
}

interface Moved {
  readonly term: string
  readonly service: MailService | null
}

export interface ComposedSpf extends SpfDraft {
  readonly kind: 'composed'
  readonly value: string
  readonly lookups: number
  readonly authorizesSenders: boolean
  /** Nobody is let send but services that cannot align. */
  readonly hasOnlyUnalignedSenders: boolean
  /** Whom the terms named before any was dropped. */
  readonly senders: SpfReport['senders']
  /** Whom they name in the end. */
  readonly remainingSenders: SpfReport['senders']
  readonly dropped: readonly Dropped[]
  /** For whom there is no room. */
  readonly moved: readonly Moved[]
  /** Terms that say the same in fewer lookups, or that others say already. */
  readonly rewritten: readonly Pick<LookupSaving, 'term' | 'replacement'>[]
}

interface Place {
  readonly dns: Dns
  readonly domain: DomainName
  /** The services that are to stay, whatever they cost. */
  readonly stays: ReadonlySet<string>
  /** Terms that a mailbox provider asks for, whosever hosts they name. */
  readonly asked: ReadonlySet<string>
}

export async function composeSpf(
  draft: SpfDraft,
  place: Place,
): Promise<ComposedSpf | DnsUnavailable> {
  const composed = await compose(draft, place, place.asked)
  if (composed.kind !== 'composed' || composed.authorizesSenders) return composed
  const idle = composed.dropped.filter(({ doom }) => doom === 'unaligned')
  if (idle.length === 0) return composed
  // Without them the record would say that nobody sends, which is worse than a lookup too many.
  const spared = new Set([...place.asked, ...idle.map(({ term }) => term)])
  const whole = await compose(draft, place, spared)
  return whole.kind === 'composed' ? { ...whole, hasOnlyUnalignedSenders: true } : whole
}

/** `spared`: terms that stay although they cannot align. */
async function compose(
  draft: SpfDraft,
  place: Place,
  spared: ReadonlySet<string>,
): Promise<ComposedSpf | DnsUnavailable> {
  const dropped: Dropped[] = []
  const moved: Moved[] = []
  const rewritten: LookupSaving[] = []
  // What has gone does not come back, so that records which lead to each other come to an end.
  const gone = new Set<string>()
  let terms = dedupeTerms(draft.terms)
  let senders: SpfReport['senders'] | null = null
  for (;;) {
    const value = formatSpf({ ...draft, terms })
    const facts = await tried(value, place)
    if ('kind' in facts) return facts
    senders ??= listSpfSenders(facts)
    const change = nextChange(facts, place.stays, spared)
    if (!change) {
      const { lookups } = facts.tree
      const { authorizesSenders } = facts.authorization
      const remainingSenders = listSpfSenders(facts)
      const found = {
        value,
        lookups,
        authorizesSenders,
        hasOnlyUnalignedSenders: false,
        senders,
        remainingSenders,
      }
      return { kind: 'composed', ...draft, terms, ...found, dropped, moved, rewritten }
    }
    for (const term of change.instead.keys()) gone.add(term)
    const next = terms.flatMap((term) => change.instead.get(term) ?? [term])
    terms = dedupeTerms(next).filter((term) => !gone.has(term))
    dropped.push(...change.dropped)
    moved.push(...change.moved)
    rewritten.push(...change.rewritten)
  }
}

export function formatSpf({ terms, allTerm }: SpfDraft): string {
  return ['v=spf1', ...terms, allTerm].join(' ')
}

async function tried(value: string, { dns, domain }: Place): Promise<SpfFacts | DnsUnavailable> {
  const published = createOverlayDns(dns, [{ type: 'TXT', name: domain, value }])
  const discovered = await discoverSpf(published, domain)
  if (discovered.kind === 'facts') return discovered.facts
  if (discovered.kind === 'unavailable') return discovered
  throw new Error('A name with a record does not exist')
}

interface Change {
  /** Terms, and what takes their place. */
  readonly instead: ReadonlyMap<string, readonly string[]>
  readonly dropped: readonly Dropped[]
  readonly moved: readonly Moved[]
  readonly rewritten: readonly LookupSaving[]
}

function nextChange(
  facts: SpfFacts,
  stays: ReadonlySet<string>,
  spared: ReadonlySet<string>,
): Change | null {
  const doomed = [...findRemovableTerms(facts)].filter(
    ([term, doom]) => doom !== 'unaligned' || !spared.has(term),
  )
  if (doomed.length > 0) return withoutDoomed(facts, doomed)
  const savings = nextLookupSavings(facts, stays)
  if (savings.length === 0) return null
  return {
    instead: new Map(savings.map(({ term, replacement }) => [term, replacement])),
    dropped: [],
    moved: savings.filter(({ requiresMove }) => requiresMove),
    rewritten: savings.filter(({ requiresMove }) => !requiresMove),
  }
}

/** A broken record of the domain's own still names people who send: they are taken over. */
function withoutDoomed({ tree }: SpfFacts, doomed: readonly [string, RemovalReason][]): Change {
  const changes = doomed.map(([term, doom]) => {
    const child = tree.children.find((node) => node.term?.text === term)
    const isRead = child?.isOwn && child.state !== 'loop'
    const rescued = doom === 'broken' && isRead ? inlineTerms(child) : null
    return { term, doom, rescued }
  })
  return {
    instead: new Map(changes.map(({ term, rescued }) => [term, rescued ?? []])),
    dropped: changes.filter(({ rescued }) => rescued === null),
    moved: [],
    rewritten: [],
  }
}
