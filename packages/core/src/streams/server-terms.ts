/** The servers that SPF names one by one: those of the domain itself, or of a service. */
import {
  findProviderByMx,
  findServiceBySpfHost,
  type MailService,
} from '../catalog/mail-services.js'
import type { SpfFacts } from '../checks/spf/discover-spf.js'
import { replaceMacros } from '../checks/spf/domain-spec.js'
import { isPassing } from '../checks/spf/evaluate-senders.js'
import type { SpfGraph } from '../checks/spf/spf-graph.js'
import {
  type ActiveTerm,
  activeTerms,
  type Directive,
  isDirective,
} from '../checks/spf/spf-record.js'
import type { SpfReport } from '../checks/spf/spf-report.js'
import { isFirstOccurrence } from '../checks/spf/spf-tree.js'
import { evaluatedMxHosts, matchesNothing } from '../checks/spf/term-lookups.js'

/** Providers that send from other servers than those which receive; at small ones it may be the same. */
const SEPARATE_SERVERS: ReadonlySet<string> = new Set(['google', 'microsoft365', 'godaddy-m365'])

export function onlyReceives({ id }: Pick<MailService, 'id'>): boolean {
  return SEPARATE_SERVERS.has(id)
}

/** `mx` that names only servers which send nothing. */
export function namesReceivers(graph: SpfGraph, term: ActiveTerm): boolean {
  const target = term.kind === 'mx' ? graph.targetOf(term) : null
  const hosts = target?.kind === 'name' ? evaluatedMxHosts(graph.answers, target.name) : []
  const providers = hosts.map(findProviderByMx)
  return (
    providers.length > 0 &&
    providers.every((provider) => provider !== null && onlyReceives(provider))
  )
}

/** The terms of the domain's own records that name its own servers. */
export function findServerTerms(facts: SpfFacts): Directive[] {
  return namedServers(facts).flatMap(({ term, services }) => (services.length > 0 ? [] : [term]))
}

/** The terms of the domain's own records that name servers of the service. */
export function findTermsOfService(facts: SpfFacts, { id }: MailService): Directive[] {
  return namedServers(facts).flatMap(({ term, services }) =>
    services.some((service) => service.id === id) ? [term] : [],
  )
}

/** The services whose servers the domain's own records name by host. */
export function listServerSenders(facts: SpfFacts): SpfReport['senders'] {
  return namedServers(facts).flatMap(({ term, services }) =>
    term.target ? services.map(({ id, name }) => ({ id, name, via: term.text })) : [],
  )
}

interface NamedServers {
  readonly term: Directive
  /** Who runs them; empty if at least one of them is of no service in the catalog. */
  readonly services: readonly MailService[]
}

const known = new WeakMap<SpfFacts, readonly NamedServers[]>()

/** Each stream asks about the same record. */
function namedServers(facts: SpfFacts): readonly NamedServers[] {
  const found = known.get(facts) ?? findNamedServers(facts)
  known.set(facts, found)
  return found
}

function findNamedServers({ nodes, graph }: SpfFacts): NamedServers[] {
  return nodes
    .filter((node) => node.isOwn && isFirstOccurrence(node))
    .flatMap(({ followed }) => followed.flatMap(activeTerms).filter(isDirective))
    .filter((term) => term.kind !== 'include' && term.kind !== 'all' && isPassing(term))
    .filter((term) => !namesReceivers(graph, term) && !matchesNothing(graph, term))
    .map((term) => ({ term, services: findOperators(graph, term) }))
}

function findOperators(graph: SpfGraph, term: Directive): MailService[] {
  const named = term.target && findServiceBySpfHost(replaceMacros(term.target))
  if (named) return [named]
  const operators = hostsOf(graph, term).map(findProviderByMx)
  return operators.every((operator) => operator !== null) ? operators : []
}

function hostsOf(graph: SpfGraph, term: Directive): readonly string[] {
  const target = graph.targetOf(term)
  if (target.kind !== 'name') return []
  if (term.kind === 'mx') return evaluatedMxHosts(graph.answers, target.name)
  return term.kind === 'a' ? [target.name] : []
}
