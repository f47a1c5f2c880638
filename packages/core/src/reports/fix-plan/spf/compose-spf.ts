/** Finds the record to publish: composed, tried out over today's DNS, and mended until it holds. */
import type { Dns } from '@mailgrade/doh/dns'
import type { MailService } from '../../../catalog/mail-services.js'
import type { DnsUnavailable } from '../../../checks/check-result.js'
import { listSpfSenders } from '../../../checks/spf/check-spf.js'
import { discoverSpf, type SpfFacts } from '../../../checks/spf/discover-spf.js'
import { evaluatedMxHosts } from '../../../checks/spf/spf-answers.js'
import { hasHosts } from '../../../checks/spf/spf-authorization.js'
import {
  type ActiveTerm,
  activeTerms,
  invalidTerms,
  isDirective,
} from '../../../checks/spf/spf-record.js'
import type { SpfReport } from '../../../checks/spf/spf-report.js'
import { flattenSpfTree, type SpfNode } from '../../../checks/spf/spf-tree.js'
import { resolveTermTarget } from '../../../checks/spf/term-target.js'
import type { DomainName } from '../../../names/domain-name.js'
import { registrableDomain } from '../../../names/registrable-domain.js'
import { createOverlayDns } from '../../overlay-dns.js'
import { inlineTerms, type LookupSaving, nextLookupSavings } from './lookup-savings.js'

export type SpfAllTerm = '-all' | '~all'

export interface SpfDraft {
  readonly terms: readonly string[]
  readonly allTerm: SpfAllTerm
}

interface Dropped {
  readonly term: string
  readonly doom: RemovalReason
}

interface Moved {
  readonly term: string
  readonly service: MailService | null
}

export interface ComposedSpf extends SpfDraft {
  readonly kind: 'composed'
  readonly value: string
  readonly lookups: number
  readonly authorizesSenders: boolean
  /** Nobody is let send but services that cannot align. */
  readonly hasOnlyUnalignedSenders: boolean
  /** Whom the terms named before any was dropped. */
  readonly senders: SpfReport['senders']
  /** Whom they name in the end. */
  readonly remainingSenders: SpfReport['senders']
  readonly dropped: readonly Dropped[]
  /** For whom there is no room. */
  readonly moved: readonly Moved[]
  /** Terms that say the same in fewer lookups, or that others say already. */
  readonly rewritten: readonly Pick<LookupSaving, 'term' | 'replacement'>[]
}

interface Place {
  readonly dns: Dns
  readonly domain: DomainName
  /** The services that are to stay, whatever they cost. */
  readonly stays: ReadonlySet<string>
  /** Terms that a mailbox provider asks for, whosever hosts they name. */
  readonly asked: ReadonlySet<string>
}

export async function composeSpf(
  draft: SpfDraft,
  place: Place,
): Promise<ComposedSpf | DnsUnavailable> {
  const composed = await compose(draft, place, place.asked)
  if (composed.kind !== 'composed' || composed.authorizesSenders) return composed
  const idle = composed.dropped.filter(({ doom }) => doom === 'unaligned')
  if (idle.length === 0) return composed
  // Without them the record would say that nobody sends, which is worse than a lookup too many.
  const spared = new Set([...place.asked, ...idle.map(({ term }) => term)])
  const whole = await compose(draft, place, spared)
  return whole.kind === 'composed' ? { ...whole, hasOnlyUnalignedSenders: true } : whole
}

/** `spared`: terms that stay although they cannot align. */
async function compose(
  draft: SpfDraft,
  place: Place,
  spared: ReadonlySet<string>,
): Promise<ComposedSpf | DnsUnavailable> {
  const dropped: Dropped[] = []
  const moved: Moved[] = []
  const rewritten: LookupSaving[] = []
  // What has gone does not come back, so that records which lead to each other come to an end.
  const gone = new Set<string>()
  let terms = dedupeTerms(draft.terms)
  let senders: SpfReport['senders'] | null = null
  for (;;) {
    const value = formatSpf({ ...draft, terms })
    const facts = await tried(value, place)
    if ('kind' in facts) return facts
    senders ??= listSpfSenders(facts)
    const change = nextChange(facts, place.stays, spared)
    if (!change) {
      const { lookups } = facts.tree
      const { authorizesSenders } = facts.authorization
      const remainingSenders = listSpfSenders(facts)
      const found = {
        value,
        lookups,
        authorizesSenders,
        hasOnlyUnalignedSenders: false,
        senders,
        remainingSenders,
      }
      return { kind: 'composed', ...draft, terms, ...found, dropped, moved, rewritten }
    }
    for (const term of change.instead.keys()) gone.add(term)
    const next = terms.flatMap((term) => change.instead.get(term) ?? [term])
    terms = dedupeTerms(next).filter((term) => !gone.has(term))
    dropped.push(...change.dropped)
    moved.push(...change.moved)
    rewritten.push(...change.rewritten)
  }
}

export function dedupeTerms(terms: readonly string[]): string[] {
  const said = new Set<string>()
  return terms.filter((text) => {
    const essence = text.toLowerCase().replace(/^\+/, '').replace(/\.$/, '')
    const isNew = !said.has(essence)
    said.add(essence)
    return isNew
  })
}

