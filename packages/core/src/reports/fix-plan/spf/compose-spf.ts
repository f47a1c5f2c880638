/** Composes the SPF record: checks a draft over today's DNS and changes it until it is valid. */
import type { Dns } from '@mailgrade/doh/dns'
import type { MailService } from '../../../catalog/mail-services.js'
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
import { LOOKUP_LIMIT, type SpfReport } from '../../../checks/spf/spf-report.js'
import { flattenSpfTree, type SpfNode } from '../../../checks/spf/spf-tree.js'
import type { DomainName } from '../../../names/domain-name.js'
import { createOverlayDns } from '../../overlay-dns.js'
import { chooseTerms, needlessTerms } from './choose-terms.js'
import { inlineTerms, type LookupSaving, redundantTerms, shorterTerms } from './lookup-savings.js'

export type SpfAllTerm = '-all' | '~all'

interface SpfDraft {
  readonly terms: readonly string[]
  readonly allTerm: SpfAllTerm
}

interface RemovedTerm {
  readonly term: string
  readonly reason: RemovalReason
}

export interface LeftOutTerm {
  readonly term: string
  readonly service: MailService | null
  /** The service never uses the domain in MAIL FROM, so receivers never look for it here. */
  readonly isNeedless: boolean
}

export interface ComposedSpf extends SpfDraft {
  readonly kind: 'composed'
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
  /** Terms replaced to save lookups. */
  readonly rewritten: readonly LookupSaving[]
  /** What the record would do if it were published. */
  readonly facts: SpfFacts
}

export interface SpfContext {
  readonly dns: Dns
  readonly domain: DomainName
  readonly mailboxProviderIds: ReadonlySet<string>
  /** The ids of services that no longer send. */
  readonly unusedIds: ReadonlySet<string>
  /** Terms by the id of the mailbox provider that requires them. */
  readonly providerTerms: ReadonlyMap<string, readonly string[]>
  /** Terms whose senders all pass today. */
  readonly passingTerms: ReadonlySet<string>
}

export async function composeSpf(
  draft: SpfDraft,
  context: SpfContext,
): Promise<ComposedSpf | DnsUnavailable> {
  const dropped: RemovedTerm[] = []
  const leftOut: LeftOutTerm[] = []
  const rewritten: LookupSaving[] = []
  // A removed term never returns, so records that include each other cannot loop.
  const removed = new Set<string>()
  let terms = dedupeTerms(draft.terms)
  let senders: SpfReport['senders'] | null = null
  for (;;) {
    const isShort = leftOut.some(({ isNeedless }) => !isNeedless)
    const allTerm = isShort ? '~all' : draft.allTerm
    const value = formatSpf({ terms, allTerm })
    const discovered = await discoverDraft(value, context)
    if (discovered.kind === 'unavailable') return discovered
    const { facts } = discovered
    senders ??= listSpfSenders(facts)
    const change = nextChange(facts, context)
    if (!change) {
      return {
        kind: 'composed',
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
        facts,
      }
    }
    for (const term of change.replacements.keys()) removed.add(term)
    const next = terms.flatMap((term) => change.replacements.get(term) ?? [term])
    terms = dedupeTerms(next).filter((term) => !removed.has(term))
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
  readonly leftOut: readonly LeftOutTerm[]
  readonly rewritten: readonly LookupSaving[]
}

function nextChange(facts: SpfFacts, context: SpfContext): DraftChange | null {
  const removable = [...findRemovableTerms(facts, context)]
  if (removable.length > 0) return removeTerms(facts, removable)
  if (facts.tree.lookups <= LOOKUP_LIMIT) return null
  const redundant = redundantTerms(facts)
  const needless = redundant.length > 0 ? [] : needlessTerms(facts, context)
  const hasShorter = redundant.length + needless.length === 0
  const rewritten = hasShorter ? shorterTerms(facts) : redundant
  const isLeft = needless.length === 0 && rewritten.length === 0
  const leftOut = isLeft ? chooseTerms(facts, context) : needless
  const replaced = rewritten.map(({ term, replacement }) => [term, replacement] as const)
  return {
    replacements: new Map([...replaced, ...leftOut.map(({ term }) => [term, []] as const)]),
    dropped: [],
    leftOut,
    rewritten,
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
    leftOut: [],
    rewritten: [],
  }
}

export type RemovalReason = 'matches-nothing' | 'broken' | 'allows-everyone' | 'unused'

/** No organization holds a larger block than a /8. */
const WIDEST_PREFIX = 8

/** Terms that do harm or have no effect, for a domain with exactly one record. */
function findRemovableTerms(
  facts: SpfFacts,
  { unusedIds }: SpfContext,
): Map<string, RemovalReason> {
  const [record] = facts.tree.records
  const children = new Map(facts.tree.children.map((node) => [node.term, node]))
  const removable = new Map<string, RemovalReason>()
  for (const term of record ? activeTerms(record) : []) {
    const child = children.get(term)
    const isUnused = child?.service && unusedIds.has(child.service.id)
    const reason = isUnused ? 'unused' : child ? judgeInclude(child, facts) : judgeTerm(term, facts)
    if (reason) removable.set(term.text, reason)
  }
  return removable
}

function judgeInclude(child: SpfNode, { authorization }: SpfFacts): RemovalReason | null {
  if (child.state === 'none' || child.state === 'malformed') return 'matches-nothing'
  if (isBroken(child)) return 'broken'
  const below = new Set(flattenSpfTree(child).map((node) => node.domain))
  const isOpen = authorization.openTerms.some((one) => below.has(one.domain) && isWide(one.term))
  return isOpen ? 'allows-everyone' : null
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
  // Which servers `ptr` lets in is not known, so it stays.
  if (term.kind === 'all' || term.kind === 'ptr' || !isDirective(term)) return null
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
