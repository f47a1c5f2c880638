/** Composes the SPF record: checks a draft over today's DNS and changes it until it is valid. */
import type { Dns } from '@mailgrade/doh/dns'
import type { MailService } from '../../../catalog/mail-services.js'
import { listSpfSenders } from '../../../checks/spf/check-spf.js'
import { discoverSpf, type SpfFacts } from '../../../checks/spf/discover-spf.js'
import {
  LOOKUP_LIMIT,
  MAX_DRAFTS,
  MAX_TAKEN_OVER,
  WIDEST_KEPT_PREFIX,
} from '../../../checks/spf/spf-limits.js'
import {
  type ActiveTerm,
  activeTerms,
  invalidTerms,
  isDirective,
  isIncludeOrRedirect,
} from '../../../checks/spf/spf-record.js'
import type { SpfReport } from '../../../checks/spf/spf-report.js'
import { flattenSpfTree, type SpfNode } from '../../../checks/spf/spf-tree.js'
import {
  evaluatedMxHosts,
  exceedsMxLimit,
  matchesNothing,
} from '../../../checks/spf/term-lookups.js'
import type { DomainName } from '../../../names/domain-name.js'
import { createOverlayDns } from '../../overlay-dns.js'
import {
  chooseTerms,
  type LeftOutTerm,
  needlessTerms,
  type TermPriorities,
} from './choose-terms.js'
import {
  ASKED_ABOUT,
  inlineTerms,
  type LookupSaving,
  type RemovalReason,
  redundantTerms,
  shorterTerms,
} from './lookup-savings.js'
import { writeOutMx } from './write-out-mx.js'

export type SpfAllTerm = '-all' | '~all'

interface SpfDraft {
  readonly terms: readonly string[]
  readonly allTerm: SpfAllTerm
}

interface RemovedTerm {
  readonly term: string
  readonly reason: RemovalReason
}

/** An include that stays, because senders pass through it, although its operator has to repair it. */
export interface FaultyInclude {
  readonly term: string
  readonly service: MailService | null
  readonly host: string
  readonly fault: 'broken' | 'void-lookups' | 'allows-everyone'
  /** The names of all records behind it. */
  readonly domains: ReadonlySet<string>
}

export interface ComposedSpf extends SpfDraft {
  readonly value: string
  readonly lookups: number
  readonly authorizesSenders: boolean
  /** The senders of the draft. */
  readonly senders: SpfReport['senders']
  /** The senders of the result. */
  readonly remainingSenders: SpfReport['senders']
  readonly dropped: readonly RemovedTerm[]
  /** Terms over the lookup limit. */
  readonly leftOut: readonly LeftOutTerm[]
  /** Terms replaced to save lookups, or with the working part of what they lead to. */
  readonly rewritten: readonly LookupSaving[]
  /** Faulty includes that now come after all other terms, so they break none of them. */
  readonly moved: readonly string[]
  readonly faulty: readonly FaultyInclude[]
  /** What the record would do if it were published. */
  readonly facts: SpfFacts
}

export interface SpfContext extends TermPriorities {
  readonly dns: Dns
  readonly domain: DomainName
  /** The ids of services that no longer send. */
  readonly unusedIds: ReadonlySet<string>
  /** The ids of services that provably use only their own bounce domain below this one. */
  readonly bouncingBelowIds: ReadonlySet<string>
  /** Terms by the id of the mailbox provider that requires them. */
  readonly providerTerms: ReadonlyMap<string, readonly string[]>
  /** Terms with at least one sender that passes today, or may pass. */
  readonly partlyPassingTerms: ReadonlySet<string>
}

