/** The include tree: a record, the records it includes or redirects to, and so on. */
import { findServiceBySpfHost, type MailService } from '../../catalog/mail-services.js'
import { registrableDomain } from '../../names/registrable-domain.js'
import { replaceMacros } from './domain-spec.js'
import type { LookupCosts } from './lookup-cost.js'
import type { SpfGraph, SpfHost } from './spf-graph.js'
import { type ActiveTerm, activeTerms, isIncludeOrRedirect, type SpfRecord } from './spf-record.js'

/** Far more than receivers follow; a record with thousands of includes is cut. */
const MAX_NODES = 300

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
  const shown = new Map<string, { lookups: number }>()
  const organization = registrableDomain(origin)
  let remaining = MAX_NODES

  function buildNode(host: SpfHost, term: SpfNode['term'], parent: Parent): SpfNode {
    remaining -= 1
    const { records, followed } = host
    const domain = host.name ?? term?.target?.text ?? ''
    const node = { domain, term, records, followed, ...ownership(domain, term, parent) }
    if (parent.path.includes(domain)) return { ...node, state: 'loop', lookups: 0, children: [] }
    const before = shown.get(domain)
    if (before) return { ...node, ...before, state: 'repeated', children: [] }

    const { lookups } = costs.recordsCost(followed)
    if (records.length > 0) shown.set(domain, { lookups })
    const children = buildChildren(followed, { ...node, path: [...parent.path, domain] })
    return { ...node, state: host.state, lookups, children }
  }

  function buildChildren(records: readonly SpfRecord[], parent: Parent): SpfNode[] {
    const children: SpfNode[] = []
    for (const term of records.flatMap(activeTerms).filter(isIncludeOrRedirect)) {
      if (remaining <= 0) break
      children.push(buildNode(hostOf(term), term, parent))
    }
    return children
  }

  function ownership(domain: string, term: SpfNode['term'], parent: Parent) {
    const service = term?.target ? findServiceBySpfHost(replaceMacros(term.target)) : null
    const isWithinService = parent.isWithinService || service !== null
    // A redirect makes the other record the domain's own (RFC 7208 §6.1); an include does not.
    const isAdopted = term?.kind !== 'include' || registrableDomain(domain) === organization
    return { service, isWithinService, isOwn: parent.isOwn && !isWithinService && isAdopted }
  }

  return buildNode(root, null, { isOwn: true, isWithinService: false, path: [] })
}

/** A node and everything below it, in record order. */
export function flattenSpfTree(node: SpfNode): SpfNode[] {
  return [node, ...node.children.flatMap(flattenSpfTree)]
}

/** False where the tree returns to a record that it has already shown. */
export function isFirstOccurrence({ state }: SpfNode): boolean {
  return state !== 'repeated' && state !== 'loop'
}
