/** Which policy holds for a domain, where it stands, and where its reports go (RFC 9989 §4.10.1). */
import type { Answer, Dns } from '@mailgrade/doh/dns'
import type { DomainName } from '../../names/domain-name.js'
import { type Checked, doesNotExist, type Unavailable, unavailable } from '../checked.js'
import { type Destination, discoverDestination } from './discover-destinations.js'
import type { Policy } from './dmarc-record.js'
import { type OlderAnswer, olderAnswer, olderOrganizationalDomain } from './older-receivers.js'
import { type Policies, policiesOf } from './policies.js'
import type { ReportUri } from './report-uri.js'
import {
  applicableRecord,
  emptyStation,
  type Found,
  organizationalDomain,
  type Stations,
  visit,
  type Walk,
  walk,
  walkDomains,
} from './tree-walk.js'

/** Enough for any honest record; a list of hundreds is meant to make us ask and ask. */
const MAX_DESTINATIONS = 10

export interface ReportTarget extends ReportUri {
  /** Null when it leads nowhere, or was not looked up. */
  readonly destination: Destination | null
}

/** A record with the policies that it asks for; null when receivers must not apply it. */
export interface Applied extends Found {
  readonly policies: Policies | null
}

export interface DmarcFacts {
  readonly domain: DomainName
  /** By its MX alone: one without MX may still take mail at its address. */
  readonly refusesMail: boolean
  readonly walk: Walk
  /** Null when the way up could not be followed to its end. */
  readonly organizationalDomain: string | null
  /** The record that holds for the domain. */
  readonly applied: Applied | null
  readonly policy: Policy | null
  /** The record that holds for a name below the domain that has none of its own. */
  readonly below: Applied | null
  readonly older: OlderAnswer | null
  readonly rua: readonly ReportTarget[]
  readonly ruf: readonly ReportTarget[]
}

export async function discoverDmarc(dns: Dns, domain: DomainName): Promise<Checked<DmarcFacts>> {
  // Whether the domain exists is asked by its MX, which other checks want to know as well.
  const [visited, mx] = await Promise.all([
    visit(dns, [...new Set([...walkDomains(domain), olderOrganizationalDomain(domain)])]),
    dns.ask(domain, 'MX'),
  ])
  const walked = walk(domain, visited)
  const found = applicableRecord(walked)
  if (found && 'kind' in found) return found
  if (!found && mx.kind === 'failed') return unavailable(domain, 'MX', mx)
  if (!found && doesNotExist(mx)) return { kind: 'unknown-domain' }

  const applied = found && withPolicies(found)
  const policy = policyFor(domain, applied, mx)
  if (policy && typeof policy !== 'string') return policy
  const targets = await discoverTargets(dns, applied, visited)
  if ('kind' in targets) return targets
  return {
    kind: 'report',
    report: {
      domain,
      refusesMail: refusesMail(mx),
      walk: walked,
      organizationalDomain: organizationalDomain(walked),
      applied,
      policy,
      below: recordBelow(domain, visited),
      older: olderAnswer(domain, visited),
      ...targets,
    },
  }
}

/** RFC 7505 §3: a null MX. */
function refusesMail(mx: Answer<'MX'>): boolean {
  return mx.kind === 'records' && mx.records.every(({ exchange }) => exchange === '.')
}

function withPolicies(found: Found): Applied {
  return { ...found, policies: policiesOf(found.record) }
}

function policyFor(
  domain: string,
  applied: Applied | null,
  mx: Answer<'MX'>,
): Policy | Unavailable | null {
  if (!applied?.policies) return null
  const { domain: own, subdomains, nonexistent } = applied.policies
  if (applied.station.domain === domain) return own
  if (subdomains === nonexistent) return subdomains
  if (mx.kind === 'failed') return unavailable(domain, 'MX', mx)
  return doesNotExist(mx) ? nonexistent : subdomains
}

/**
 * `sp` and `np` count only in the record of the organisational domain (RFC 9989 §4.7), so what
 * holds below a domain is found as receivers find it: by a walk from there.
 */
function recordBelow(domain: string, visited: Stations): Applied | null {
  const child = `*.${domain}`
  const found = applicableRecord(walk(child, new Map([...visited, [child, emptyStation(child)]])))
  return found && !('kind' in found) ? withPolicies(found) : null
}

type Targets = Pick<DmarcFacts, 'rua' | 'ruf'>

async function discoverTargets(
  dns: Dns,
  applied: Applied | null,
  visited: Stations,
): Promise<Targets | Unavailable> {
  const rua = applied?.record.urisOf('rua').read ?? []
  const ruf = applied?.record.urisOf('ruf').read ?? []
  const destinations = new Map<string, Destination>()
  if (applied?.policies) {
    const hosts = new Set([...rua, ...ruf].flatMap(({ host }) => host ?? []))
    const owner = { domain: applied.station.domain, visited }
    const asked = [...hosts].slice(0, MAX_DESTINATIONS)
    const found = await Promise.all(asked.map((host) => discoverDestination(dns, host, owner)))
    for (const destination of found) {
      if ('kind' in destination) return destination
      destinations.set(destination.host, destination)
    }
  }
  const withDestination = (uri: ReportUri): ReportTarget => ({
    ...uri,
    destination: destinations.get(uri.host ?? '') ?? null,
  })
  return { rua: rua.map(withDestination), ruf: ruf.map(withDestination) }
}
