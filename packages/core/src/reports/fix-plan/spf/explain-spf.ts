/** Explains the changes of the SPF record. */

import type { PlanWordKey, PlanWordValues } from '../../../catalog/generated/plan-words.js'
import { quoteForDisplay } from '../../../checks/format-list.js'
import { hasUnknownLookups } from '../../../checks/spf/spf-graph.js'
import { isSpfNearMiss } from '../../../checks/spf/spf-near-miss.js'
import { joinStrings } from '../../../checks/txt-records.js'
import { effectiveTreatment, sendingProfile } from '../../check/check-reports.js'
import type { DomainFacts } from '../discover-domain.js'
import type { PlanContext } from '../plan-context.js'
import type { Placeholder, PlannedRecord } from '../planned-record.js'
import { type Condition, type Said, say, sayIf } from '../say.js'
import { type ComposedSpf, wasOpen } from './compose-spf.js'
import { ASKED_ABOUT } from './lookup-savings.js'
import { isPtr, termsOfNamedServices, type UsableSpf } from './usable-spf.js'

/** A term that only the owner can fill in. */
export interface TermPlaceholder {
  readonly term: string
  readonly placeholder: Placeholder
}

export interface SpfChange {
  readonly composed: ComposedSpf
  /** Terms of mailbox providers that the record lacks. */
  readonly missing: readonly string[]
  readonly repaired: UsableSpf['repaired']
  readonly planContext: PlanContext
  readonly placeholder: TermPlaceholder | null
}

export function explainSpf(change: SpfChange): Said[] {
  const { composed, repaired, planContext, placeholder } = change
  const { facts } = planContext
  return [
    ...describeCurrent(facts),
    ...(placeholder ? [say('spf.to-fill-in', {})] : []),
    ...describeAdded(change),
    ...describeRepairs(repaired),
    ...describeRemoved(composed),
    ...aboutTerms('spf.removed-unreadable', repaired.unreadable.map(quoteForDisplay)),
    ...aboutTerms('spf.removed-ignored', repaired.ignored.map(quoteForDisplay)),
    ...describeSoftened(change),
    ...describeRewritten(composed, facts),
    ...aboutTerms('spf.moved-to-end', composed.moved),
    ...describeLeftOut(composed),
    ...(hasOpenDefault(facts) ? [say('spf.closed', { all: composed.allTerm })] : []),
    ...(facts.reports.spf.valid && wasOpen(composed) ? [say('spf.open-until-published', {})] : []),
    ...(placeholder ? [] : [countLookups(composed)]),
  ]
}

/** A hard fail would refuse a sender that only its owner knows. */
function describeSoftened({ composed, repaired, planContext }: SpfChange): Said[] {
  const { reports } = planContext.facts
  const isAsked =
    repaired.unreadable.length + repaired.ignored.length > 0 ||
    composed.dropped.some(({ reason }) => ASKED_ABOUT.has(reason))
  const wasStrict = reports.spf.records.some((record) => / -all$/i.test(record))
  return isAsked && wasStrict ? [say('spf.soft-until-known', {})] : []
}

function countLookups({ lookups, facts: { graph } }: ComposedSpf): Said {
  const key = hasUnknownLookups(graph) ? 'spf.lookups-at-least' : 'spf.lookups'
  return say(key, { count: lookups })
}

/** Only a record that let every server in can have senders that no one can name, and only `-all` none. */
export function spfCondition({ composed, planContext }: SpfChange): Condition[] | null {
  const { reports } = planContext.facts
  // A key may be left from the time before the record said that no one sends.
  if (reports.spf.declaresNoSenders)
    return [sayIf(null, 'when.people-send', { domain: reports.mx.domain })]
  const isOpen = allowsEveryone(reports) || (reports.spf.valid && wasOpen(composed))
  if (!isOpen) return null
  const treatment = effectiveTreatment(reports.dmarc)
  return treatment === 'none'
    ? [sayIf(null, 'when.all-senders-listed', {})]
    : [sayIf(null, `when.all-senders-pass-${treatment}`, {})]
}

function allowsEveryone({ spf }: DomainFacts['reports']): boolean {
  return spf.valid && spf.allResult === 'pass'
}

/** Asks for confirmation unless the domain itself declares that it sends no mail. */
export function explainNonSendingSpf({
  domain,
  reports,
}: DomainFacts): Pick<PlannedRecord, 'why' | 'onlyIf'> {
  // A null MX is only about mail to the domain: with "+all", its own mail may pass today.
  const isDeclared = sendingProfile(reports) === 'non-sending' && !allowsEveryone(reports)
  return { why: [say('spf.no-mail', {})], onlyIf: isDeclared ? null : [noSenderCondition(domain)] }
}

/** Only its owner knows of a form on the website. */
export function noSenderCondition(domain: string): Condition {
  return sayIf('web-host', 'when.no-sender', { domain })
}

function describeCurrent({ spf }: DomainFacts): Said[] {
  const [, second] = spf.spfRecords
  if (second) return [say('spf.merged', {})]
  if (spf.spfRecords.length === 1) return []
  const miss = spf.txtRecords.map(joinStrings).find(isSpfNearMiss)
  return [
    miss === undefined
      ? say('spf.first', {})
      : say('spf.near-miss', { record: [quoteForDisplay(miss)] }),
  ]
}

