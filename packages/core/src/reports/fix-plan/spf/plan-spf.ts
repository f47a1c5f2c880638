/** One SPF record: everybody who sends and can align, and nobody else. */
import type { DnsUnavailable } from '../../../checks/check-result.js'
import { isSpfNearMiss } from '../../../checks/spf/spf-near-miss.js'
import { joinStrings, toDisplayText } from '../../../checks/txt-records.js'
import { isActionable, sendingProfile } from '../../check/check-reports.js'
import type { DomainFacts } from '../discover-domain.js'
import { createPlannedRecord, type Placeholder, type PlannedRecord } from '../planned-record.js'
import type { MailboxProvidersInUse } from '../services-in-use.js'
import { type ComposedSpf, composeSpf, formatSpf } from './compose-spf.js'
import { explainNonSendingSpf, explainSpf, type SpfChange, spfPrecondition } from './explain-spf.js'
import { createSpfContext, mailboxProviderTerms, type UsableSpf } from './usable-spf.js'

export interface SpfPlan {
  readonly kind: 'planned'
  readonly record: PlannedRecord
  readonly dropped: ComposedSpf['dropped']
  readonly moved: ComposedSpf['moved']
  /** Terms that are gone because nobody can tell what they were to be. */
  readonly unreadable: readonly string[]
}

export async function planSpf(
  facts: DomainFacts,
  { repaired, composed: left }: UsableSpf,
  mailboxes: MailboxProvidersInUse,
  sends: boolean,
): Promise<SpfPlan | DnsUnavailable> {
  // What says that no server may send holds, also where mail is signed and passes by that.
  if (!sends || isClosed(facts)) return closed(facts)
  const missing = missingTerms(facts, mailboxes, left)
  const whole = missing.length === 0 ? left : await withMissing(facts, left, missing, mailboxes)
  if (whole.kind !== 'composed') return whole
  // To end in "-all" without naming anybody would say that the domain sends nothing, unless it does.
  const saysNone = sendingProfile(facts.reports) === 'non-sending'
  const allTerm = whole.terms.length > 0 || saysNone ? repaired.allTerm : '~all'
  const composed: ComposedSpf = { ...whole, allTerm: allTerm }
  const { dropped, moved, lookups } = composed
  const { unreadable } = repaired
  const isSame = repaired.isAsPublished && formatSpf(composed) === formatSpf(repaired)
  const record = isSame
    ? keptRecord(facts)
    : changed(facts, mailboxes, { composed, missing, unreadable, facts })
  return { kind: 'planned', record: withCount(record, lookups), dropped, moved, unreadable }
}

async function withMissing(
  facts: DomainFacts,
  left: ComposedSpf,
  missing: readonly string[],
  mailboxes: MailboxProvidersInUse,
): Promise<ComposedSpf | DnsUnavailable> {
  const draft = { terms: [...left.terms, ...missing], allTerm: left.allTerm }
  const whole = await composeSpf(draft, createSpfContext(facts, mailboxes))
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

function changed(
  facts: DomainFacts,
  mailboxes: MailboxProvidersInUse,
  reasons: SpfChange,
): PlannedRecord {
  const { composed } = reasons
  const unknown = composed.authorizesSenders ? undefined : providerWithoutTerm(facts, mailboxes)
  const terms = unknown ? [...composed.terms, `include:${SPF_HOST}`] : composed.terms
  const caution = spfPrecondition(reasons)
  return {
    ...changedRecord(facts, formatSpf({ ...composed, terms })),
    why: unknown
      ? `${explainSpf(reasons)} To these the include adds its own.`
      : explainSpf(reasons),
    ...(caution && { precondition: caution }),
    placeholders: unknown ? [spfHostOf(unknown)] : [],
  }
}

const SPF_HOST = '{spf-host}'

/** One who runs the mailboxes, but tells each customer another SPF host. */
function providerWithoutTerm(
  facts: DomainFacts,
  mailboxes: MailboxProvidersInUse,
): string | undefined {
  const known = mailboxProviderTerms(facts, mailboxes)
  return mailboxes.find(({ entry }) => !known.has(entry.id))?.entry.name
}

function spfHostOf(name: string): Placeholder {
  const whereToFind = `The host of the SPF include that ${name} names for your account; if your mail is sent by somebody else, take the include of that service.`
  return { token: SPF_HOST, whereToFind }
}

/** RFC 7208 §10.1.2: a domain that sends nothing says so. */
function closed(facts: DomainFacts): SpfPlan {
  const { spf } = facts.reports
  const isKept = isClosed(facts) && !spf.issues.some(isActionable)
  const record = isKept
    ? keptRecord(facts)
    : { ...changedRecord(facts, 'v=spf1 -all'), ...explainNonSendingSpf(facts) }
  return {
    kind: 'planned',
    record: withCount(record, isKept ? spf.lookupCount : 0),
    dropped: [],
    moved: [],
    unreadable: [],
  }
}

/** Nobody is named, and everybody else fails. */
function isClosed({ spf, reports }: DomainFacts): boolean {
  const isBare = spf.tree.records.every(({ terms }) => terms.every(({ kind }) => kind === 'all'))
  return isBare && reports.spf.valid && reports.spf.allResult === 'fail'
}

function keptRecord(facts: DomainFacts): PlannedRecord {
  const value = facts.reports.spf.record ?? ''
  const why = facts.reports.spf.authorizesSenders
    ? 'It names who sends, and needs no change.'
    : 'It lets nobody send, as it should.'
  return { ...changedRecord(facts, value), action: 'keep', replaces: [], why }
}

function changedRecord({ domain, spf }: DomainFacts, value: string): PlannedRecord {
  const published = new Set(spf.spfRecords)
  const isOld = (strings: readonly string[]) =>
    published.has(strings) || isSpfNearMiss(joinStrings(strings))
  const texts = (isWanted: boolean) =>
    spf.txtRecords
      .filter((strings) => isOld(strings) === isWanted)
      .map((strings) => toDisplayText(joinStrings(strings)))
  const replaces = texts(true)
  return {
    ...createPlannedRecord('spf', domain, value),
    action: replaces.length > 0 ? 'replace' : 'create',
    replaces,
    otherValues: texts(false),
  }
}

/** Whoever runs the mailboxes sends from them. A gateway may, or may only receive. */
function missingTerms(
  facts: DomainFacts,
  mailboxes: MailboxProvidersInUse,
  left: ComposedSpf,
): string[] {
  // A service that decides for each message names whom it wants.
  if (facts.spf.nodes.some(({ state }) => state === 'dynamic')) return []
  const isEmpty = !left.authorizesSenders || left.hasOnlyUnalignedSenders
  const named = new Set(left.senders.map(({ id }) => id))
  const known = mailboxProviderTerms(facts, mailboxes)
  const terms = mailboxes
    .filter(({ entry }) => !named.has(entry.id) && (entry.kind !== 'gateway' || isEmpty))
    .flatMap(({ entry }) => known.get(entry.id) ?? [])
  if (!isEmpty || terms.length > 0 || mailboxes.length > 0) return terms
  const hasOwnServers = facts.mx.targets.some(({ kind }) => kind === 'host')
  return hasOwnServers ? ['mx'] : []
}
