/** The mail servers of a domain and their addresses (RFC 5321 §5.1). */

import { type Dns, type Mx, queryAll } from '@mailgrade/doh/dns'
import type { DomainName } from '../../names/domain-name.js'
import { isIpAddress } from '../../names/host-problem.js'
import {
  type Discovery,
  type DnsUnavailable,
  dnsUnavailable,
  isNonexistent,
} from '../check-result.js'

/** More than any sender tries; a limit against abuse. */
const MAX_TARGETS = 20

interface QueriedHost {
  readonly kind: 'host'
  /** Null when none was found and a query failed, so there may be some. */
  readonly addresses: readonly string[] | null
  /** The A or AAAA query that failed, if any. */
  readonly failure: DnsUnavailable | null
  readonly cnames: readonly string[]
}

/** What an MX record points to. `unqueried`: the first beyond the limit, for all that follow. */
export type MxTarget = Mx & (QueriedHost | { readonly kind: 'null' | 'ip-literal' | 'unqueried' })

export interface MxFacts {
  readonly domain: DomainName
  /** Most preferred first. */
  readonly targets: readonly MxTarget[]
  /** How many MX records there are, with those that are no targets here. */
  readonly recordCount: number
  /** The domain's own addresses, if it has no MX record. */
  readonly domainAddresses: readonly string[]
  /** One failed query for every host whose addresses are not known completely. */
  readonly failures: readonly DnsUnavailable[]
}

export async function discoverMx(dns: Dns, domain: DomainName): Promise<Discovery<MxFacts>> {
  const answer = await dns.query(domain, 'MX')
  if (answer.kind === 'failed') return dnsUnavailable(domain, 'MX', answer)
  if (isNonexistent(answer)) return { kind: 'unknown-domain' }
  if (answer.kind !== 'records') return discoverImplicitMx(dns, domain)
  const records = [...answer.records].sort(byPreference).slice(0, MAX_TARGETS + 1)
  const targets = await Promise.all(records.map((mx, index) => resolveTarget(dns, mx, index)))
  const failures = targets.flatMap((target) => (target.kind === 'host' && target.failure) || [])
  const { length: recordCount } = answer.records
  return { kind: 'facts', facts: { domain, targets, recordCount, domainAddresses: [], failures } }
}

/** Without an MX record, the address decides where mail goes, so it must be known. */
async function discoverImplicitMx(dns: Dns, domain: DomainName): Promise<Discovery<MxFacts>> {
  const { addresses, failure } = await queryHost(dns, domain)
  if (addresses === null && failure) return failure
  const facts = { domain, targets: [], recordCount: 0, domainAddresses: addresses ?? [] }
  return { kind: 'facts', facts: { failures: failure ? [failure] : [], ...facts } }
}

async function resolveTarget(dns: Dns, mx: Mx, index: number): Promise<MxTarget> {
  if (mx.exchange === '.') return { kind: 'null', ...mx }
  if (isIpAddress(mx.exchange)) return { kind: 'ip-literal', ...mx }
  if (index >= MAX_TARGETS) return { kind: 'unqueried', ...mx }
  const { preference, exchange } = mx
  return { preference, exchange, ...(await queryHost(dns, exchange)) }
}

async function queryHost(dns: Dns, host: string): Promise<QueriedHost> {
  const [ipv4, ipv6] = await queryAll(dns, [
    { name: host, type: 'A' },
    { name: host, type: 'AAAA' },
  ])
  const failures = [
    ...(ipv4.kind === 'failed' ? [dnsUnavailable(host, 'A', ipv4)] : []),
    ...(ipv6.kind === 'failed' ? [dnsUnavailable(host, 'AAAA', ipv6)] : []),
  ]
  const [failure = null] = failures
  const found = [ipv4, ipv6].flatMap((answer) => (answer.kind === 'records' ? answer.records : []))
  const addresses = found.length === 0 && failure ? null : found
  const { cnames } = ipv4.kind === 'failed' ? ipv6 : ipv4
  return { kind: 'host', addresses, failure, cnames }
}

/** Resolvers shuffle records of equal preference; a report must not. */
export function byPreference(one: Mx, other: Mx): number {
  return one.preference - other.preference || (one.exchange < other.exchange ? -1 : 1)
}
