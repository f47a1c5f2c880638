/** Plans one SPF record with every sender that can align, and no other. */
import type { DnsUnavailable } from '../../../checks/check-result.js'
import { isSpfNearMiss } from '../../../checks/spf/spf-near-miss.js'
import { joinStrings, toDisplayText } from '../../../checks/txt-records.js'
import { isActionable, sendingProfile } from '../../check/check-reports.js'
import type { DomainFacts } from '../discover-domain.js'
import { createPlannedRecord, type Placeholder, type PlannedRecord } from '../planned-record.js'
import type { MailboxProvidersInUse } from '../services-in-use.js'
import { type ComposedSpf, composeSpf, formatSpf, type SpfContext } from './compose-spf.js'
import { explainNonSendingSpf, explainSpf, type SpfChange, spfPrecondition } from './explain-spf.js'
import { createSpfContext, type UsableSpf } from './usable-spf.js'

export interface SpfPlan {
  readonly kind: 'planned'
  readonly record: PlannedRecord
  /** The record has a precondition, so DKIM keys are published before it. */
  readonly keysFirst: boolean
  readonly dropped: ComposedSpf['dropped']
  readonly moved: ComposedSpf['moved']
  /** Terms left out because they cannot be repaired. */
  readonly unreadable: readonly string[]
}

export async function planSpf(
  facts: DomainFacts,
  { repaired, composed: usable }: UsableSpf,
  mailboxProviders: MailboxProvidersInUse,
  sends: boolean,
): Promise<SpfPlan | DnsUnavailable> {
  // A record that allows no server stays, even if the domain sends signed mail.
  if (!sends || isClosed(facts)) return planClosedSpf(facts)
  const context = createSpfContext(facts, mailboxProviders)
  const missing = missingTerms(facts, context, mailboxProviders, usable)
  const complete = missing.length === 0 ? usable : await addTerms(usable, missing, context)
  if (complete.kind === 'unavailable') return complete
  // "-all" without senders would declare a non-sending domain, so it needs that declaration today.
  const isNonSending = sendingProfile(facts.reports) === 'non-sending'
  const allTerm = complete.terms.length > 0 || isNonSending ? repaired.allTerm : '~all'
  const composed: ComposedSpf = { ...complete, allTerm }
  const { dropped, moved, lookups } = composed
  const { unreadable } = repaired
  const isUnchanged = repaired.isAsPublished && formatSpf(composed) === formatSpf(repaired)
  const provider = composed.authorizesSenders
    ? undefined
    : findProviderWithoutTerm(context, mailboxProviders)
  const record = isUnchanged
    ? keepSpf(facts)
    : changeSpf({ composed, missing, unreadable, facts }, provider)
  return toSpfPlan(record, lookups, { dropped, moved, unreadable })
}

function toSpfPlan(
  record: PlannedRecord,
  lookupCount: number,
  changes: Pick<SpfPlan, 'dropped' | 'moved' | 'unreadable'>,
): SpfPlan {
  const keysFirst = record.precondition !== undefined
  // The lookups of a placeholder are unknown.
  const counted = record.placeholders.length > 0 ? record : { ...record, lookupCount }
  return { kind: 'planned', record: counted, keysFirst, ...changes }
}

async function addTerms(
  usable: ComposedSpf,
  missing: readonly string[],
  context: SpfContext,
): Promise<ComposedSpf | DnsUnavailable> {
  const draft = { terms: [...usable.terms, ...missing], allTerm: usable.allTerm }
  const composed = await composeSpf(draft, context)
  if (composed.kind === 'unavailable') return composed
  return {
    ...composed,
    dropped: [...usable.dropped, ...composed.dropped],
    moved: [...usable.moved, ...composed.moved],
    rewritten: [...usable.rewritten, ...composed.rewritten],
  }
}

const SPF_HOST = '{spf-host}'

