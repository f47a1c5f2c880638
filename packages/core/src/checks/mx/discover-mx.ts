/** What the DNS says about where a domain's mail goes (RFC 5321 §5.1). */
import { isIP } from 'node:net'
import type { Dns, Mx } from '@mailgrade/doh/dns'
import type { DomainName } from '../../names/domain-name.js'
import { type Checked, doesNotExist, type Unavailable, unavailable } from '../checked.js'

/** More than any sender tries; a set of hundreds is a mistake, or meant to make us ask and ask. */
const MAX_TARGETS = 20

interface Resolved {
  readonly kind: 'host'
  readonly addresses: readonly string[]
  readonly cnames: readonly string[]
}

/** What an MX record points to. `unasked`: beyond the ones we look up. */
export type Target = Mx & (Resolved | { readonly kind: 'null' | 'ip-literal' | 'unasked' })

export interface MxFacts {
  readonly domain: DomainName
  /** Most preferred first. */
  readonly targets: readonly Target[]
  /** The domain's own addresses, where there is no MX to go by. */
  readonly ownAddresses: readonly string[]
}

export async function discoverMx(dns: Dns, domain: DomainName): Promise<Checked<MxFacts>> {
  const answer = await dns.ask(domain, 'MX')
  if (answer.kind === 'failed') return unavailable(domain, 'MX', answer)
  if (doesNotExist(answer)) return { kind: 'unknown-domain' }
  if (answer.kind !== 'records') {
    const own = await resolve(dns, domain)
    if (own.kind === 'unavailable') return own
    return { kind: 'report', report: { domain, targets: [], ownAddresses: own.addresses } }
  }

  const targets: Target[] = []
  const records = [...answer.records].sort(byPreference)
  const found = await Promise.all(records.map((mx, index) => examine(dns, mx, index)))
  for (const target of found) {
    if (target.kind === 'unavailable') return target
    targets.push(target)
  }
  return { kind: 'report', report: { domain, targets, ownAddresses: [] } }
}

async function examine(dns: Dns, mx: Mx, index: number): Promise<Target | Unavailable> {
  if (mx.exchange === '.') return { ...mx, kind: 'null' }
  if (isIP(mx.exchange)) return { ...mx, kind: 'ip-literal' }
  if (index >= MAX_TARGETS) return { ...mx, kind: 'unasked' }
  const resolved = await resolve(dns, mx.exchange)
  return resolved.kind === 'unavailable' ? resolved : { ...mx, ...resolved }
}

async function resolve(dns: Dns, host: string): Promise<Resolved | Unavailable> {
  const [ipv4, ipv6] = await Promise.all([dns.ask(host, 'A'), dns.ask(host, 'AAAA')])
  if (ipv4.kind === 'failed') return unavailable(host, 'A', ipv4)
  if (ipv6.kind === 'failed') return unavailable(host, 'AAAA', ipv6)
  const addresses = [ipv4, ipv6].flatMap((answer) =>
    answer.kind === 'records' ? answer.records : [],
  )
  return { kind: 'host', addresses, cnames: ipv4.cnames }
}

/** Resolvers shuffle records of equal preference; a report should not. */
function byPreference(one: Mx, other: Mx): number {
  return one.preference - other.preference || (one.exchange < other.exchange ? -1 : 1)
}
