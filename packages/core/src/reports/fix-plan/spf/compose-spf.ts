/** Composes the SPF record: checks a draft over today's DNS and changes it until it is valid. */
import type { Dns } from '@mailgrade/doh/dns'
import { hasUselessInclude, type MailService } from '../../../catalog/mail-services.js'
import type { DnsUnavailable } from '../../../checks/check-result.js'
import { listSpfSenders } from '../../../checks/spf/check-spf.js'
import { discoverSpf, type SpfFacts } from '../../../checks/spf/discover-spf.js'
import { matchesNothing } from '../../../checks/spf/matching-addresses.js'
import { evaluatedMxHosts } from '../../../checks/spf/spf-graph.js'
import {
  type ActiveTerm,
  activeTerms,
  invalidTerms,
  isDirective,
} from '../../../checks/spf/spf-record.js'
import type { SpfReport } from '../../../checks/spf/spf-report.js'
import { flattenSpfTree, type SpfNode } from '../../../checks/spf/spf-tree.js'
import { type DomainName, registrableDomain } from '../../../names/domain-name.js'
import { createOverlayDns } from '../../overlay-dns.js'
import { inlineTerms, type LookupSaving, nextLookupSavings } from './lookup-savings.js'

export type SpfAllTerm = '-all' | '~all'

interface SpfDraft {
  readonly terms: readonly string[]
  readonly allTerm: SpfAllTerm
}

interface RemovedTerm {
  readonly term: string
  readonly reason: RemovalReason
}

interface MovedTerm {
  readonly term: string
  readonly service: MailService | null
}

export interface ComposedSpf extends SpfDraft {
  readonly kind: 'composed'
  readonly value: string
  readonly lookups: number
  readonly authorizesSenders: boolean
  /** It authorizes only services that cannot align. */
  readonly hasOnlyUnalignedSenders: boolean
  /** The senders of the draft. */
  readonly senders: SpfReport['senders']
  /** The senders of the result. */
  readonly remainingSenders: SpfReport['senders']
  readonly dropped: readonly RemovedTerm[]
  /** Senders over the lookup limit. */
  readonly moved: readonly MovedTerm[]
  /** Terms replaced to save lookups. */
  readonly rewritten: readonly Pick<LookupSaving, 'term' | 'replacement'>[]
}

export interface SpfContext {
  readonly dns: Dns
  readonly domain: DomainName
  /** Services that are never moved, whatever they cost. */
  readonly keptServiceIds: ReadonlySet<string>
  /** Terms by the id of the mailbox provider that requires them. */
  readonly providerTerms: ReadonlyMap<string, readonly string[]>
}

export async function composeSpf(
  draft: SpfDraft,
  context: SpfContext,
): Promise<ComposedSpf | DnsUnavailable> {
  const required = [...context.providerTerms.values()].flat()
  const composed = await compose(draft, context, new Set(required))
  if (composed.kind === 'unavailable' || composed.authorizesSenders) return composed
  const unaligned = composed.dropped.filter(({ reason }) => reason === 'unaligned')
  if (unaligned.length === 0) return composed
  // Without these terms the record would authorize no sender, so compose it again and keep them.
  const keptTerms = new Set([...required, ...unaligned.map(({ term }) => term)])
  const withUnaligned = await compose(draft, context, keptTerms)
  return withUnaligned.kind === 'composed'
    ? { ...withUnaligned, hasOnlyUnalignedSenders: true }
    : withUnaligned
}