/** `provider` is a mailbox provider whose include only its customer knows. */
function changeSpf(change: SpfChange, provider: string | undefined): PlannedRecord {
  const { composed, facts } = change
  const terms = provider ? [...composed.terms, `include:${SPF_HOST}`] : composed.terms
  const precondition = spfPrecondition(change)
  return {
    ...changedRecord(facts, formatSpf({ ...composed, terms })),
    why: provider ? `${explainSpf(change)} The include adds its own lookups.` : explainSpf(change),
    ...(precondition && { precondition }),
    placeholders: provider ? [spfHostPlaceholder(provider)] : [],
  }
}

/** A mailbox provider that gives each customer another SPF host. */
function findProviderWithoutTerm(
  { providerTerms }: SpfContext,
  mailboxProviders: MailboxProvidersInUse,
): string | undefined {
  return mailboxProviders.find(
    ({ entry }) => entry.returnPathAtRoot !== 'never' && !providerTerms.has(entry.id),
  )?.entry.name
}

function spfHostPlaceholder(name: string): Placeholder {
  const whereToFind = `The host of the SPF include that ${name} shows for your account. If another service sends your mail, use the include of that service.`
  return { token: SPF_HOST, whereToFind }
}

/** RFC 7208 §10.1.2: a non-sending domain declares that it sends no mail. */
function planClosedSpf(facts: DomainFacts): SpfPlan {
  const { spf } = facts.reports
  const isKept = isClosed(facts) && !spf.issues.some(isActionable)
  const record = isKept
    ? keepSpf(facts)
    : { ...changedRecord(facts, 'v=spf1 -all'), ...explainNonSendingSpf(facts) }
  const changes = { dropped: [], moved: [], unreadable: [] }
  return toSpfPlan(record, isKept ? spf.lookupCount : 0, changes)
}

/** The record has only "-all". */
function isClosed({ spf, reports }: DomainFacts): boolean {
  const isBare = spf.tree.records.every(({ terms }) => terms.every(({ kind }) => kind === 'all'))
  return isBare && reports.spf.valid && reports.spf.allResult === 'fail'
}

function keepSpf(facts: DomainFacts): PlannedRecord {
  const value = facts.reports.spf.record ?? ''
  const why = facts.reports.spf.authorizesSenders
    ? 'It lists the senders and needs no change.'
    : 'It allows no server to send, as it should.'
  return { ...changedRecord(facts, value), action: 'keep', replaces: [], why }
}

function changedRecord({ domain, spf }: DomainFacts, value: string): PlannedRecord {
  const published = new Set(spf.spfRecords)
  const isReplaced = (strings: readonly string[]) =>
    published.has(strings) || isSpfNearMiss(joinStrings(strings))
  const texts = (replaced: boolean) =>
    spf.txtRecords
      .filter((strings) => isReplaced(strings) === replaced)
      .map((strings) => toDisplayText(joinStrings(strings)))
  const replaces = texts(true)
  return {
    ...createPlannedRecord('spf', domain, value),
    action: replaces.length > 0 ? 'replace' : 'create',
    replaces,
    otherValues: texts(false),
  }
}

/** A mailbox provider sends the mail of its mailboxes. A gateway may only receive. */
function missingTerms(
  facts: DomainFacts,
  { providerTerms }: SpfContext,
  mailboxProviders: MailboxProvidersInUse,
  usable: ComposedSpf,
): string[] {
  // A macro-based service decides for each message and includes the providers itself.
  if (facts.spf.nodes.some(({ state }) => state === 'dynamic')) return []
  const isEmpty = !usable.authorizesSenders || usable.hasOnlyUnalignedSenders
  const named = new Set(usable.senders.map(({ id }) => id))
  const terms = mailboxProviders
    .filter(({ entry }) => !named.has(entry.id) && (entry.kind !== 'gateway' || isEmpty))
    .flatMap(({ entry }) => providerTerms.get(entry.id) ?? [])
  if (!isEmpty || terms.length > 0 || mailboxProviders.length > 0) return terms
  const hasOwnServers = facts.mx.targets.some(({ kind }) => kind === 'host')
  return hasOwnServers ? ['mx'] : []
}
