/** Plans one SPF record that names every sender and takes no pass away from any of them. */
import type { DnsUnavailable } from '../../../checks/check-result.js'
import { formatFullList } from '../../../checks/format-list.js'
import { discoverSpf, type SpfFacts } from '../../../checks/spf/discover-spf.js'
import { LOOKUP_LIMIT } from '../../../checks/spf/spf-limits.js'
import { isSpfNearMiss } from '../../../checks/spf/spf-near-miss.js'
import { joinStrings } from '../../../checks/txt-records.js'
import { findUnknownMailHost, hasOwnMailServers } from '../../../streams/own-servers.js'
import { isActionable } from '../../check/check-reports.js'
import { createOverlayDns } from '../../overlay-dns.js'
import { toExactText } from '../../record-data.js'
import type { DomainFacts } from '../discover-domain.js'
import type { FixPlan } from '../fix-plan-report.js'
import type { PlanContext } from '../plan-context.js'
import { createPlannedRecord, type PlannedRecord } from '../planned-record.js'
import {
  type ComposedSpf,
  composeSpf,
  discoverDraft,
  formatSpf,
  type SpfContext,
} from './compose-spf.js'
import {
  explainKeptSpf,
  explainNonSendingSpf,
  explainSpf,
  spfCondition,
  type TermPlaceholder,
} from './explain-spf.js'
import { findLostSenders, isCovered, testSenders } from './sender-safety.js'
import { createSpfContext, termsOfNamedServices, type UsableSpf } from './usable-spf.js'

export interface SpfPlan {
  readonly kind: 'planned'
  readonly record: PlannedRecord
  readonly dropped: ComposedSpf['dropped']
  readonly leftOut: ComposedSpf['leftOut']
  /** Terms left out because they cannot be repaired. */
  readonly unreadable: readonly string[]
  /** Terms without effect today, which stay without effect. */
  readonly ignored: readonly string[]
  /** Senders that would no longer pass if the record were within the limits, so it stays. */
  readonly crowdedOut: readonly string[]
  /** Includes that stay although their operators have to repair them. */
  readonly faulty: ComposedSpf['faulty']
  readonly noRoom: NoRoom | null
  readonly tested: FixPlan['safety']['tested']
}

/** Terms that the record lacks and that do not fit beside those that pass today. */
interface NoRoom {
  readonly terms: ComposedSpf['leftOut']
  /** The lookups that the other terms may need if these are to fit. */
  readonly room: number
}

type Changes = Omit<SpfPlan, 'kind' | 'record' | 'tested'>

const NO_CHANGES: Changes = {
  dropped: [],
  leftOut: [],
  unreadable: [],
  ignored: [],
  crowdedOut: [],
  faulty: [],
  noRoom: null,
}

export async function planSpf(
  context: PlanContext,
  usableSpf: UsableSpf,
): Promise<SpfPlan | DnsUnavailable> {
  const plan = await choosePlan(context, usableSpf)
  return plan.kind === 'unavailable' ? plan : withTests(plan, context)
}

