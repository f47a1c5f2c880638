/** Finds what is usable of the published SPF records, valid or not. */

import {
  findProviderTerms,
  findServiceBySpfHost,
  hasUselessInclude,
  type MailService,
} from '../../../catalog/mail-services.js'
import { fillTemplate, hasPlaceholder } from '../../../catalog/record-template.js'
import type { DkimKey } from '../../../checks/dkim/dkim-facts.js'
import { isAcceptable } from '../../../checks/dkim/key-record.js'
import type { SpfFacts } from '../../../checks/spf/discover-spf.js'
import { replaceMacros } from '../../../checks/spf/domain-spec.js'
import { addMissingSpaces } from '../../../checks/spf/missing-spaces.js'
import { hasUnknownLookups } from '../../../checks/spf/spf-graph.js'
import { LOOKUP_LIMIT } from '../../../checks/spf/spf-limits.js'
import { correctSpfVersion, isSpfNearMiss } from '../../../checks/spf/spf-near-miss.js'
import {
  activeTerms,
  findAll,
  isDirective,
  isSpfRecord,
  isWellFormedSpf,
  parseSpf,
  type SpfRecord,
  type Term,
} from '../../../checks/spf/spf-record.js'
import type { SpfNode } from '../../../checks/spf/spf-tree.js'
import { joinStrings } from '../../../checks/txt-records.js'
import { registrableDomain } from '../../../names/registrable-domain.js'
import { isBounceName, type MailboxProvidersInUse } from '../../../streams/find-senders.js'
import { findOwnerOfKey } from '../../../streams/key-owners.js'
import type { DomainFacts } from '../discover-domain.js'
import type { PlanContext } from '../plan-context.js'
import {
  type ComposedSpf,
  composeSpf,
  dedupeTerms,
  type SpfAllTerm,
  type SpfContext,
} from './compose-spf.js'
import {
  findSplitTerms,
  joinSplitTerms,
  repairInvalidTerm,
  splitRunTogether,
} from './repair-term.js'
import { findPartlyPassingTerms, isOwnName } from './sender-safety.js'

export interface UsableSpf {
  readonly repaired: RepairedTerms
  readonly composed: ComposedSpf
}

/** What is known about senders from other records than SPF. */
export interface SpfSenders {
  readonly mailboxProviders: MailboxProvidersInUse
  /** The ids of services that other records show. */
  readonly visibleIds: ReadonlySet<string>
  /** The ids of services that no longer send, as the owner says. */
  readonly unusedIds: ReadonlySet<string>
}

export async function findUsableSpf(facts: DomainFacts, senders: SpfSenders): Promise<UsableSpf> {
  const repaired = repairTerms(facts, senders.visibleIds)
  return { repaired, composed: await composeSpf(repaired, createSpfContext(facts, senders)) }
}

export function createSpfContext(
  facts: DomainFacts,
  { mailboxProviders, unusedIds }: Omit<SpfSenders, 'visibleIds'>,
): SpfContext {
  const { dns, domain } = facts
  const providerTerms = new Map(
    mailboxProviders.map(({ entry }) => [entry.id, requiredTerms(entry, facts)]),
  )
  // A provider may send through another service.
  const hosts = [...providerTerms.values()].flat().map((term) => term.replace(/^[a-z]+:/, ''))
  const serviceIds = hosts.flatMap((host) => findServiceBySpfHost(host)?.id ?? [])
  return {
    dns,
    domain,
    mailboxProviderIds: new Set([...mailboxProviders.map(({ entry }) => entry.id), ...serviceIds]),
    unusedIds,
    bouncingBelowIds: findBouncingBelow(facts),
    providerTerms,
    passingTerms: findPassingTerms(facts.spf),
    partlyPassingTerms: new Set(
      [...findPartlyPassingTerms(facts.spf, unusedIds)].map(asPlannedTerm),
    ),
  }
}

/** With a bounce name and a key of their own, receivers never look for them in the domain's record. */
function findBouncingBelow({ domain, spf, below, dkim }: DomainFacts): ReadonlySet<string> {
  const services = spf.tree.children.flatMap(({ service }) => service ?? [])
  const bounceNames = below.names.filter(({ name }) => isBounceName(name))
  // A selector that several services use is that of the only one in the record.
  const ownersOf = (key: DkimKey) => {
    const owner = findOwnerOfKey(key)
    if (owner || key.provider) return [owner]
    return services.filter(({ selectors }) => selectors.includes(key.selector))
  }
  const hasKey = (service: MailService) =>
    dkim.keys.some((key) => isAcceptable(key) && isOnly(service, ownersOf(key)))
  const isBouncingBelow = (service: MailService) =>
    hasUselessInclude(service) &&
    bounceNames.some(
      (each) => each.service === service || each.included.some((one) => one.service === service),
    ) &&
    hasKey(service)
  // Below a registrable domain, such a service may use the name itself in MAIL FROM.
  const isRoot = registrableDomain(domain) === domain
  return new Set((isRoot ? services : []).filter(isBouncingBelow).map(({ id }) => id))
}