/** `keptTerms` stay although they cannot align. */
async function compose(
  draft: SpfDraft,
  context: SpfContext,
  keptTerms: ReadonlySet<string>,
): Promise<ComposedSpf | DnsUnavailable> {
  const dropped: RemovedTerm[] = []
  const moved: MovedTerm[] = []
  const rewritten: LookupSaving[] = []
  // A removed term never returns, so records that include each other cannot loop.
  const removed = new Set<string>()
  let terms = dedupeTerms(draft.terms)
  let senders: SpfReport['senders'] | null = null
  for (;;) {
    const value = formatSpf({ ...draft, terms })
    const discovered = await discoverDraft(value, context)
    if (discovered.kind === 'unavailable') return discovered
    const { facts } = discovered
    senders ??= listSpfSenders(facts)
    const change = nextChange(facts, context.keptServiceIds, keptTerms)
    if (!change) {
      return {
        kind: 'composed',
        ...draft,
        terms,
        value,
        lookups: facts.tree.lookups,
        authorizesSenders: facts.authorization.authorizesSenders,
        hasOnlyUnalignedSenders: false,
        senders,
        remainingSenders: listSpfSenders(facts),
        dropped,
        moved,
        rewritten,
      }
    }
    for (const term of change.replacements.keys()) removed.add(term)
    const next = terms.flatMap((term) => change.replacements.get(term) ?? [term])
    terms = dedupeTerms(next).filter((term) => !removed.has(term))
    dropped.push(...change.dropped)
    moved.push(...change.moved)
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

export function formatSpf({ terms, allTerm }: SpfDraft): string {
  return ['v=spf1', ...terms, allTerm].join(' ')
}

async function discoverDraft(
  value: string,
  { dns, domain }: SpfContext,
): Promise<{ readonly kind: 'found'; readonly facts: SpfFacts } | DnsUnavailable> {
  const published = createOverlayDns(dns, [{ type: 'TXT', name: domain, value }])
  const discovered = await discoverSpf(published, domain)
  if (discovered.kind === 'unavailable') return discovered
  if (discovered.kind === 'facts') {
    // A plan must know what every include costs and authorizes.
    const [failure] = discovered.facts.graph.failures
    return failure ?? { kind: 'found', facts: discovered.facts }
  }
  throw new Error('The overlay publishes a record at the domain, so the domain exists')
}

interface DraftChange {
  /** Replacement terms by term. */
  readonly replacements: ReadonlyMap<string, readonly string[]>
  readonly dropped: readonly RemovedTerm[]
  readonly moved: readonly MovedTerm[]
  readonly rewritten: readonly LookupSaving[]
}

function nextChange(
  facts: SpfFacts,
  keptServiceIds: ReadonlySet<string>,
  keptTerms: ReadonlySet<string>,
): DraftChange | null {
  const removable = [...findRemovableTerms(facts)].filter(
    ([term, reason]) => reason !== 'unaligned' || !keptTerms.has(term),
  )
  if (removable.length > 0) return removeTerms(facts, removable)
  const savings = nextLookupSavings(facts, keptServiceIds)
  if (savings.length === 0) return null
  return {
    replacements: new Map(savings.map(({ term, replacement }) => [term, replacement])),
    dropped: [],
    moved: savings.filter(({ requiresMove }) => requiresMove),
    rewritten: savings.filter(({ requiresMove }) => !requiresMove),
  }
}

/** The senders of a broken record of the domain's own are taken over. */
function removeTerms(
  { tree }: SpfFacts,
  removable: readonly [string, RemovalReason][],
): DraftChange {
  const changes = removable.map(([term, reason]) => {
    const child = tree.children.find((node) => node.term?.text === term)
    const isReadable = child?.isOwn && child.state !== 'loop'
    const inlined = reason === 'broken' && isReadable ? inlineTerms(child) : null
    return { term, reason, inlined }
  })
  return {
    replacements: new Map(changes.map(({ term, inlined }) => [term, inlined ?? []])),
    dropped: changes.filter(({ inlined }) => inlined === null),
    moved: [],
    rewritten: [],
  }
}

export type RemovalReason = 'ptr' | 'matches-nothing' | 'broken' | 'unaligned' | 'allows-everyone'

/** No organization holds a larger block than a /8. */
const WIDEST_PREFIX = 8

/** Terms that do harm or have no effect, for a domain with exactly one record. */
function findRemovableTerms(facts: SpfFacts): Map<string, RemovalReason> {
  const [record] = facts.tree.records
  const children = new Map(facts.tree.children.map((node) => [node.term, node]))
  const removable = new Map<string, RemovalReason>()
  for (const term of record ? activeTerms(record) : []) {
    const child = children.get(term)
    const reason = child ? judgeInclude(child, facts) : judgeTerm(term, facts)
    if (reason) removable.set(term.text, reason)
  }
  return removable
}

function judgeInclude(child: SpfNode, { domain, authorization }: SpfFacts): RemovalReason | null {
  if (child.state === 'none' || child.state === 'malformed') return 'matches-nothing'
  if (isBroken(child)) return 'broken'
  const below = new Set(flattenSpfTree(child).map((node) => node.domain))
  if (authorization.openTerms.some((one) => below.has(one.domain) && isWide(one.term)))
    return 'allows-everyone'
  // Such a service may bounce to a subdomain, which then needs the include.
  const isRoot = registrableDomain(domain) === domain
  return isRoot && child.service && hasUselessInclude(child.service) ? 'unaligned' : null
}

/** RFC 7208 §5.2, §4.6: a broken include breaks every record that leads to it. */
function isBroken(node: SpfNode): boolean {
  return flattenSpfTree(node).some(
    ({ state, records }) =>
      ['none', 'malformed', 'several', 'loop'].includes(state) ||
      records.some((record) => invalidTerms(record).length > 0),
  )
}

function judgeTerm(
  term: ActiveTerm,
  { domain, answers, graph, authorization }: SpfFacts,
): RemovalReason | null {
  if (term.kind === 'all' || !isDirective(term)) return null
  if (term.kind === 'ptr') return 'ptr'
  const isOpen = authorization.openTerms.some((one) => one.domain === domain && one.term === term)
  if (isOpen && isWide(term)) return 'allows-everyone'
  const target = graph.targetOf(term)
  // Mail servers without addresses are a fault of their MX records, not of the term.
  const hasMx = term.kind === 'mx' && target.kind === 'name' && hasMxHosts(answers, target.name)
  return hasMx || !matchesNothing(graph, term) ? null : 'matches-nothing'
}

function hasMxHosts(answers: SpfFacts['answers'], name: string): boolean {
  const answer = answers.answer(name, 'MX')
  return answer !== undefined && evaluatedMxHosts(answer).length > 0
}

/** Several ranges may cover all addresses together; only wide ones are removed. */
function isWide({
  kind,
  ipv4Prefix,
  ipv6Prefix,
}: SpfFacts['authorization']['openTerms'][number]['term']) {
  return !kind.startsWith('ip') || ipv4Prefix < WIDEST_PREFIX || ipv6Prefix < WIDEST_PREFIX
}
