/** The addresses that a mechanism matches, as far as they are known in advance. */
import { type AddressSet, allAddresses, NO_ADDRESSES, uniteRanges } from '../address-set.js'
import {
  IP_FAMILIES,
  type IpFamily,
  type IpRange,
  parseIpAddress,
  rangeAround,
} from '../ip-address.js'
import { evaluatedMxHosts, MAX_MX_HOSTS, type SpfGraph } from './spf-graph.js'
import type { ActiveTerm, Directive } from './spf-record.js'

export function isNetwork(term: ActiveTerm): term is Directive {
  return term.kind === 'ip4' || term.kind === 'ip6'
}

export function exceedsMxLimit(graph: SpfGraph, term: ActiveTerm): boolean {
  const target = term.kind === 'mx' ? graph.targetOf(term) : null
  return target?.kind === 'name' && mailServers(graph, target.name) === 'too-many'
}

/** The addresses that a mechanism matches; `too-many`: more mail servers than §4.6.4 allows. */
export function matchingAddresses(
  graph: SpfGraph,
  term: Directive,
  family: IpFamily,
): AddressSet | 'unknown' | 'too-many' {
  const prefix = family === 'ipv4' ? term.ipv4Prefix : term.ipv6Prefix
  switch (term.kind) {
    case 'all':
      return allAddresses(family)
    case 'ip4':
    case 'ip6':
      return networkRanges(term, family)
    case 'ptr':
      return 'unknown'
  }
  const target = graph.targetOf(term)
  if (target.kind === 'dynamic') return 'unknown'
  if (target.kind === 'malformed') return NO_ADDRESSES
  if (term.kind === 'exists') {
    // §5.7: it only tests for an address, so without a macro it is the same for every sender.
    const answer = graph.answers.answer(target.name, 'A')
    if (!answer) return 'unknown'
    return answer.kind === 'records' ? allAddresses(family) : NO_ADDRESSES
  }
  const hosts = term.kind === 'mx' ? mailServers(graph, target.name) : [target.name]
  if (typeof hosts === 'string') return hosts
  const type = family === 'ipv4' ? 'A' : 'AAAA'
  const answers = hosts.map((host) => graph.answers.answer(host, type))
  const addresses = answers.flatMap((answer) => (answer?.kind === 'records' ? answer.records : []))
  if (addresses.length === 0 && answers.includes(undefined)) return 'unknown'
  return uniteRanges(toRanges(addresses, family, prefix))
}

export function networkRanges(term: Directive, family: IpFamily): IpRange[] {
  const isOfFamily = term.kind === (family === 'ipv4' ? 'ip4' : 'ip6')
  const prefix = family === 'ipv4' ? term.ipv4Prefix : term.ipv6Prefix
  return isOfFamily ? toRanges([term.address ?? ''], family, prefix) : []
}

function mailServers({ answers }: SpfGraph, name: string): string[] | 'unknown' | 'too-many' {
  const answer = answers.answer(name, 'MX')
  if (!answer) return 'unknown'
  const isOverLimit = answer.kind === 'records' && answer.records.length > MAX_MX_HOSTS
  return isOverLimit ? 'too-many' : evaluatedMxHosts(answer)
}

function toRanges(addresses: readonly string[], family: IpFamily, prefix: number): IpRange[] {
  return addresses.flatMap((text) => {
    const address = parseIpAddress(text)
    return address?.family === family ? [rangeAround(address, prefix)] : []
  })
}

/** Whether a mechanism cannot match any sender; false where a part is unknown. */
export function matchesNothing(graph: SpfGraph, term: Directive): boolean {
  if (term.kind === 'all' || isNetwork(term)) return false
  return IP_FAMILIES.every((family) => {
    const matching = matchingAddresses(graph, term, family)
    return typeof matching !== 'string' && matching.length === 0
  })
}