export async function composeSpf(draft: SpfDraft, context: SpfContext): Promise<ComposedSpf> {
  const dropped: RemovedTerm[] = []
  const leftOut: LeftOutTerm[] = []
  const rewritten: LookupSaving[] = []
  const moved = new Set<string>()
  // A removed term never returns, so records that include each other cannot loop.
  const removed = new Set<string>()
  let terms = dedupeTerms(draft.terms)
  let senders: SpfReport['senders'] | null = null
  for (let drafts = 1; ; drafts += 1) {
    const isShort = leftOut.some(({ isNeedless }) => !isNeedless)
    const isDoubtful = dropped.some(({ reason }) => ASKED_ABOUT.has(reason))
    const isSoft = isShort || isDoubtful || wasOpen({ dropped, rewritten })
    const allTerm = isSoft ? '~all' : draft.allTerm
    const value = formatSpf({ terms, allTerm })
    const facts = await discoverDraft(value, context)
    senders ??= listSpfSenders(facts)
    const faulty = findFaultyIncludes(facts, context)
    const change =
      drafts < MAX_DRAFTS ? await nextChange(facts, context, faulty) : dropIncludes(facts)
    if (!change) {
      return {
        terms,
        allTerm,
        value,
        lookups: facts.tree.lookups,
        authorizesSenders: facts.authorization.authorizesSenders,
        senders,
        remainingSenders: listSpfSenders(facts),
        dropped,
        leftOut,
        rewritten,
        moved: [...moved],
        faulty,
        facts,
      }
    }
    const gone = [...change.dropped, ...change.leftOut].map(({ term }) => [term, []] as const)
    const replaced = change.rewritten.map(({ term, replacement }) => [term, replacement] as const)
    const replacements = new Map<string, readonly string[]>([...gone, ...replaced])
    for (const term of change.moved) moved.add(term)
    for (const term of replacements.keys()) removed.add(term)
    const next = terms.flatMap((term) => replacements.get(term) ?? [term])
    const kept = dedupeTerms(next).filter((term) => !removed.has(term))
    terms = [...kept.filter((term) => !moved.has(term)), ...kept.filter((term) => moved.has(term))]
    dropped.push(...change.dropped)
    leftOut.push(...change.leftOut)
    rewritten.push(...change.rewritten)
  }
}

export function dedupeTerms(terms: readonly string[]): string[] {
  const seen = new Set<string>()
  return terms.filter((text) => {
    const key = text.toLowerCase().replace(/^\+/, '').replace(/\.$/, '')
    const isNew = !seen.has(key)
    seen.add(key)
    return isNew
  })
}

/** Whether a term that is not kept let every server pass. */
export function wasOpen({
  dropped,
  rewritten,
}: Pick<ComposedSpf, 'dropped' | 'rewritten'>): boolean {
  return [...dropped, ...rewritten].some(({ reason }) => reason === 'allows-everyone')
}

export function formatSpf({ terms, allTerm }: SpfDraft): string {
  return ['v=spf1', ...terms, allTerm].join(' ')
}

export async function discoverDraft(
  value: string,
  { dns, domain }: Pick<SpfContext, 'dns' | 'domain'>,
): Promise<SpfFacts> {
  const published = createOverlayDns(dns, [{ type: 'TXT', name: domain, value }])
  const discovered = await discoverSpf(published, domain)
  if (discovered.kind === 'facts') return discovered.facts
  throw new Error('The overlay publishes a record at the domain, so the domain exists')
}

type DraftChange = Pick<ComposedSpf, 'dropped' | 'leftOut' | 'rewritten' | 'moved'>

const NO_CHANGE: DraftChange = { dropped: [], leftOut: [], rewritten: [], moved: [] }

async function nextChange(
  facts: SpfFacts,
  context: SpfContext,
  faulty: readonly FaultyInclude[],
): Promise<DraftChange | null> {
  // Receivers read nothing else of a record before it names fewer mail servers.
  const writtenOut = await writeOutMx(facts, context)
  if (writtenOut.length > 0) return { ...NO_CHANGE, rewritten: writtenOut }
  const staying = new Set(faulty.map(({ term }) => term))
  const removable = [...findRemovableTerms(facts, context)].filter(([term]) => !staying.has(term))
  if (removable.length > 0) return removeTerms(facts, removable, context)
  const tooVoid = findVoidRecords(facts)
  if (tooVoid.length > 0) return removeTerms(facts, tooVoid, context)
  const moved = findMisplaced(facts, faulty)
  if (moved.length > 0) return { ...NO_CHANGE, moved }
  // Where a part is unknown, no one can tell which term to leave out.
  if (facts.tree.lookups <= LOOKUP_LIMIT || facts.graph.failures.length > 0) return null
  const redundant = redundantTerms(facts)
  const needless = redundant.length > 0 ? [] : needlessTerms(facts, context)
  const hasShorter = redundant.length + needless.length === 0
  const rewritten = hasShorter ? shorterTerms(facts) : redundant
  const isLeft = needless.length === 0 && rewritten.length === 0
  return { ...NO_CHANGE, leftOut: isLeft ? chooseTerms(facts, context) : needless, rewritten }
}

