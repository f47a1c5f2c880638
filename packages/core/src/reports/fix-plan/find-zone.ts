/** The zone in which a domain's records stand, and who serves it. */

import type { Dns } from '@mailgrade/doh/dns'
import { type DnsUnavailable, dnsUnavailable } from '../../checks/check-result.js'
import { registrableDomain } from '../../names/registrable-domain.js'
import type { Zone } from './planned-record.js'

/** A zone begins where name servers are named (RFC 2181 §6.1): at the domain or above it. */
export async function findZone(dns: Dns, domain: string): Promise<Zone | DnsUnavailable> {
  const names = upTo(registrableDomain(domain), domain)
  const answers = await Promise.all(names.map((name) => dns.query(name, 'NS')))
  for (const [index, answer] of answers.entries()) {
    const apex = names[index] ?? domain
    if (answer.kind === 'failed') return dnsUnavailable(apex, 'NS', answer)
    // Behind a CNAME the name servers are those of another zone.
    if (answer.kind === 'records' && answer.cnames.length === 0) {
      return { apex, nameServers: [...answer.records].sort() }
    }
  }
  return { apex: names.at(-1) ?? domain, nameServers: [] }
}

function upTo(top: string, domain: string): string[] {
  const labels = domain.split('.')
  const names = labels.map((_, index) => labels.slice(index).join('.'))
  return names.slice(0, names.indexOf(top) + 1)
}

/** Where records below the domain are kept by somebody else; what cannot be told is not said. */
export async function findDelegatedNames(dns: Dns, domain: string): Promise<string[]> {
  const names = [`_dmarc.${domain}`, `_domainkey.${domain}`]
  const answers = await Promise.all(names.map((name) => dns.query(name, 'NS')))
  return names.filter((_, index) => {
    const answer = answers[index]
    return answer?.kind === 'records' && answer.cnames.length === 0
  })
}
