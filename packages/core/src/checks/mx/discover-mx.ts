/** The mail servers of a domain and their addresses (RFC 5321 §5.1). */
import { isIP } from 'node:net'
import type { Dns, Mx } from '@mailgrade/doh/dns'
import type { DomainName } from '../../names/domain-name.js'
import {
  type Discovery,
  type DnsUnavailable,
  dnsUnavailable,
  isNonexistent,
  isUnavailable,
} from '../check-result.js'

/** More than any sender tries; a limit against abuse. */
const MAX_TARGETS = 20

interface ResolvedHost {
  readonly kind: 'host'
  readonly addresses: readonly string[]
  readonly cnames: readonly string[]
}

/** What an MX record points to. `unqueried`: beyond the limit. */
export type MxTarget = Mx & (ResolvedHost | { readonly kind: 'null' | 'ip-literal' | 'unqueried' })

export interface MxFacts {
  readonly domain: DomainName
  /** Most preferred first. */
  readonly targets: readonly MxTarget[]
  /** The domain's own addresses, if it has no MX record. */
  readonly domainAddresses: readonly string[]
}

export async function discoverMx(dns: Dns, domain: DomainName): Promise<Discovery<MxFacts>> {
  const answer = await dns.query(domain, 'MX')
  if (answer.kind === 'failed') return dnsUnavailable(domain, 'MX', answer)
  if (isNonexistent(answer)) return { kind: 'unknown-domain' }
  if (answer.kind !== 'records') {
    const own = await resolveHost(dns, domain)
    if (isUnavailable(own)) return own
    return { kind: 'facts', facts: { domain, targets: [], domainAddresses: own.addresses } }
  }

  const targets: MxTarget[] = []
  const records = [...answer.records].sort(byPreference)
  const found = await Promise.all(records.map((mx, index) => resolveTarget(dns, mx, index)))
  for (const target of found) {
    if (isUnavailable(target)) return target
    targets.push(target)
  }
  return { kind: 'facts', facts: { domain, targets, domainAddresses: [] } }
}

async function resolveTarget(dns: Dns, mx: Mx, index: number): Promise<MxTarget | DnsUnavailable> {
  if (mx.exchange === '.') return { ...mx, kind: 'null' }
  if (isIP(mx.exchange)) return { ...mx, kind: 'ip-literal' }
  if (index >= MAX_TARGETS) return { ...mx, kind: 'unqueried' }
  const resolved = await resolveHost(dns, mx.exchange)
  return isUnavailable(resolved) ? resolved : { ...mx, ...resolved }
}

async function resolveHost(dns: Dns, host: string): Promise<ResolvedHost | DnsUnavailable> {
  const [ipv4, ipv6] = await Promise.all([dns.query(host, 'A'), dns.query(host, 'AAAA')])
  if (ipv4.kind === 'failed') return dnsUnavailable(host, 'A', ipv4)
  if (ipv6.kind === 'failed') return dnsUnavailable(host, 'AAAA', ipv6)
  const addresses = [ipv4, ipv6].flatMap((answer) =>
    answer.kind === 'records' ? answer.records : [],
  )
  return { kind: 'host', addresses, cnames: ipv4.cnames }
}

/** Resolvers shuffle records of equal preference; a report must not. */
function byPreference(one: Mx, other: Mx): number {
  return one.preference - other.preference || (one.exchange < other.exchange ? -1 : 1)
}