/** What is left after so many drafts leads in circles, which is a permanent error (RFC 7208 §4.6.4). */
function dropIncludes({ tree }: SpfFacts): DraftChange | null {
  const includes = tree.records.flatMap(activeTerms).filter(isIncludeOrRedirect)
  const dropped = includes.map(({ text }) => ({ term: text, reason: 'broken' as const }))
  return dropped.length > 0 ? { ...NO_CHANGE, dropped } : null
}

/** RFC 7208 §5.2: an error behind an include is the result for all senders that reach it. */
function findMisplaced({ tree }: SpfFacts, faulty: readonly FaultyInclude[]): string[] {
  const breaking = faulty.filter(({ fault }) => fault !== 'allows-everyone').map(({ term }) => term)
  const terms = tree.records
    .flatMap(activeTerms)
    .filter(({ kind }) => kind !== 'all')
    .map(({ text }) => text)
  const isLast = terms
    .slice(terms.length - breaking.length)
    .every((term) => breaking.includes(term))
  return isLast ? [] : breaking
}

/** The senders of a broken record of the domain's own are taken over, and of an open one. */
function removeTerms(
  facts: SpfFacts,
  removable: readonly [string, RemovalReason][],
  context: SpfContext,
): DraftChange {
  const changes = removable.map(([term, reason]) => {
    const child = facts.tree.children.find((node) => node.term?.text === term)
    const replacement = (child && workingTerms(child, reason, context)) ?? []
    return { term, reason, replacement }
  })
  return {
    ...NO_CHANGE,
    dropped: changes.filter(({ replacement }) => replacement.length === 0),
    rewritten: changes.filter(({ replacement }) => replacement.length > 0),
  }
}

/** The terms that take the place of an include which cannot stay; null if it has none. */
function workingTerms(
  child: SpfNode,
  reason: RemovalReason,
  { partlyPassingTerms }: SpfContext,
): string[] | null {
  if (reason === 'broken') return child.isOwn ? inlineTerms(child) : null
  if (reason !== 'allows-everyone' || !partlyPassingTerms.has(child.term?.text ?? '')) return null
  const terms = inlineTerms(child)
  return terms && terms.length <= MAX_TAKEN_OVER ? terms : null
}

/** Includes of others that cannot be replaced, and those with void lookups over the limit. */
function findFaultyIncludes(facts: SpfFacts, context: SpfContext): FaultyInclude[] {
  return facts.tree.children.flatMap((child) => {
    const { term, service, domain: host } = child
    const fault = findFault(child, facts, context)
    const domains = new Set(flattenSpfTree(child).map((node) => node.domain))
    return term && fault ? [{ term: term.text, service, host, fault, domains }] : []
  })
}

function findFault(
  child: SpfNode,
  facts: SpfFacts,
  context: SpfContext,
): FaultyInclude['fault'] | null {
  const { term, service, isOwn } = child
  if (!term || isOwn || (service && context.unusedIds.has(service.id))) return null
  const reason = judgeInclude(child, facts)
  if (reason === null) return exceedsVoidLimit(term, facts) ? 'void-lookups' : null
  if (reason !== 'broken' && reason !== 'allows-everyone') return null
  const isReplaceable = (workingTerms(child, reason, context) ?? []).length > 0
  return context.partlyPassingTerms.has(term.text) && !isReplaceable ? reason : null
}

function exceedsVoidLimit(term: ActiveTerm, { costs, authorization }: SpfFacts): boolean {
  const { ipv4VoidLookups, ipv6VoidLookups } = costs.termCost(term)
  const { ipv4, ipv6 } = authorization.exceedsVoidLimit
  return (ipv4 && ipv4VoidLookups > 0) || (ipv6 && ipv6VoidLookups > 0)
}

