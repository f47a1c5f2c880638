/** Proves that a new SPF record takes no pass away from a sender that can be identified. */
import type { Dns } from '@mailgrade/doh/dns'
import { hasUselessInclude } from '../../../catalog/mail-services.js'
import { type AddressSet, intersectSets, subtractSet } from '../../../checks/address-set.js'
import { formatIpAddress, IP_FAMILIES, type IpFamily } from '../../../checks/ip-address.js'
import type { SpfFacts } from '../../../checks/spf/discover-spf.js'
import { isPassing } from '../../../checks/spf/evaluate-senders.js'
import { evaluateSpf } from '../../../checks/spf/evaluate-spf.js'
import { findGrants } from '../../../checks/spf/spf-authorization.js'
import type { SpfGraph } from '../../../checks/spf/spf-graph.js'
import { MAX_TESTED_SENDERS } from '../../../checks/spf/spf-limits.js'
import {
  type ActiveTerm,
  activeTerms,
  isDirective,
  isIncludeOrRedirect,
} from '../../../checks/spf/spf-record.js'
import type { SpfNode } from '../../../checks/spf/spf-tree.js'
import { matchingAddresses } from '../../../checks/spf/term-lookups.js'
import { registrableDomain } from '../../../names/registrable-domain.js'
import { addressesOf, overlap } from '../../../streams/collect-streams.js'
import { namesReceivers } from '../../../streams/server-terms.js'
import type { FixPlan } from '../fix-plan-report.js'
import { say, writeSaid } from '../say.js'

type SenderTest = FixPlan['safety']['tested'][number]

/** A sender that the record names, with the addresses that the record knows. */
interface IdentifiedSender {
  readonly term: string
  readonly name: string
  readonly addresses: Readonly<Record<IpFamily, AddressSet>>
  /** Other addresses may pass as well: `ptr` and macros depend on the sender. */
  readonly hasUnknown: boolean
}

/** The senders that pass today and would not pass with the new record. */
export function findLostSenders(
  today: SpfFacts,
  after: SpfFacts,
  unusedIds: ReadonlySet<string>,
): IdentifiedSender[] {
  const senders = identifySenders(today, unusedIds)
  const lost = IP_FAMILIES.flatMap((family) => {
    const before = today.authorization.passing[family]
    const now = after.authorization.passing[family]
    return senders.filter(({ addresses }) => {
      const passing = intersectSets(addresses[family], before)
      return subtractSet(passing, now).length > 0
    })
  })
  return [...new Set(lost)]
}

/** The terms with a sender that passes today, or may pass. */
export function findPartlyPassingTerms(
  today: SpfFacts,
  unusedIds: ReadonlySet<string>,
): ReadonlySet<string> {
  const { passing, hasUnknownSenders } = today.authorization
  const senders = identifySenders(today, unusedIds).filter(
    ({ addresses, hasUnknown }) => (hasUnknownSenders && hasUnknown) || overlap(addresses, passing),
  )
  return new Set(senders.map(({ term }) => term))
}

/** Whether every server that a record lets in is known, and passes with the other record as well. */
export function isCovered(one: SpfFacts, other: SpfFacts): boolean {
  const { authorizesSenders, hasUnknownSenders, passing } = one.authorization
  const isLost = (family: IpFamily) =>
    subtractSet(passing[family], other.authorization.passing[family]).length > 0
  return authorizesSenders && !hasUnknownSenders && !IP_FAMILIES.some(isLost)
}

/**
 * The senders of a record that use the domain in MAIL FROM. A service that never does, servers that
 * only receive, and terms that let everyone in are none.
 */
function identifySenders(
  facts: SpfFacts,
  unusedIds: ReadonlySet<string>,
  withNeedless = false,
): IdentifiedSender[] {
  const { graph, tree, nodes, domain, authorization } = facts
  const services = new Map(nodes.map(({ term, service }) => [term, service]))
  const isRoot = registrableDomain(domain) === domain
  const open = new Set(authorization.openTerms.map(({ term }) => term))
  return ownTerms(tree, domain).flatMap((term) => {
    const service = services.get(term) ?? null
    const isNeedless = !withNeedless && isRoot && service !== null && hasUselessInclude(service)
    const isUnused = service !== null && unusedIds.has(service.id)
    if (!isPassing(term) || isNeedless || isUnused || namesReceivers(graph, term)) return []
    const grants = isIncludeOrRedirect(term)
      ? findGrants(graph, graph.hostOf(term)).map((grant) => grant.term)
      : isDirective(term)
        ? [term]
        : []
    const closed = grants.filter((grant) => grant.kind !== 'all' && !open.has(grant))
    const addresses = addressesOf(closed, facts)
    const hasUnknown = closed.some((grant) => matchingAddresses(graph, grant, 'ipv4') === 'unknown')
    const name = service?.name ?? nameTerm(term, graph)
    return [{ term: term.text, name, addresses, hasUnknown }]
  })
}

/** The terms of a record, with those of the domain's own records instead of what leads there. */
function ownTerms({ followed, children }: SpfNode, domain: string): ActiveTerm[] {
  const own = new Map(
    children.filter((child) => isOwnName(child, domain)).map((child) => [child.term, child]),
  )
  return followed.flatMap(activeTerms).flatMap((term) => {
    const child = own.get(term)
    return child && isPassing(term) ? ownTerms(child, domain) : [term]
  })
}

export function isOwnName({ isOwn, state, domain }: SpfNode, origin: string): boolean {
  return isOwn && state === 'record' && registrableDomain(domain) === registrableDomain(origin)
}

function nameTerm(term: ActiveTerm, graph: SpfGraph): string {
  if (term.kind === 'ip4' || term.kind === 'ip6') return term.text.replace(/^\+?ip[46]:/i, '')
  const target = graph.targetOf(term)
  const host = target.kind === 'name' ? target.name : (term.target?.text ?? '')
  if (term.kind === 'mx') return writeSaid([say('spf.mail-servers-of', { host: [host] })])
  return term.kind === 'a' ? writeSaid([say('spf.server', { host: [host] })]) : host
}

interface PublishedSpf {
  readonly dns: Dns
  readonly facts: SpfFacts
}

/** Evaluates SPF for an address of every sender, today and with the plan. */
export async function testSenders(
  today: PublishedSpf,
  planned: PublishedSpf,
  unusedIds: ReadonlySet<string>,
): Promise<SenderTest[]> {
  const { domain } = planned.facts
  // A service that is left out, because receivers never look for it here, has nothing to lose.
  const senders = [
    ...identifySenders(planned.facts, unusedIds, true),
    ...identifySenders(today.facts, unusedIds),
  ]
  const samples = new Map(
    senders.flatMap(({ name, addresses }) => {
      const ip = sampleAddress(addresses)
      return ip === null ? [] : [[name, ip] as const]
    }),
  )
  return Promise.all(
    [...samples].slice(0, MAX_TESTED_SENDERS).map(async ([sender, ip]) => {
      const message = { ip, sender: `postmaster@${domain}`, helo: null, timestamp: 0 }
      const [before, after] = await Promise.all([
        evaluateSpf(today.dns, domain, message),
        evaluateSpf(planned.dns, domain, message),
      ])
      return { sender, ip, before: before.result, after: after.result }
    }),
  )
}

/** The second address of a range, because the first is not a host. */
function sampleAddress(addresses: IdentifiedSender['addresses']): string | null {
  for (const family of IP_FAMILIES) {
    const [range] = addresses[family]
    if (range) {
      const value = range.first === range.last ? range.first : range.first + 1n
      return formatIpAddress({ family, value })
    }
  }
  return null
}