function describeAdded({ missing, repaired, planContext }: SpfChange): Said[] {
  if (missing.length === 0) return []
  const named = termsOfNamedServices(planContext)
  const weak = repaired.terms.filter(
    (term) => /^[?~]/.test(term) && missing.includes(term.slice(1).toLowerCase()),
  )
  const isRaised = (term: string) => weak.some((each) => each.slice(1).toLowerCase() === term)
  const own = missing.filter((term) => !named.has(term) && !isRaised(term))
  const providers = planContext.services.mailboxProviders
    .filter(({ entry }) =>
      entry.setup.spf.some(({ terms }) => terms.some((term) => own.includes(term))),
    )
    .map(({ entry }) => entry.name)
  return [
    ...weak.map((term) =>
      say('spf.raised', { term: [term], raised: [term.slice(1)], qualifier: term.charAt(0) }),
    ),
    ...(providers.length > 0
      ? [say('spf.added-for-mailboxes', { terms: own, providers })]
      : aboutTerms(
          repaired.terms.some(isPtr) ? 'spf.added-beside-ptr' : 'spf.added-for-own-server',
          own,
        )),
    ...missing.flatMap((term) => {
      const service = isRaised(term) ? undefined : named.get(term)
      return service ? [say('spf.added-for-service', { term, service: service.name })] : []
    }),
  ]
}

function describeRepairs(repaired: UsableSpf['repaired']): Said[] {
  const { hasMissingSpace, corrected, repeated, revived } = repaired
  return [
    ...(hasMissingSpace ? [say('spf.added-space', {})] : []),
    ...corrected.map(({ from, to }) => say('spf.corrected', { from: [from], to })),
    ...repeated.map((term) => say('spf.removed-repeated', { term: [term] })),
    ...aboutTerms('spf.revived', revived),
  ]
}

function describeRemoved({ dropped }: ComposedSpf): Said[] {
  const reasons = [...new Set(dropped.map(({ reason }) => reason))]
  return reasons.map((reason) => {
    const terms = dropped.filter((each) => each.reason === reason).map(({ term }) => term)
    return say(`spf.removed-${reason}`, { terms })
  })
}

function describeRewritten({ rewritten }: ComposedSpf, { spf: { tree } }: DomainFacts): Said[] {
  // The plan writes a redirect as an include; the owner knows it as it is published.
  const redirect = tree.children.find((child) => child.term?.kind === 'redirect')?.term
  const asPublished = (term: string) =>
    term === `include:${redirect?.target?.text}` ? (redirect?.text ?? '') : term
  const redundant = (isReceiver: boolean) =>
    rewritten
      .filter(({ replacement }) => replacement.length === 0)
      .filter(({ onlyReceives = false }) => onlyReceives === isReceiver)
      .map(({ term }) => asPublished(term))
  const replaced = rewritten.filter(({ replacement }) => replacement.length > 0)
  const faulty = replaced.flatMap(({ term, replacement, reason }) =>
    reason === 'broken' || reason === 'allows-everyone' || reason === 'too-many-servers'
      ? [say(`spf.replaced-${reason}`, { term: [asPublished(term)], terms: replacement })]
      : [],
  )
  return [
    ...aboutTerms('spf.removed-redundant', redundant(false)),
    ...aboutTerms('spf.removed-receivers', redundant(true)),
    ...faulty,
    ...replaced
      .filter(({ reason }) => !reason)
      .map(({ term, replacement }) =>
        say('spf.replaced-to-save-lookups', { term: [asPublished(term)], terms: replacement }),
      ),
  ]
}

/** Adds what a record that stays cannot do. */
export function explainKeptSpf(
  { graph: { failures } }: DomainFacts['spf'],
  faulty: ComposedSpf['faulty'],
  noRoom: ComposedSpf['leftOut'],
): Said[] {
  const textsOf = (all: readonly { readonly term: string }[]) => all.map(({ term }) => term)
  const names = failures.map(({ query }) => query.name)
  return [
    ...(names.length > 0 ? [say('spf.kept-unknown', { names })] : []),
    ...aboutTerms('spf.kept-faulty', textsOf(faulty)),
    ...aboutTerms('spf.kept-without-room', textsOf(noRoom)),
  ]
}

function describeLeftOut({ leftOut }: ComposedSpf): Said[] {
  const terms = (isNeedless: boolean) =>
    leftOut.filter((each) => each.isNeedless === isNeedless).map(({ term }) => term)
  return [
    ...aboutTerms('spf.removed-for-room', terms(true)),
    ...aboutTerms('spf.left-out', terms(false)),
  ]
}

type AboutTerms = {
  [Key in PlanWordKey]: 'terms' extends keyof PlanWordValues[Key]
    ? keyof PlanWordValues[Key] extends 'terms'
      ? Key
      : never
    : never
}[PlanWordKey]

/** Nothing about no terms. */
function aboutTerms(key: AboutTerms, terms: readonly string[]): Said[] {
  return terms.length > 0 ? [say(key, { terms })] : []
}

function hasOpenDefault({ spf: { spfRecords, defaultResult } }: DomainFacts): boolean {
  const isClosed = defaultResult.kind === 'all' && /[-~]/.test(defaultResult.term.qualifier)
  return spfRecords.length === 1 && !isClosed
}
