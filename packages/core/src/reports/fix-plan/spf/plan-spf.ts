/** Plans one SPF record that names every sender and takes no pass away from any of them. */
import { hasUnknownLookups } from '../../../checks/spf/spf-graph.js'
import { LOOKUP_LIMIT } from '../../../checks/spf/spf-limits.js'
import { isSpfNearMiss } from '../../../checks/spf/spf-near-miss.js'
import { joinStrings } from '../../../checks/txt-records.js'
import { findUnknownMailHost, hasOwnMailServers } from '../../../streams/own-servers.js'
import { isActionable } from '../../check/check-reports.js'
import { createOverlayDns } from '../../overlay-dns.js'
import { toExactText } from '../../record-data.js'
import type { DomainFacts } from '../discover-domain.js'
import type { FixPlan } from '../fix-plan-report.js'
import { isLeaving, type PlanContext, passesByDkimAlone } from '../plan-context.js'
import { createPlannedRecord, type PlannedRecord } from '../planned-record.js'
import { type Said, say } from '../say.js'
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
  type SpfChange,
  spfCondition,
  type TermPlaceholder,
} from './explain-spf.js'
import { findLostSenders, isCovered, testSenders } from './sender-safety.js'
import {
  createSpfContext,
  isPtr,
  mayAddTerms,
  termsOfNamedServices,
  type UsableSpf,
} from './usable-spf.js'
import { crowdedTerms } from './write-out-mx.js'

