/** Servers that no catalog entry describes: those of the domain itself, and unknown mail hosts. */
import { findProviderByMx, type MailService } from '../catalog/mail-services.js'
import type { MxFacts, MxTarget } from '../checks/mx/discover-mx.js'
import type { SpfFacts } from '../checks/spf/discover-spf.js'
import { isPassing } from '../checks/spf/evaluate-senders.js'
import type { SpfGraph } from '../checks/spf/spf-graph.js'
import {
  type ActiveTerm,
  activeTerms,
  type Directive,
  isDirective,
} from '../checks/spf/spf-record.js'
import { isFirstOccurrence } from '../checks/spf/spf-tree.js'
import { evaluatedMxHosts, matchesNothing } from '../checks/spf/term-lookups.js'
import { registrableDomain } from '../names/registrable-domain.js'
import { findBounceService } from './find-senders.js'

interface ServerFacts {
  readonly domain: string
  readonly mx: Pick<MxFacts, 'targets'>
}

/** Mail servers under the domain's own name, which most likely send its mail as well. */
export function hasOwnMailServers(facts: ServerFacts): boolean {
  return findOwnMailServers(facts).length > 0
}

export function findOwnMailServers({ domain, mx }: ServerFacts): MxTarget[] {
  const organization = registrableDomain(domain)
  return mx.targets.filter(
    ({ kind, exchange }) => kind === 'host' && registrableDomain(exchange) === organization,
  )
}

/**
 * A mail server of another organization that is not in the catalog. Behind other servers, it is a
 * backup, which only keeps mail until those are back.
 */
export function findUnknownMailHost({ domain, mx }: ServerFacts): string | null {
  const organization = registrableDomain(domain)
  const hosts = mx.targets.filter(({ kind }) => kind === 'host')
  const isUnknown = ({ exchange }: MxTarget) =>
    findProviderByMx(exchange) === null &&
    findBounceService(exchange) === null &&
    registrableDomain(exchange) !== organization
  const first = hosts.find((target) => !isUnknown(target))
  const unknown = hosts.find(isUnknown)
  if (!unknown || (first && first.preference < unknown.preference)) return null
  return unknown.exchange
}

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

/** The terms of the domain's own records that name servers and not services. */
export function findServerTerms({ nodes, graph }: SpfFacts): Directive[] {
  return nodes
    .filter((node) => node.isOwn && isFirstOccurrence(node))
    .flatMap(({ followed }) => followed.flatMap(activeTerms).filter(isDirective))
    .filter((term) => term.kind !== 'include' && term.kind !== 'all' && isPassing(term))
    .filter((term) => !namesReceivers(graph, term) && !matchesNothing(graph, term))
}
