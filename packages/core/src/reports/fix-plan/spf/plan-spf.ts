/** One SPF record: everybody who sends and can align, and nobody else. */
import type { Unavailable } from '../../../checks/checked.js'
import { isNearMiss } from '../../../checks/spf/near-miss.js'
import { joined, shown } from '../../../checks/txt.js'
import { isFault } from '../../check/findings-of.js'
import { profileOf } from '../../check/parts.js'
import type { DomainFacts } from '../domain-facts.js'
import type { Mailboxes } from '../parties.js'
import { type Placeholder, type PlannedRecord, plannedRecord } from '../planned-record.js'
import { type Composed, composeSpf, written } from './compose-spf.js'
import { type LeftOfSpf, placeOf } from './left-of-spf.js'
import { mailboxTerms } from './mailbox-terms.js'
import { cautionOf, lockedUp, type Reasons, whySpf } from './why-spf.js'

export interface SpfPlan {
  readonly kind: 'planned'
  readonly record: PlannedRecord
  readonly dropped: Composed['dropped']
  readonly moved: Composed['moved']
  /** Terms that are gone because nobody can tell what they were to be. */
  readonly unreadable: readonly string[]
}

export async function planSpf(
  facts: DomainFacts,
  { meant, composed: left }: LeftOfSpf,
  mailboxes: Mailboxes,
  sends: boolean,
): Promise<SpfPlan | Unavailable> {
  // What says that no server may send holds, also where mail is signed and passes by that.
  if (!sends || isClosed(facts)) return closed(facts)
  const missing = missingTerms(facts, mailboxes, left)
  const whole = missing.length === 0 ? left : await withMissing(facts, left, missing, mailboxes)
  if (whole.kind !== 'composed') return whole
  // To end in "-all" without naming anybody would say that the domain sends nothing, unless it does.
  const saysNone = profileOf(facts.parts) === 'non-sending'
  const ending = whole.terms.length > 0 || saysNone ? meant.ending : '~all'
  const composed: Composed = { ...whole, ending }
  const { dropped, moved, lookups } = composed
  const { unreadable } = meant
  const isSame = meant.isAsPublished && written(composed) === written(meant)
  const record = isSame
    ? keptRecord(facts)
    : changed(facts, mailboxes, { composed, missing, unreadable, facts })
  return { kind: 'planned', record: withCount(record, lookups), dropped, moved, unreadable }
}

async function withMissing(
  facts: DomainFacts,
  left: Composed,
  missing: readonly string[],
  mailboxes: Mailboxes,
): Promise<Composed | Unavailable> {
  const draft = { terms: [...left.terms, ...missing], ending: left.ending }
  const whole = await composeSpf(draft, placeOf(facts, mailboxes))
  if (whole.kind !== 'composed') return whole
  return {
    ...whole,
    dropped: [...left.dropped, ...whole.dropped],
    moved: [...left.moved, ...whole.moved],
    rewritten: [...left.rewritten, ...whole.rewritten],
  }
}

/** What a host that is yet to be filled in needs, nobody knows. */
function withCount(record: PlannedRecord, lookupCount: number): PlannedRecord {
  return record.placeholders.length > 0 ? record : { ...record, lookupCount }
}

function changed(facts: DomainFacts, mailboxes: Mailboxes, reasons: Reasons): PlannedRecord {
  const { composed } = reasons
  const unknown = composed.authorizesSenders ? undefined : providerWithoutTerm(facts, mailboxes)
  const terms = unknown ? [...composed.terms, `include:${SPF_HOST}`] : composed.terms
  const caution = cautionOf(reasons)
  return {
    ...changedRecord(facts, written({ ...composed, terms })),
    why: unknown ? `${whySpf(reasons)} To these the include adds its own.` : whySpf(reasons),
    ...(caution && { before: caution }),
    placeholders: unknown ? [spfHostOf(unknown)] : [],
  }
}

const SPF_HOST = '{spf-host}'

/** One who runs the mailboxes, but tells each customer another SPF host. */
function providerWithoutTerm(facts: DomainFacts, mailboxes: Mailboxes): string | undefined {
  const known = mailboxTerms(facts, mailboxes)
  return mailboxes.find(({ row }) => !known.has(row.id))?.row.name
}

function spfHostOf(name: string): Placeholder {
  const whereToFind = `The host of the SPF include that ${name} names for your account; if your mail is sent by somebody else, take the include of that service.`
  return { token: SPF_HOST, whereToFind }
}

/** RFC 7208 §10.1.2: a domain that sends nothing says so. */
function closed(facts: DomainFacts): SpfPlan {
  const { spf } = facts.parts
  const isKept = isClosed(facts) && !spf.issues.some(isFault)
  const record = isKept
    ? keptRecord(facts)
    : { ...changedRecord(facts, 'v=spf1 -all'), ...lockedUp(facts) }
  return {
    kind: 'planned',
    record: withCount(record, isKept ? spf.lookupCount : 0),
    dropped: [],
    moved: [],
    unreadable: [],
  }
}

/** Nobody is named, and everybody else fails. */
function isClosed({ spf, parts }: DomainFacts): boolean {
  const isBare = spf.tree.records.every(({ terms }) => terms.every(({ kind }) => kind === 'all'))
  return isBare && parts.spf.valid && parts.spf.allResult === 'fail'
}

function keptRecord(facts: DomainFacts): PlannedRecord {
  const value = facts.parts.spf.record ?? ''
  const why = facts.parts.spf.authorizesSenders
    ? 'It names who sends, and needs no change.'
    : 'It lets nobody send, as it should.'
  return { ...changedRecord(facts, value), action: 'keep', replaces: [], why }
}

function changedRecord({ domain, spf }: DomainFacts, value: string): PlannedRecord {
  const published = new Set(spf.published)
  const isOld = (strings: readonly string[]) =>
    published.has(strings) || isNearMiss(joined(strings))
  const texts = (isWanted: boolean) =>
    spf.texts
      .filter((strings) => isOld(strings) === isWanted)
      .map((strings) => shown(joined(strings)))
  const replaces = texts(true)
  return {
    ...plannedRecord('spf', domain, value),
    action: replaces.length > 0 ? 'replace' : 'create',
    replaces,
    beside: texts(false),
  }
}

/** Whoever runs the mailboxes sends from them. A gateway may, or may only receive. */
function missingTerms(facts: DomainFacts, mailboxes: Mailboxes, left: Composed): string[] {
  // A service that decides for each message names whom it wants.
  if (facts.spf.nodes.some(({ state }) => state === 'dynamic')) return []
  const isEmpty = !left.authorizesSenders || left.isIdle
  const named = new Set(left.senders.map(({ id }) => id))
  const known = mailboxTerms(facts, mailboxes)
  const terms = mailboxes
    .filter(({ row }) => !named.has(row.id) && (row.kind !== 'gateway' || isEmpty))
    .flatMap(({ row }) => known.get(row.id) ?? [])
  if (!isEmpty || terms.length > 0 || mailboxes.length > 0) return terms
  const hasOwnServers = facts.mx.targets.some(({ kind }) => kind === 'host')
  return hasOwnServers ? ['mx'] : []
}