async function choosePlan(
  planContext: PlanContext,
  { repaired, composed: usable }: UsableSpf,
): Promise<SpfPlan | DnsUnavailable> {
  const { facts, services, mailUse, answers } = planContext
  const { mailboxProviders } = services
  const unusedIds = new Set(answers.unused)
  const context = createSpfContext(facts, { mailboxProviders, unusedIds })
  const lacking = mailUse.sends ? missingTerms(planContext, context, usable) : []
  const wanted = await withoutCovered(lacking, usable, context)
  if ('kind' in wanted) return wanted
  // A record that allows no server stays, unless a mailbox provider is missing in it.
  if (!mailUse.sends || (isClosed(facts) && wanted.length === 0)) return planClosedSpf(planContext)
  const fitting = await fitTerms(usable, wanted, context)
  if (fitting.kind === 'unavailable') return fitting
  const { missing, noRoom } = fitting
  const completed = await completeSpf(usable, missing, context, planContext)
  if (completed.kind === 'unavailable') return completed
  const { composed, placeholder } = completed
  const { dropped, leftOut, lookups, faulty } = composed
  const { unreadable, ignored } = repaired
  const changes = { ...NO_CHANGES, dropped, leftOut, unreadable, ignored, faulty, noRoom }
  const isUnchanged = repaired.isAsPublished && formatSpf(composed) === formatSpf(repaired)
  if (isUnchanged && placeholder === null) {
    const kept = keepSpf(planContext)
    const why = explainKeptSpf(kept.why, faulty, noRoom?.terms.map(({ term }) => term) ?? [])
    return toSpfPlan({ ...kept, why }, lookups, changes)
  }
  const lost = findLostSenders(facts.spf, composed.facts, unusedIds).map(({ name }) => name)
  if (lost.length > 0) return keepForSenders(planContext, lost, faulty)
  const change = { composed, missing, repaired, planContext, placeholder }
  const terms = placeholder ? [...composed.terms, placeholder.term] : composed.terms
  const record: PlannedRecord = {
    ...changedRecord(facts, formatSpf({ ...composed, terms })),
    why: explainSpf(change),
    onlyIf: spfCondition(change),
    placeholders: placeholder ? [placeholder.placeholder] : [],
  }
  return toSpfPlan(record, lookups, changes)
}

/** Every change of the record would cost a sender its pass. */
function keepForSenders(
  context: PlanContext,
  lost: readonly string[],
  faulty: ComposedSpf['faulty'],
): SpfPlan {
  const { lookupCount } = context.facts.reports.spf
  const isTooLong = lookupCount > LOOKUP_LIMIT
  const why = isTooLong
    ? `It needs ${lookupCount} lookups, but receivers stop after 10 (RFC 7208 §4.6.4). Any shorter record would make a sender fail, so this one stays until there’s room.`
    : `It stays as it is, because a change would make a sender fail: ${formatFullList(lost)}.`
  const changes = { ...NO_CHANGES, crowdedOut: isTooLong ? lost : [], faulty }
  return toSpfPlan({ ...keepSpf(context), why }, lookupCount, changes)
}

/** Without providers whose servers all pass anyway, such as those of a flattened include. */
async function withoutCovered(
  terms: readonly string[],
  { facts, allTerm }: ComposedSpf,
  context: SpfContext,
): Promise<readonly string[] | DnsUnavailable> {
  // Where everyone passes, no term shows who was meant.
  if (facts.authorization.openTerms.length > 0) return terms
  const wanted: string[] = []
  const ofProviders = new Set([...context.providerTerms.values()].flat())
  for (const term of terms) {
    const alone = await discoverDraft(formatSpf({ terms: [term], allTerm }), context)
    if (alone.kind === 'unavailable') return alone
    if (!ofProviders.has(term) || !isCovered(alone.facts, facts)) wanted.push(term)
  }
  return wanted
}

interface FittingTerms {
  readonly kind: 'fitting'
  readonly missing: readonly string[]
  readonly noRoom: NoRoom | null
}

/** No sender that passes today makes room for one that does not. */
async function fitTerms(
  usable: ComposedSpf,
  wanted: readonly string[],
  context: SpfContext,
): Promise<FittingTerms | DnsUnavailable> {
  if (wanted.length === 0) return { kind: 'fitting', missing: wanted, noRoom: null }
  const composed = await addTerms(usable, wanted, context)
  if (composed.kind === 'unavailable') return composed
  const terms = composed.leftOut.filter(({ term }) => wanted.includes(term))
  // A term that leads nowhere today is not worth a place, nor a question to the owner.
  const dropped = new Set(composed.dropped.map(({ term }) => term))
  const usableTerms = wanted.filter((term) => !dropped.has(term))
  if (terms.length === 0) return { kind: 'fitting', missing: usableTerms, noRoom: null }
  const outside = terms.map(({ term }) => term)
  const alone = await composeSpf({ terms: outside, allTerm: usable.allTerm }, context)
  if (alone.kind === 'unavailable') return alone
  const room = Math.max(LOOKUP_LIMIT - alone.lookups, 0)
  const missing = usableTerms.filter((term) => !outside.includes(term))
  return { kind: 'fitting', missing, noRoom: { terms, room } }
}