function isOnly<Item>(item: Item, all: readonly (Item | null)[]): boolean {
  return all.length > 0 && all.every((each) => each === item)
}

/** The plan writes a redirect as an include. */
function asPlannedTerm(term: string): string {
  return term.replace(/^redirect=/i, 'include:')
}

/** The terms whose senders all pass today: those within the first ten lookups of a single record. */
function findPassingTerms({ tree, costs, domain }: SpfFacts): ReadonlySet<string> {
  const passing = new Set<string>()
  let lookups = 0
  function follow(node: SpfNode): void {
    for (const term of node.followed.flatMap(activeTerms)) {
      const own = node.children.find((child) => child.term === term && isOwnName(child, domain))
      const before = lookups
      if (own) {
        lookups += 1
        follow(own)
      }
      lookups = before + costs.termCost(term).lookups
      if (lookups > LOOKUP_LIMIT) break
      passing.add(asPlannedTerm(term.text))
    }
  }
  if (tree.state === 'record') follow(tree)
  return passing
}

/** RFC 7208 §5.5: receivers may skip it, and which servers it lets in is not known. */
export function isPtr(term: string): boolean {
  return /^\+?ptr(?::|$)/i.test(term)
}

/** One more term may exceed the limit of a record whose lookups are unknown, and cost every pass. */
export function mayAddTerms({ authorization, graph }: SpfFacts): boolean {
  return !authorization.authorizesSenders || !hasUnknownLookups(graph)
}

/** Whether the records name a sender, even if receivers cannot read them. */
export function hasNamedSenders({ repaired, composed }: UsableSpf): boolean {
  const { authorizesSenders, senders, dropped, leftOut } = composed
  const hasRemovedSender = dropped.some(
    ({ term, reason }) => reason !== 'matches-nothing' || /^\+?include:/i.test(term),
  )
  const hasOtherSender = senders.length + leftOut.length + repaired.unreadable.length > 0
  return authorizesSenders || hasRemovedSender || hasOtherSender
}

/** None of a service that gives each customer another term. */
function requiredTerms(service: MailService, { domain, mx }: DomainFacts): string[] {
  const hosts = mx.targets.map(({ exchange }) => exchange)
  return findProviderTerms(service, hosts).map((term) => fillTemplate(term, domain, service.id))
}

/**
 * The terms of services that the owner names and that may use the domain in MAIL FROM. That of a
 * mailbox provider is needed anyway.
 */
export function termsOfNamedServices({
  facts,
  services: { senders, mailboxProviders },
  answers,
}: Pick<PlanContext, 'facts' | 'services' | 'answers'>): ReadonlyMap<string, MailService> {
  const mailboxes = mailboxProviders.filter(({ entry }) => entry.kind !== 'gateway')
  const providers = new Set(mailboxes.map(({ entry }) => entry.id))
  const named = senders
    .filter(({ entry, setUpAt }) => answers.uses.includes(entry.id) && setUpAt === null)
    .map(({ entry }) => entry)
    .filter(({ id, returnPathAtRoot }) => !providers.has(id) && returnPathAtRoot !== 'never')
  return new Map(
    named.flatMap((service) =>
      requiredTerms(service, facts)
        .filter((term) => !hasPlaceholder(term))
        .map((term) => [term, service] as const),
    ),
  )
}

interface RepairedTerms {
  /** In order, without duplicates and `all`. */
  readonly terms: readonly string[]
  readonly allTerm: SpfAllTerm
  /** Terms that cannot be repaired. */
  readonly unreadable: readonly string[]
  /** Terms that are written differently now. */
  readonly corrected: readonly { readonly from: string; readonly to: readonly string[] }[]
  /** Terms that occur a second time in the only record. */
  readonly repeated: readonly string[]
  /** Two strings of a record lack the space between them. */
  readonly hasMissingSpace: boolean
  /** Terms without effect today, behind `all`, that no other record shows to be in use. */
  readonly ignored: readonly string[]
  /** Terms without effect today that belong to a sender which other records show. */
  readonly revived: readonly string[]
  /** Whether receivers read the same record today. */
  readonly isAsPublished: boolean
}

