/** Servers that no catalog entry describes: those of the domain itself, and unknown mail hosts. */
import { findProviderByMx } from '../catalog/mail-services.js'
import type { MxFacts, MxTarget } from '../checks/mx/discover-mx.js'
import type { SpfFacts } from '../checks/spf/discover-spf.js'
import { registrableDomain } from '../names/registrable-domain.js'
import { findBounceService } from './find-senders.js'
import type { OwnServers } from './key-owners.js'
import { findServerTerms } from './server-terms.js'

interface ServerFacts {
  readonly domain: string
  readonly mx: Pick<MxFacts, 'targets'>
}

/** Mail servers under the domain's own name, which most likely send its mail as well. */
export function hasOwnMailServers(facts: ServerFacts): boolean {
  return findOwnMailServers(facts).length > 0
}

/** What may sign with keys of the domain's own. */
export function findOwnServers(facts: ServerFacts & { readonly spf: SpfFacts }): OwnServers {
  return { receive: hasOwnMailServers(facts), send: findServerTerms(facts.spf).length > 0 }
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
