/** The include tree and what evaluating it costs a receiver, both computed from the graph. */
import { findServiceBySpfHost, type MailService } from '../../catalog/mail-services.js'
import { registrableDomain } from '../../names/registrable-domain.js'
import type { IpFamily } from '../ip-address.js'
import { type DomainSpec, replaceMacros } from './domain-spec.js'
import type { SpfGraph, SpfHost } from './spf-graph.js'
import { MAX_COST, MAX_TREE_NODES } from './spf-limits.js'
import {
  type ActiveTerm,
  isIncludeOrRedirect,
  mergeTerms,
  type SpfRecord,
  termsOf,
} from './spf-record.js'
import { isVoid, needsLookup, termAnswers } from './term-lookups.js'

export interface SpfNode {
  /** The host, with its macros if it depends on the sender. */
  readonly domain: string
  /** The term that leads here; null at the root. */
  readonly term: ActiveTerm | null
  /** `loop`: it is its own ancestor; `repeated`: its children are under its first occurrence. */
  readonly state: SpfHost['state'] | 'loop' | 'repeated'
  readonly records: readonly SpfRecord[]
  /** The records to follow: none where receivers stop. */
  readonly followed: readonly SpfRecord[]
  /** Lookups from here down. */
  readonly lookups: number
  /** The known service that publishes it. */
  readonly service: MailService | null
  /** The record of a known service, or one that such a service includes. */
  readonly isWithinService: boolean
  /** The domain's owner can change it, judging by the names. */
  readonly isOwn: boolean
  readonly children: readonly SpfNode[]
}

type Parent = Pick<SpfNode, 'isOwn' | 'isWithinService'> & { readonly path: readonly string[] }

export function buildSpfTree({ origin, root, hostOf }: SpfGraph, costs: LookupCosts): SpfNode {
  /** The lookups from each name down. */
  const shown = new Map<string, number>()
  const organization = registrableDomain(origin)
  let remaining = MAX_TREE_NODES

  function buildNode(host: SpfHost, term: SpfNode['term'], parent: Parent): SpfNode {
    remaining -= 1
    const { records, followed } = host
    const domain = host.name ?? term?.target?.text ?? ''
    const node = { domain, term, records, followed, ...ownership(domain, term, parent) }
    if (parent.path.includes(domain)) return { state: 'loop', lookups: 0, children: [], ...node }
    const before = shown.get(domain)
    if (before !== undefined) return { state: 'repeated', lookups: before, children: [], ...node }

    const { lookups } = costs.recordsCost(followed)
    if (records.length > 0) shown.set(domain, lookups)
    const { isOwn, isWithinService } = node
    const path = [...parent.path, domain]
    const children = buildChildren(followed, { isOwn, isWithinService, path })
    return { state: host.state, lookups, children, ...node }
  }

  function buildChildren(records: readonly SpfRecord[], parent: Parent): SpfNode[] {
    const children: SpfNode[] = []
    for (const term of termsOf(records).filter(isIncludeOrRedirect)) {
      if (remaining <= 0) break
      children.push(buildNode(hostOf(term), term, parent))
    }
    return children
  }

  function ownership(domain: string, term: SpfNode['term'], parent: Parent) {
    const service = term?.target ? findServiceOf(term.target) : null
    const isWithinService = parent.isWithinService || service !== null
    // A redirect makes the other record the domain's own (RFC 7208 §6.1); an include does not.
    const isAdopted = term?.kind !== 'include' || registrableDomain(domain) === organization
    return { service, isWithinService, isOwn: parent.isOwn && !isWithinService && isAdopted }
  }

  return buildNode(root, null, { isOwn: true, isWithinService: false, path: [] })
}

const services = new WeakMap<DomainSpec, MailService | null>()

/** Every draft of a plan builds the tree again, from the same terms. */
function findServiceOf(spec: DomainSpec): MailService | null {
  const known = services.get(spec)
  if (known !== undefined) return known
  const service = findServiceBySpfHost(replaceMacros(spec))
  services.set(spec, service)
  return service
}

/** A node and everything below it, in record order. */
export function flattenSpfTree(node: SpfNode, nodes: SpfNode[] = []): SpfNode[] {
  nodes.push(node)
  for (const child of node.children) flattenSpfTree(child, nodes)
  return nodes
}

/** False where the tree returns to a record that it has already shown. */
export function isFirstOccurrence({ state }: SpfNode): boolean {
  return state !== 'repeated' && state !== 'loop'
}

/**
 * What a receiver spends when nothing matches (RFC 7208 §4.6.4). Void lookups depend on the sender:
 * for one over IPv6, receivers query AAAA instead of A.
 */
export interface LookupCost {
  readonly lookups: number
  readonly ipv4VoidLookups: number
  readonly ipv6VoidLookups: number
}

const NOTHING: LookupCost = { lookups: 0, ipv4VoidLookups: 0, ipv6VoidLookups: 0 }

export interface LookupCosts {
  /** With the record that the term leads to. */
  termCost(term: ActiveTerm): LookupCost
  /** The cost of one record, or of the record that merging several would give. */
  recordsCost(records: readonly SpfRecord[]): LookupCost
}

/** An include that occurs twice costs twice, but each host is computed once. */
export function createLookupCosts(graph: SpfGraph): LookupCosts {
  const { root, hostOf } = graph
  // A record that leads back to itself adds nothing more; the loop has its own finding.
  const costs = new Map<SpfHost, LookupCost>([[root, NOTHING]])

  function hostCost(host: SpfHost): LookupCost {
    if (host.state !== 'record') return NOTHING
    const before = costs.get(host)
    if (before) return before
    costs.set(host, NOTHING)
    const cost = termsOf(host.followed).map(termCost).reduce(add, NOTHING)
    costs.set(host, cost)
    return cost
  }

  function termCost(term: ActiveTerm): LookupCost {
    if (!needsLookup(term)) return NOTHING
    const voids = (family: IpFamily) => termAnswers(graph, term, family).filter(isVoid).length
    const own = { lookups: 1, ipv4VoidLookups: voids('ipv4'), ipv6VoidLookups: voids('ipv6') }
    return isIncludeOrRedirect(term) ? add(own, hostCost(hostOf(term))) : own
  }

  function recordsCost(records: readonly SpfRecord[]): LookupCost {
    return mergeTerms(records)
      .map(termCost)
      .reduce(
        (one, other) => ({
          lookups: one.lookups + other.lookups,
          ipv4VoidLookups: one.ipv4VoidLookups + other.ipv4VoidLookups,
          ipv6VoidLookups: one.ipv6VoidLookups + other.ipv6VoidLookups,
        }),
        NOTHING,
      )
  }

  // Within a loop a host's cost depends on where the walk begins: always at the domain.
  recordsCost(root.followed)
  return { termCost, recordsCost }
}

function add(one: LookupCost, other: LookupCost): LookupCost {
  // The cost of nearly every term: most are networks.
  if (other === NOTHING) return one
  return {
    lookups: Math.min(one.lookups + other.lookups, MAX_COST),
    ipv4VoidLookups: Math.min(one.ipv4VoidLookups + other.ipv4VoidLookups, MAX_COST),
    ipv6VoidLookups: Math.min(one.ipv6VoidLookups + other.ipv6VoidLookups, MAX_COST),
  }
}