export interface SpfPlan {
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

type Changes = Omit<SpfPlan, 'record' | 'tested'>

const NO_CHANGES: Changes = {
  dropped: [],
  leftOut: [],
  unreadable: [],
  ignored: [],
  crowdedOut: [],
  faulty: [],
  noRoom: null,
}

export async function planSpf(context: PlanContext, usableSpf: UsableSpf): Promise<SpfPlan> {
  return withTests(await choosePlan(context, usableSpf), context)
}

async function choosePlan(
  planContext: PlanContext,
  { repaired, composed: usable }: UsableSpf,
): Promise<SpfPlan> {
  const { facts, services, mailUse, unusedInSpf: unusedIds } = planContext
  const { mailboxProviders } = services
  const context = createSpfContext(facts, { mailboxProviders, unusedIds })
  const mayAdd = mailUse.sends && mayAddTerms(facts.spf)
  const lacking = mayAdd ? missingTerms(planContext, context, usable) : []
  const wanted = await withoutCovered(lacking, usable, context)
  // A record that allows no server stays, unless a mailbox provider is missing in it.
  if (!mailUse.sends || (isClosed(facts) && wanted.length === 0)) return planClosedSpf(planContext)
  const { missing, noRoom } = await fitTerms(usable, wanted, context)
  const { composed, placeholder } = await completeSpf(usable, missing, context, planContext)
  const { dropped, leftOut, lookups, faulty } = composed
  const { unreadable, ignored } = repaired
  const changes = { ...NO_CHANGES, dropped, leftOut, unreadable, ignored, faulty, noRoom }
  const isUnchanged = repaired.isAsPublished && formatSpf(composed) === formatSpf(repaired)
  if (isUnchanged && placeholder === null) {
    const why = [keptReason(planContext), ...explainKeptSpf(facts.spf, faulty, noRoom?.terms ?? [])]
    return toSpfPlan({ ...keepSpf(planContext), why }, lookups, changes)
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
    ? say('spf.kept-too-long', { lookups: lookupCount })
    : say('spf.kept-for-senders', { senders: lost })
  const changes = { ...NO_CHANGES, crowdedOut: isTooLong ? lost : [], faulty }
  return toSpfPlan({ ...keepSpf(context), why: [why] }, lookupCount, changes)
}

/** Without servers that all pass anyway, such as those of a flattened include. */
async function withoutCovered(
  terms: readonly string[],
  { facts, allTerm }: ComposedSpf,
  context: SpfContext,
): Promise<readonly string[]> {
  // Where everyone passes, no term shows who was meant.
  if (facts.authorization.openTerms.length > 0) return terms
  const wanted: string[] = []
  const ofServers = new Set([...[...context.providerTerms.values()].flat(), 'mx'])
  for (const term of terms) {
    const alone = await discoverDraft(formatSpf({ terms: [term], allTerm }), context)
    const isKnown = !facts.authorization.authorizesSenders || !hasUnknownLookups(alone.graph)
    if (isKnown && (!ofServers.has(term) || !isCovered(alone, facts))) wanted.push(term)
  }
  return wanted
}

/** No sender that passes today makes room for one that does not. */
async function fitTerms(
  usable: ComposedSpf,
  wanted: readonly string[],
  context: SpfContext,
): Promise<{ readonly missing: readonly string[]; readonly noRoom: NoRoom | null }> {
  if (wanted.length === 0) return { missing: wanted, noRoom: null }
  const composed = await addTerms(usable, wanted, context)
  const terms = composed.leftOut.filter(({ term }) => wanted.includes(term))
  // A term that leads nowhere today is not worth a place, nor a question to the owner.
  const dropped = new Set(composed.dropped.map(({ term }) => term))
  const usableTerms = wanted.filter((term) => !dropped.has(term))
  if (terms.length === 0) return { missing: usableTerms, noRoom: null }
  const outside = terms.map(({ term }) => term)
  const alone = await composeSpf({ terms: outside, allTerm: usable.allTerm }, context)
  const room = Math.max(LOOKUP_LIMIT - alone.lookups, 0)
  const missing = usableTerms.filter((term) => !outside.includes(term))
  return { missing, noRoom: { terms, room } }
}

/** With the terms of the mailbox providers. A record must authorize someone, or have a placeholder. */
async function completeSpf(
  usable: ComposedSpf,
  missing: readonly string[],
  context: SpfContext,
  planContext: PlanContext,
): Promise<Pick<SpfChange, 'composed' | 'placeholder'>> {
  const composed = missing.length === 0 ? usable : await addTerms(usable, missing, context)
  const namesServers = composed.authorizesSenders || crowdedTerms(composed.facts).length > 0
  if (namesServers) return { composed, placeholder: null }
  if (!isWebServerOnly(planContext)) {
    return { composed, placeholder: findPlaceholder(planContext) }
  }
  return { composed: await addTerms(composed, ['a'], context), placeholder: null }
}

function toSpfPlan(record: PlannedRecord, lookupCount: number, changes: Changes): SpfPlan {
  // The lookups of a placeholder are unknown.
  const counted = record.placeholders.length > 0 ? record : { ...record, lookupCount }
  return { record: counted, ...changes, tested: [] }
}

/** Evaluates SPF for the senders of today's and of the planned record. */
async function withTests(plan: SpfPlan, { facts, unusedInSpf }: PlanContext): Promise<SpfPlan> {
  const { dns, domain, spf } = facts
  const { record } = plan
  const today = { dns, facts: spf }
  // What a placeholder stands for cannot be tested.
  const isKnown = (term: string) => !record.placeholders.some(({ token }) => term.endsWith(token))
  const value = record.value.split(' ').filter(isKnown).join(' ')
  const planned =
    record.action === 'keep'
      ? today
      : {
          dns: createOverlayDns(dns, [{ type: 'TXT', name: domain, value }]),
          facts: await discoverDraft(value, facts),
        }
  return { ...plan, tested: await testSenders(today, planned, unusedInSpf) }
}

async function addTerms(
  usable: ComposedSpf,
  missing: readonly string[],
  context: SpfContext,
): Promise<ComposedSpf> {
  const draft = {
    terms: [
      ...usable.terms.map((term) => raiseQualifier(term, missing)),
      ...missing,
      ...usable.leftOut.map(({ term }) => term),
    ],
    allTerm: usable.allTerm,
  }
  const composed = await composeSpf(draft, context)
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

/**
 * Only the web server can use the domain in the Return-Path: there is no mail server, and either a
 * key and no service, or services that the owner names and that never do.
 */
function isWebServerOnly(context: PlanContext): boolean {
  const { facts, services, answers } = context
  const { mx, dkim } = facts
  const isWebHost = mx.targets.length === 0 && mx.domainAddresses.length > 0
  const hasKeyAlone = services.senders.length === 0 && dkim.keys.length > 0
  return isWebHost && (hasKeyAlone || (answers.uses.length > 0 && passesByDkimAlone(context)))
}

/** For a record that would authorize no one: what the mailbox provider or the owner knows. */
function findPlaceholder(context: PlanContext): TermPlaceholder {
  const { facts, services } = context
  const provider = services.mailboxProviders.find(
    ({ entry }) =>
      entry.kind !== 'forwarder' &&
      entry.returnPathAtRoot !== 'never' &&
      !isLeaving(entry, context),
  )?.entry
  if (provider) {
    const token = `{${provider.id}-spf-host}`
    const whereToFind = [say('spf.find-include', { provider: provider.name })]
    return { term: `include:${token}`, placeholder: { token, whereToFind } }
  }
  const host = findUnknownMailHost(facts)
  const { domain } = facts
  const whereToFind = host
    ? say('spf.find-terms-at', { domain, host: [host] })
    : say('spf.find-terms', { domain })
  return {
    term: '{your-senders}',
    placeholder: { token: '{your-senders}', whereToFind: [whereToFind] },
  }
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

function keepSpf(context: PlanContext): PlannedRecord {
  const { facts } = context
  return {
    ...changedRecord(facts, facts.reports.spf.record ?? ''),
    action: 'keep',
    replaces: [],
    why: [keptReason(context)],
  }
}

function keptReason({ facts: { domain, reports }, mailUse }: PlanContext): Said {
  if (reports.spf.authorizesSenders) return say('spf.lists-senders', {})
  return mailUse.sends ? say('spf.allows-no-server', { domain }) : say('spf.declares-no-sender', {})
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
  const action = replaces.length > 0 ? 'replace' : 'create'
  return createPlannedRecord('spf', domain, value, { action, replaces, otherValues: texts(false) })
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
    .filter(({ entry }) => !passing.has(entry.id) && !isLeaving(entry, planContext))
    .filter(({ entry }) => entry.kind === 'mailbox' || isEmpty)
    .flatMap(({ entry }) => providerTerms.get(entry.id) ?? [])
  const terms = [...ofProviders, ...named].filter(
    // Behind a term that excludes its servers, it would have no effect.
    (term) => !usable.terms.includes(term) && !usable.terms.includes(`-${term}`),
  )
  if (terms.length > 0 || mailboxProviders.length > 0) return terms
  // An owner who allows no server has a reason; the own server may only receive.
  const mayLackOwn = (isEmpty && !isClosed(facts)) || usable.terms.some(isPtr)
  return mayLackOwn && hasOwnMailServers(facts) ? ['mx'] : []
}