/** Terms that do harm or have no effect, for a domain with exactly one record. */
function findRemovableTerms(
  facts: SpfFacts,
  { unusedIds, bouncingBelowIds }: SpfContext,
): Map<string, RemovalReason> {
  const [record] = facts.tree.records
  const terms = record ? activeTerms(record) : []
  const children = new Map(facts.tree.children.map((node) => [node.term, node]))
  const removable = new Map<string, RemovalReason>()
  for (const term of terms) {
    const child = children.get(term)
    const isUnused = child?.service && unusedIds.has(child.service.id)
    const reason = isUnused ? 'unused' : child ? judgeInclude(child, facts) : judgeTerm(term, facts)
    if (reason) removable.set(term.text, reason)
  }
  const needless = facts.tree.children.flatMap(({ term, service }) =>
    term && service && bouncingBelowIds.has(service.id) ? [term.text] : [],
  )
  // A record that names no one else would call for a sender that does not exist.
  const hasOthers = terms.some(
    ({ kind, text }) => kind !== 'all' && !removable.has(text) && !needless.includes(text),
  )
  for (const text of hasOthers ? needless : []) removable.set(text, 'needless')
  return removable
}

/** The domain's own records whose terms count too many void lookups and would go from this one. */
function findVoidRecords(facts: SpfFacts): [string, RemovalReason][] {
  return facts.tree.children.flatMap((child) => {
    const { term, isOwn } = child
    const terms = flattenSpfTree(child).flatMap((node) => (node.isOwn ? node.followed : []))
    const hasVoidTerm = terms.flatMap(activeTerms).some((each) => judgeTerm(each, facts))
    const isTooVoid = isOwn && term && exceedsVoidLimit(term, facts) && hasVoidTerm
    return isTooVoid && inlineTerms(child) ? [[term.text, 'broken']] : []
  })
}

function judgeInclude(child: SpfNode, { authorization, graph }: SpfFacts): RemovalReason | null {
  if (child.state === 'none' || child.state === 'malformed') return 'no-record'
  if (child.state === 'loop') return 'includes-itself'
  if (isBroken(child, graph)) return 'broken'
  const below = new Set(flattenSpfTree(child).map((node) => node.domain))
  const isOpen = authorization.openTerms.some((one) => below.has(one.domain) && isWide(one.term))
  return isOpen ? 'allows-everyone' : null
}

/** RFC 7208 §5.2, §4.6: a broken include breaks every record that leads to it. */
function isBroken(node: SpfNode, graph: SpfFacts['graph']): boolean {
  return flattenSpfTree(node).some(
    ({ state, records, followed }) =>
      ['none', 'malformed', 'several', 'loop'].includes(state) ||
      records.some((record) => invalidTerms(record).length > 0) ||
      followed.flatMap(activeTerms).some((term) => exceedsMxLimit(graph, term)),
  )
}

function judgeTerm(
  term: ActiveTerm,
  { domain, answers, graph, authorization }: SpfFacts,
): RemovalReason | null {
  // Which servers `ptr` lets in is not known, so it stays.
  if (term.kind === 'all' || term.kind === 'ptr' || !isDirective(term)) return null
  const isOpen = authorization.openTerms.some((one) => one.domain === domain && one.term === term)
  if (isOpen && isWide(term)) return 'allows-everyone'
  const target = graph.targetOf(term)
  // Mail servers without addresses are a fault of their MX records, not of the term.
  const hasMx =
    term.kind === 'mx' &&
    target.kind === 'name' &&
    evaluatedMxHosts(answers, target.name).length > 0
  return hasMx || !matchesNothing(graph, term) ? null : 'matches-nothing'
}

/** Several ranges may cover all addresses together; only wide ones are removed. */
function isWide({
  kind,
  ipv4Prefix,
  ipv6Prefix,
}: SpfFacts['authorization']['openTerms'][number]['term']) {
  return (
    !kind.startsWith('ip') || ipv4Prefix < WIDEST_KEPT_PREFIX || ipv6Prefix < WIDEST_KEPT_PREFIX
  )
}
