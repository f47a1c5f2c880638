/** Whether SPF authorizes the servers of the mailbox providers that the MX records name. */
import type { Dns, DnsAnswer } from '@mailgrade/doh/dns'
import {
  findProviderByMx,
  findProviderTerms,
  findServiceBySpfHost,
  type MailService,
} from '../../catalog/mail-services.js'
import { coversRange } from '../address-set.js'
import { IP_FAMILIES } from '../ip-address.js'
import { replaceMacros } from './domain-spec.js'
import { evaluateAuthorization, type SpfAuthorization } from './spf-authorization.js'
import { resolveSpfGraph, type SpfGraph } from './spf-graph.js'
import { isIncludeOrRedirect, termsOf } from './spf-record.js'

interface SenderFacts {
  readonly graph: SpfGraph
  readonly authorization: SpfAuthorization
}

export interface MailboxAuthorization {
  readonly provider: Pick<MailService, 'id' | 'name'>
  /** The most preferred mail server that it runs. */
  readonly exchange: string
  /** What authorizes it, usually one include. */
  readonly terms: readonly string[]
  /** Null when a lookup failed, or a part of the record depends on the sender. */
  readonly isAuthorized: boolean | null
}

/** Most preferred first, without providers that do not say what to put into SPF. */
export async function discoverMailboxAuthorizations(
  dns: Dns,
  mx: DnsAnswer<'MX'>,
  { graph, authorization }: SenderFacts,
): Promise<MailboxAuthorization[]> {
  const found = await Promise.all(
    findMailboxHosts(mx).map(async ([{ id, name, ...service }, exchange]) => {
      const terms = includesFor(service, exchange)
      const [include] = terms
      if (include === undefined) return []
      const known = { provider: { id, name }, exchange, terms }
      if (includesService(graph, id)) return { isAuthorized: true, ...known }
      if (authorization.hasUnknownSenders) return { isAuthorized: null, ...known }
      const isAuthorized = await passesAnyRange(dns, hostOfInclude(include), authorization)
      return { isAuthorized, ...known }
    }),
  )
  return found.flat()
}

/** Empty behind a gateway or a forwarder, through which mail may also leave. */
function findMailboxHosts(mx: DnsAnswer<'MX'>): (readonly [MailService, string])[] {
  const servers = mx.kind === 'records' ? mx.records : []
  const preferred = [...servers].sort((one, other) => one.preference - other.preference)
  const hosts = new Map<MailService, string>()
  for (const { exchange } of preferred) {
    const provider = findProviderByMx(exchange)
    if (provider && !hosts.has(provider)) hosts.set(provider, exchange)
  }
  const [first] = hosts.keys()
  return first?.kind === 'mailbox' ? [...hosts].filter(([{ kind }]) => kind === 'mailbox') : []
}

/** Only includes whose hosts are the same for every customer, the provider's own first. */
function includesFor(provider: Pick<MailService, 'setup'>, exchange: string): readonly string[] {
  const terms = findProviderTerms(provider, [exchange])
  return terms.every((term) => /^include:[^{]+$/.test(term)) ? terms : []
}

function hostOfInclude(term: string): string {
  return term.slice('include:'.length)
}

/** Whether a way of passing includes leads to the service. */
function includesService({ root, hostOf }: SpfGraph, id: string): boolean {
  const visited = new Set<string | null>()
  const pending = [root]
  for (const { name, followed } of pending) {
    if (visited.has(name)) continue
    visited.add(name)
    for (const term of termsOf(followed).filter(isIncludeOrRedirect)) {
      if (term.kind === 'include' && term.qualifier !== '+') continue
      const service = term.target && findServiceBySpfHost(replaceMacros(term.target))
      if (service?.id === id) return true
      pending.push(hostOf(term))
    }
  }
  return false
}

/**
 * A record may list the provider's addresses instead of its name. One complete range of the
 * provider is enough: single addresses, such as those of its mail servers, may overlap by chance.
 */
async function passesAnyRange(
  dns: Dns,
  host: string,
  { passing }: SpfAuthorization,
): Promise<boolean | null> {
  const resolved = await resolveSpfGraph(dns, host)
  if (resolved.kind === 'unavailable' || resolved.graph.failures.length > 0) return null
  const provider = evaluateAuthorization(resolved.graph)
  if (provider.hasUnknownSenders || !provider.authorizesSenders) return null
  return IP_FAMILIES.some((family) =>
    provider.passing[family].some((range) => coversRange(passing[family], range)),
  )
}
