/** Who answers DNS queries about a domain. */
import type { Dns } from '@mailgrade/doh/dns'
import { registrableDomain } from '../names/registrable-domain.js'
import { type DnsUnavailable, dnsUnavailable } from './check-result.js'

export interface ZoneApex {
  readonly apex: string
  /** In alphabetical order. */
  readonly nameServers: readonly string[]
}

/** A zone starts at a name with NS records (RFC 2181 §6.1): the domain or a parent. */
export async function findZone(
  dns: Dns,
  domain: string,
): Promise<{ readonly kind: 'found'; readonly zone: ZoneApex } | DnsUnavailable> {
  const names = namesUpTo(registrableDomain(domain), domain)
  const answers = await Promise.all(
    names.map(async (apex) => ({ apex, answer: await dns.query(apex, 'NS') })),
  )
  for (const { apex, answer } of answers) {
    if (answer.kind === 'failed') return dnsUnavailable(apex, 'NS', answer)
    // Name servers behind a CNAME belong to another zone.
    if (answer.kind === 'records' && answer.cnames.length === 0) {
      return { kind: 'found', zone: { apex, nameServers: [...answer.records].sort() } }
    }
  }
  return { kind: 'found', zone: { apex: names.at(-1) ?? domain, nameServers: [] } }
}

function namesUpTo(top: string, domain: string): string[] {
  const labels = domain.split('.')
  const names = labels.map((_, index) => labels.slice(index).join('.'))
  return names.slice(0, names.indexOf(top) + 1)
}

/** Who can change a domain's mail records. Null: the lookup failed. */
export interface Delegation {
  /** Of the zone that the domain is in. */
  readonly nameServers: readonly string[] | null
  /** Name servers of `_dmarc` and `_domainkey`, if these are zones of their own. */
  readonly delegated: readonly DelegatedName[]
  /** Targets of the CNAME records at `_dmarc`, in order. */
  readonly dmarcCname: readonly string[] | null
}

interface DelegatedName {
  readonly name: string
  readonly nameServers: readonly string[] | null
}

export async function discoverDelegation(dns: Dns, domain: string): Promise<Delegation> {
  const [zone, delegated, dmarc] = await Promise.all([
    findZone(dns, domain),
    Promise.all(['_dmarc', '_domainkey'].map((label) => findDelegated(dns, `${label}.${domain}`))),
    dns.query(`_dmarc.${domain}`, 'TXT'),
  ])
  return {
    nameServers: zone.kind === 'found' ? zone.zone.nameServers : null,
    delegated,
    dmarcCname: dmarc.kind === 'failed' && dmarc.reason !== 'bad-name' ? null : dmarc.cnames,
  }
}

async function findDelegated(dns: Dns, name: string): Promise<DelegatedName> {
  const answer = await dns.query(name, 'NS')
  // A domain of 253 characters leaves no room for the label.
  if (answer.kind === 'failed')
    return { name, nameServers: answer.reason === 'bad-name' ? [] : null }
  const isOwn = answer.kind === 'records' && answer.cnames.length === 0
  return { name, nameServers: isOwn ? [...answer.records].sort() : [] }
}