function repairTerms(facts: DomainFacts, visibleIds: ReadonlySet<string>): RepairedTerms {
  const { spf, mx } = facts
  const { spfRecords, defaultResult } = spf
  const records = repairRecords(spf)
  const hasOwnServers = mx.targets.some(({ kind }) => kind === 'host')
  const own = registrableDomain(facts.domain)
  const isVisible = (term: Term) =>
    (term.kind === 'mx' && term.target === null && hasOwnServers) ||
    // What the domain itself publishes elsewhere names its own servers.
    (term.kind === 'redirect' && registrableDomain(replaceMacros(term.target)) === own) ||
    ('target' in term &&
      term.target !== null &&
      visibleIds.has(findServiceBySpfHost(replaceMacros(term.target))?.id ?? ''))
  const behind = records.flatMap(termsWithoutEffect)
  const revived = mayAddTerms(spf) ? behind.filter(isVisible) : []
  const inEffect = records
    .flatMap(({ terms }) => terms)
    .filter((term) => !behind.includes(term))
    .map((term) => ({ term, repairs: repairTerm(term) }))
  const revivedTexts = revived.flatMap((term) => repairTerm(term) ?? [])
  const repairedTerms = inEffect.flatMap(({ repairs }) => repairs ?? [])
  const terms = dedupeTerms([...repairedTerms, ...revivedTexts])
  const [only, ...others] = spfRecords.length === 0 ? [] : records
  const isClosed = defaultResult.kind === 'all' && /[-~]/.test(defaultResult.term.qualifier)
  const isJoined = only?.text === joinStrings(spfRecords[0] ?? [])
  const unreadable = inEffect.flatMap(({ term, repairs }) => (repairs ? [] : [term.text]))
  const ignored = behind.filter((term) => !revived.includes(term)).map(({ text }) => text)
  // No receiver has applied the "-all" of a near miss so far.
  const isApplied = spfRecords.length > 0 && isStrict(records, defaultResult)
  return {
    terms,
    allTerm: isApplied && unreadable.length + ignored.length === 0 ? '-all' : '~all',
    repeated: records.length === 1 ? findRepeated(repairedTerms) : [],
    hasMissingSpace: spfRecords.some(
      (strings) => joinStrings(addMissingSpaces(spf, strings)) !== joinStrings(strings),
    ),
    corrected: [
      ...publishedTexts(spf).flatMap(findSplitTerms),
      ...inEffect.flatMap(({ term: { kind, text }, repairs }) => {
        const isChanged = kind !== 'redirect' && repairs?.length && repairs.join(' ') !== text
        return isChanged ? [{ from: text, to: repairs }] : []
      }),
    ],
    unreadable,
    ignored,
    revived: revived.map(({ text }) => text),
    isAsPublished:
      only !== undefined &&
      others.length === 0 &&
      isJoined &&
      isClosed &&
      isOrderly(only, terms.length),
  }
}

/** RFC 7208 §5.1, §6.1: receivers ignore what follows `all`, and a redirect beside it. */
function termsWithoutEffect(record: SpfRecord): Term[] {
  const all = findAll(record)
  if (!all) return []
  return record.terms.filter(
    (term) =>
      term.kind === 'redirect' ||
      (isDirective(term) && term.kind !== 'all' && term.position > all.position),
  )
}

/** Each of the terms that occur more than once. */
function findRepeated(terms: readonly string[]): string[] {
  const kept = new Set(dedupeTerms(terms))
  const isFirst = (term: string, index: number) => kept.has(term) && terms.indexOf(term) === index
  return dedupeTerms(terms.filter((term, index) => !isFirst(term, index)))
}

/** With the spaces that are missing between strings. Near misses count only without an SPF record. */
function publishedTexts(facts: SpfFacts): string[] {
  const { spfRecords, txtRecords } = facts
  const texts = spfRecords.length > 0 ? spfRecords : txtRecords
  return texts
    .map((strings) => joinStrings(addMissingSpaces(facts, strings)))
    .filter((text) => isSpfRecord(text) || isSpfNearMiss(text))
}

/** Without spaces inside terms. */
function repairRecords(facts: SpfFacts): SpfRecord[] {
  return publishedTexts(facts)
    .map(joinSplitTerms)
    .map((text) =>
      // The terms of a near miss are repaired one by one, like those of a record that receivers read.
      parseSpf(isSpfRecord(text) ? text : correctSpfVersion(text)),
    )
}

/** Well-formed, without duplicates, without terms after `all` or a redirect beside it. */
function isOrderly(record: SpfRecord, termCount: number): boolean {
  const published = record.terms.filter(({ kind }) => kind !== 'all').length
  const hasOneAll = record.terms.length - published < 2
  const isInEffect = termsWithoutEffect(record).length === 0
  return isWellFormedSpf(record.text) && hasOneAll && isInEffect && published === termCount
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

/** The repaired terms; null if they cannot be repaired. */
function repairTerm(term: Term): string[] | null {
  if (term.kind === 'all') return []
  // Without `all`, a redirect brings the `all` of its target; an include does not.
  if (term.kind === 'redirect') return [`include:${term.target.text}`]
  if (term.kind === 'unknown-modifier') return repairInvalidTerm(term.text) ?? [term.text]
  if (term.kind !== 'invalid') return splitRunTogether(term.text) ?? [term.text]
  return repairInvalidTerm(term.text)
}