interface CompletedSpf {
  readonly kind: 'completed'
  readonly composed: ComposedSpf
  readonly placeholder: TermPlaceholder | null
}

/** With the terms of the mailbox providers. A record must authorize someone, or have a placeholder. */
async function completeSpf(
  usable: ComposedSpf,
  missing: readonly string[],
  context: SpfContext,
  planContext: PlanContext,
): Promise<CompletedSpf | DnsUnavailable> {
  const composed = missing.length === 0 ? usable : await addTerms(usable, missing, context)
  if (composed.kind === 'unavailable') return composed
  if (composed.authorizesSenders) return { kind: 'completed', composed, placeholder: null }
  if (!isWebServerOnly(planContext)) {
    return { kind: 'completed', composed, placeholder: findPlaceholder(planContext) }
  }
  const withServer = await addTerms(composed, ['a'], context)
  if (withServer.kind === 'unavailable') return withServer
  return { kind: 'completed', composed: withServer, placeholder: null }
}

function toSpfPlan(record: PlannedRecord, lookupCount: number, changes: Changes): SpfPlan {
  // The lookups of a placeholder are unknown.
  const counted = record.placeholders.length > 0 ? record : { ...record, lookupCount }
  return { kind: 'planned', record: counted, ...changes, tested: [] }
}

/** Evaluates SPF for the senders of today's and of the planned record. */
async function withTests(
  plan: SpfPlan,
  { facts, answers }: PlanContext,
): Promise<SpfPlan | DnsUnavailable> {
  const { dns, domain, spf } = facts
  const { record } = plan
  const unusedIds = new Set(answers.unused)
  const today = { dns, facts: spf }
  // What a placeholder stands for cannot be tested.
  const value = record.placeholders.reduce(
    (text, { token }) => text.replace(new RegExp(` \\S*${escapeRegExp(token)}`), ''),
    record.value,
  )
  const overlay = createOverlayDns(dns, [{ type: 'TXT', name: domain, value }])
  const planned = record.action === 'keep' ? today : await discoverPlanned(overlay, facts)
  if ('kind' in planned) return planned
  return { ...plan, tested: await testSenders(today, planned, unusedIds) }
}

function escapeRegExp(text: string): string {
  return text.replace(/[{}]/g, '\\$&')
}

async function discoverPlanned(
  dns: DomainFacts['dns'],
  { domain, spf }: DomainFacts,
): Promise<{ readonly dns: DomainFacts['dns']; readonly facts: SpfFacts } | DnsUnavailable> {
  const discovered = await discoverSpf(dns, domain)
  if (discovered.kind === 'unavailable') return discovered
  return { dns, facts: discovered.kind === 'facts' ? discovered.facts : spf }
}

async function addTerms(
  usable: ComposedSpf,
  missing: readonly string[],
  context: SpfContext,
): Promise<ComposedSpf | DnsUnavailable> {
  const draft = {
    terms: [
      ...usable.terms.map((term) => raiseQualifier(term, missing)),
      ...missing,
      ...usable.leftOut.map(({ term }) => term),
    ],
    allTerm: usable.allTerm,
  }
  const composed = await composeSpf(draft, context)
  if (composed.kind === 'unavailable') return composed
  return {
    ...composed,
    dropped: [...usable.dropped, ...composed.dropped],
    rewritten: [...usable.rewritten, ...composed.rewritten],
    moved: [...new Set([...usable.moved, ...composed.moved])],
  }
}

/** `include:` instead of `?include:`, which would match first and let no one pass. */
function raiseQualifier(term: string, missing: readonly string[]): string {
  const raised = term.replace(/^[?~]/, '')
  return missing.includes(raised.toLowerCase()) ? raised : term
}

/** Only the web server can be the sender: there is a key, but no mail server and no service. */
function isWebServerOnly({ facts, services }: PlanContext): boolean {
  const { mx, dkim } = facts
  const isWebHost = mx.targets.length === 0 && mx.domainAddresses.length > 0
  return isWebHost && services.senders.length === 0 && dkim.keys.length > 0
}

