/** Writes out an `mx` of more mail servers than receivers look up (RFC 7208 §4.6.4). */
import { type Dns, queryAll } from '@mailgrade/doh/dns'
import { findProviderByMx } from '../../../catalog/mail-services.js'
import { uniteRanges } from '../../../checks/address-set.js'
import {
  ADDRESS_BITS,
  formatIpAddress,
  IP_FAMILIES,
  type IpFamily,
  type IpRange,
  parseIpAddress,
  rangeAround,
} from '../../../checks/ip-address.js'
import type { SpfFacts } from '../../../checks/spf/discover-spf.js'
import { type Directive, isDirective } from '../../../checks/spf/spf-record.js'
import { exceedsMxLimit } from '../../../checks/spf/term-lookups.js'
import type { SpfContext } from './compose-spf.js'
import type { LookupSaving } from './lookup-savings.js'

/** Empty unless the addresses of all its servers are known. */
export async function writeOutMx(facts: SpfFacts, context: SpfContext): Promise<LookupSaving[]> {
  const savings = await Promise.all(
    crowdedTerms(facts).map(async (term): Promise<LookupSaving[]> => {
      const replacement = await findServers(term, facts, context)
      return replacement ? [{ term: term.text, replacement, reason: 'too-many-servers' }] : []
    }),
  )
  return savings.flat()
}

export function crowdedTerms({ tree, graph }: SpfFacts): Directive[] {
  return tree.records
    .flatMap(({ terms }) => terms.filter(isDirective))
    .filter((term) => exceedsMxLimit(graph, term))
}

/** The include of a provider for its servers, and networks for the others; null if one is unknown. */
async function findServers(
  term: Directive,
  { graph, answers }: SpfFacts,
  { dns, providerTerms }: SpfContext,
): Promise<string[] | null> {
  const target = graph.targetOf(term)
  const mx = target.kind === 'name' ? answers.answer(target.name, 'MX') : undefined
  const hosts = mx?.kind === 'records' ? mx.records.map(({ exchange }) => exchange) : []
  const termsOf = (host: string) => providerTerms.get(findProviderByMx(host)?.id ?? '') ?? []
  const found = await lookUp(
    dns,
    hosts.filter((host) => termsOf(host).length === 0),
  )
  if (found === null) return null
  const sign = term.qualifier === '+' ? '' : term.qualifier
  const networks = IP_FAMILIES.flatMap((family) => {
    const prefix = family === 'ipv4' ? term.ipv4Prefix : term.ipv6Prefix
    const addresses = found.flatMap((text) => parseIpAddress(text) ?? [])
    const ranges = addresses
      .filter((address) => address.family === family)
      .map((address) => rangeAround(address, prefix))
    return uniteRanges(ranges).flatMap((range) => toNetworks(range, family))
  })
  const includes = new Set(hosts.flatMap(termsOf))
  return [...includes, ...networks].map((each) => `${sign}${each}`)
}

async function lookUp(dns: Dns, hosts: readonly string[]): Promise<string[] | null> {
  const types = ['A', 'AAAA'] as const
  const answers = await queryAll(
    dns,
    hosts.flatMap((name) => types.map((type) => ({ name, type }))),
  )
  if (answers.some(({ kind }) => kind === 'failed')) return null
  return answers.flatMap((answer) => (answer.kind === 'records' ? answer.records : []))
}

/** The fewest networks that hold exactly these addresses. */
function toNetworks({ first, last }: IpRange, family: IpFamily): string[] {
  const bits = ADDRESS_BITS[family]
  const networks: string[] = []
  for (let at = first; at <= last; ) {
    let size = 1n
    let prefix = bits
    while (prefix > 0 && at % (size * 2n) === 0n && at + size * 2n - 1n <= last) {
      size *= 2n
      prefix -= 1
    }
    const address = formatIpAddress({ family, value: at })
    const length = prefix === bits ? '' : `/${prefix}`
    networks.push(`${family === 'ipv4' ? 'ip4' : 'ip6'}:${address}${length}`)
    at += size
  }
  return networks
}