export function formatSpf({ terms, allTerm }: SpfDraft): string {
  return ['v=spf1', ...terms, allTerm].join(' ')
}

async function tried(value: string, { dns, domain }: Place): Promise<SpfFacts | DnsUnavailable> {
  const published = createOverlayDns(dns, [{ type: 'TXT', name: domain, value }])
  const discovered = await discoverSpf(published, domain)
  if (discovered.kind === 'report') return discovered.report
  if (discovered.kind === 'unavailable') return discovered
  throw new Error('A name with a record does not exist')
}

interface Change {
  /** Terms, and what takes their place. */
  readonly instead: ReadonlyMap<string, readonly string[]>
  readonly dropped: readonly Dropped[]
  readonly moved: readonly Moved[]
  readonly rewritten: readonly LookupSaving[]
}

function nextChange(
  facts: SpfFacts,
  stays: ReadonlySet<string>,
  spared: ReadonlySet<string>,
): Change | null {
  const doomed = [...findRemovableTerms(facts)].filter(
    ([term, doom]) => doom !== 'unaligned' || !spared.has(term),
  )
  if (doomed.length > 0) return withoutDoomed(facts, doomed)
  const savings = nextLookupSavings(facts, stays)
  if (savings.length === 0) return null
  return {
    instead: new Map(savings.map(({ term, replacement }) => [term, replacement])),
    dropped: [],
    moved: savings.filter(({ requiresMove }) => requiresMove),
    rewritten: savings.filter(({ requiresMove }) => !requiresMove),
  }
}

/** A broken record of the domain's own still names people who send: they are taken over. */
function withoutDoomed({ tree }: SpfFacts, doomed: readonly [string, RemovalReason][]): Change {
  const changes = doomed.map(([term, doom]) => {
    const child = tree.children.find((node) => node.term?.text === term)
    const isRead = child?.isOwn && child.state !== 'loop'
    const rescued = doom === 'broken' && isRead ? inlineTerms(child) : null
    return { term, doom, rescued }
  })
  return {
    instead: new Map(changes.map(({ term, rescued }) => [term, rescued ?? []])),
    dropped: changes.filter(({ rescued }) => rescued === null),
    moved: [],
    rewritten: [],
  }
}

export type RemovalReason = 'ptr' | 'dead' | 'broken' | 'unaligned' | 'open'

/** A /8 is the largest block that was ever given to anybody. */
const WIDEST_PREFIX = 8

/** By the text of the term; of a record that stands alone at the domain. */
export function findRemovableTerms(facts: SpfFacts): Map<string, RemovalReason> {
  const [record] = facts.tree.records
  const children = new Map(facts.tree.children.map((node) => [node.term, node]))
  const doomed = new Map<string, RemovalReason>()
  for (const term of record ? activeTerms(record) : []) {
    const child = children.get(term)
    const doom = child ? doomOfInclude(child, facts) : doomOf(term, facts)
    if (doom) doomed.set(term.text, doom)
  }
  return doomed
}

function doomOfInclude(child: SpfNode, { domain, authorization }: SpfFacts): RemovalReason | null {
  if (child.state === 'none' || child.state === 'malformed') return 'dead'
  if (isBroken(child)) return 'broken'
  const below = new Set(flattenSpfTree(child).map((node) => node.domain))
  if (authorization.openTerms.some((one) => below.has(one.domain) && isWide(one.term)))
    return 'open'
  // A subdomain may be the very one that such a service bounces to, and then it needs the include.
  const isRoot = registrableDomain(domain) === domain
  return isRoot && child.service?.alignsAtRoot === 'no' ? 'unaligned' : null
}

/** RFC 7208 §5.2, §4.6: what is broken below breaks everything above it. */
function isBroken(node: SpfNode): boolean {
  return flattenSpfTree(node).some(
    ({ state, records }) =>
      ['none', 'malformed', 'several', 'loop'].includes(state) ||
      records.some((record) => invalidTerms(record).length > 0),
  )
}

function doomOf(
  term: ActiveTerm,
  { domain, answers, authorization }: SpfFacts,
): RemovalReason | null {
  if (term.kind === 'all' || !isDirective(term)) return null
  if (term.kind === 'ptr') return 'ptr'
  const isOpen = authorization.openTerms.some((one) => one.domain === domain && one.term === term)
  if (isOpen && isWide(term)) return 'open'
  const target = resolveTermTarget(term, { domain, origin: domain })
  // Mail servers that lost their addresses are a fault of these, and not of the term.
  const isNamed = term.kind === 'mx' && target.kind === 'name' && hasServers(answers, target.name)
  return isNamed || hasHosts(answers, { term, target }) ? null : 'dead'
}

function hasServers(answers: SpfFacts['answers'], name: string): boolean {
  const answer = answers.answer(name, 'MX')
  return answer !== undefined && evaluatedMxHosts(answer).length > 0
}

/** Ranges may cover everything together; the narrow ones among them are not to blame. */
function isWide({
  kind,
  ipv4Prefix,
  ipv6Prefix,
}: SpfFacts['authorization']['openTerms'][number]['term']) {
  return !kind.startsWith('ip') || ipv4Prefix < WIDEST_PREFIX || ipv6Prefix < WIDEST_PREFIX
}