/** For a record that would authorize no one: what the mailbox provider or the owner knows. */
function findPlaceholder({ facts, services }: PlanContext): TermPlaceholder {
  const provider = services.mailboxProviders.find(
    ({ entry }) => entry.kind !== 'forwarder' && entry.returnPathAtRoot !== 'never',
  )?.entry
  if (provider) {
    const token = `{${provider.id}-spf-host}`
    const whereToFind = `The name after include: in the SPF record that ${provider.name} shows for your account.`
    return { term: `include:${token}`, placeholder: { token, whereToFind } }
  }
  const host = findUnknownMailHost(facts)
  const ask = host
    ? `Ask the operator of ${host} which SPF term to use.`
    : 'Ask the person who set up the service that sends your mail.'
  const whereToFind = `The SPF terms for the servers that send with ${facts.domain} in the Return-Path, such as include:spf.example.com or ip4:192.0.2.1. ${ask} If there are none, remove the placeholder.`
  return { term: '{your-senders}', placeholder: { token: '{your-senders}', whereToFind } }
}

/** RFC 7208 §10.1.2: a non-sending domain declares that it sends no mail. */
function planClosedSpf(context: PlanContext): SpfPlan {
  const { facts } = context
  const { spf } = facts.reports
  const isKept = isClosed(facts) && !spf.issues.some(isActionable)
  const record = isKept
    ? keepSpf(context)
    : { ...changedRecord(facts, 'v=spf1 -all'), ...explainNonSendingSpf(facts) }
  return toSpfPlan(record, isKept ? spf.lookupCount : 0, NO_CHANGES)
}

/** The record has only "-all". */
function isClosed({ spf, reports }: DomainFacts): boolean {
  const isBare = spf.tree.records.every(({ terms }) => terms.every(({ kind }) => kind === 'all'))
  return isBare && reports.spf.valid && reports.spf.allResult === 'fail'
}

function keepSpf({ facts, mailUse }: PlanContext): PlannedRecord {
  const { spf } = facts.reports
  return {
    ...changedRecord(facts, spf.record ?? ''),
    action: 'keep',
    replaces: [],
    why: spf.authorizesSenders
      ? 'It lists your senders.'
      : mailUse.sends
        ? `It doesn’t allow any server to use ${facts.domain} in the Return-Path, so your mail passes DMARC with DKIM alone.`
        : 'It declares that no server sends for the domain.',
  }
}

function changedRecord({ domain, spf }: DomainFacts, value: string): PlannedRecord {
  const published = new Set(spf.spfRecords)
  const isReplaced = (strings: readonly string[]) =>
    published.has(strings) || isSpfNearMiss(joinStrings(strings))
  const texts = (replaced: boolean) =>
    spf.txtRecords
      .filter((strings) => isReplaced(strings) === replaced)
      .map((strings) => toExactText(joinStrings(strings)))
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
  planContext: PlanContext,
  { providerTerms }: SpfContext,
  usable: ComposedSpf,
): string[] {
  const { facts, services } = planContext
  const { mailboxProviders } = services
  // A macro-based service decides for each message and includes the providers itself.
  if (usable.facts.nodes.some(({ state }) => state === 'dynamic')) return []
  const isEmpty = !usable.authorizesSenders
  const passing = new Set(
    usable.senders.filter(({ via }) => !/^[?~-]/.test(via)).map(({ id }) => id),
  )
  const named = [...termsOfNamedServices(planContext)]
    .filter(([, { id }]) => !passing.has(id))
    .map(([term]) => term)
  const ofProviders = mailboxProviders
    .filter(({ entry }) => !passing.has(entry.id))
    .filter(({ entry }) => entry.kind === 'mailbox' || isEmpty)
    .flatMap(({ entry }) => providerTerms.get(entry.id) ?? [])
  const terms = [...ofProviders, ...named].filter(
    // Behind a term that excludes its servers, it would have no effect.
    (term) => !usable.terms.includes(term) && !usable.terms.includes(`-${term}`),
  )
  if (!isEmpty || terms.length > 0 || mailboxProviders.length > 0) return terms
  // An owner who allows no server has a reason; the own server may only receive.
  return hasOwnMailServers(facts) && !isClosed(facts) ? ['mx'] : []
}
