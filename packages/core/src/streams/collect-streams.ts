/** Collects who sends as a domain, and below it, from everything that shows a sender. */
import { findSpfHost } from '../catalog/dmarc-services.js'
import type { AddressSet } from '../checks/address-set.js'
import { intersectSets, NO_ADDRESSES, subtractSet, uniteRanges } from '../checks/address-set.js'
import { IP_FAMILIES, type IpFamily, parseIpAddress } from '../checks/ip-address.js'
import type { MxTarget } from '../checks/mx/discover-mx.js'
import type { SpfFacts } from '../checks/spf/discover-spf.js'
import { replaceMacros } from '../checks/spf/domain-spec.js'
import { isPassing } from '../checks/spf/evaluate-senders.js'
import { findGrants } from '../checks/spf/spf-authorization.js'
import type { ActiveTerm, Directive } from '../checks/spf/spf-record.js'
import { isFirstOccurrence, type SpfNode } from '../checks/spf/spf-tree.js'
import { matchingAddresses } from '../checks/spf/term-lookups.js'
import { registrableDomain } from '../names/registrable-domain.js'
import { isMailboxHost, isNamedInSpf, type SenderInUse, type StreamFacts } from './find-senders.js'
import { findOwnMailServers, findUnknownMailHost } from './own-servers.js'
import { findServerTerms } from './server-terms.js'
import { OWN_SERVER, type Stream, streamIdOf } from './stream.js'

/** `declaresNoMail`: what the domain says of itself outweighs what its mail servers suggest. */
export function collectStreams(
  facts: StreamFacts,
  senders: readonly SenderInUse[],
  declaresNoMail: boolean,
): Stream[] {
  const all = [
    ...senders.map((sender) => fromService(sender, facts)),
    ...unknownMailboxes(facts),
    ...unknownServices(facts),
    ...ownServers(facts),
    ...namesBelow(facts, senders),
  ]
  if (declaresNoMail) return all.map((stream) => ({ ...stream, certainty: 'possible' }))
  return all.length > 0 ? all : webHost(facts)
}

function fromService(sender: SenderInUse, { domain }: StreamFacts): Stream {
  const { entry, setUpAt, shownBy } = sender
  const isBelow = setUpAt !== null
  return {
    id: streamIdOf(sender),
    name: entry.name,
    kind: isBelow ? 'subdomain' : entry.kind === 'mailbox' ? 'mailbox' : 'service',
    at: setUpAt ?? domain,
    certainty: certaintyOf(sender),
    evidence: [...shownBy],
    sender,
    service: entry,
    addresses: null,
  }
}

/** A gateway that only the MX records show may filter incoming mail and send none. */
function certaintyOf(sender: SenderInUse): Stream['certainty'] {
  const { entry, inUse, shownBy } = sender
  const isOnlyReceiving = shownBy.every((each) => each.startsWith('MX '))
  if (inUse === 'yes' && isOnlyReceiving) {
    return entry.kind === 'mailbox' ? 'likely' : entry.kind === 'gateway' ? 'possible' : 'certain'
  }
  if (inUse !== 'unsure') return inUse === 'yes' ? 'certain' : 'likely'
  return isNamedInSpf(sender) && !isMailboxHost(entry) ? 'likely' : 'possible'
}

function unknownMailboxes(facts: StreamFacts): Stream[] {
  const host = findUnknownMailHost(facts)
  if (host === null) return []
  const operator = registrableDomain(host)
  const servers = facts.mx.targets.filter(
    ({ exchange }) => registrableDomain(exchange) === operator,
  )
  return [
    {
      ...atDomain(facts),
      id: operator,
      name: operator,
      kind: 'mailbox',
      evidence: servers.map(({ exchange }) => `MX ${exchange}`),
      addresses: addressesOfHosts(servers),
    },
  ]
}

/** What every stream of unknown servers at the domain has in common. */
function atDomain({ domain }: StreamFacts) {
  return { at: domain, certainty: 'likely', sender: null, service: null } as const
}

/** Includes of services that are not in the catalog. */
function unknownServices(facts: StreamFacts): Stream[] {
  const { nodes, domain } = facts.spf
  const own = registrableDomain(domain)
  const unknown = nodes.filter(
    (node) =>
      node.term !== null &&
      isPassing(node.term) &&
      !node.isOwn &&
      !node.isWithinService &&
      !isHostedSpf(node) &&
      isFirstOccurrence(node) &&
      registrableDomain(node.domain) !== own &&
      // What such a service includes in turn is its own affair.
      !nodes.some((other) => !other.isOwn && !isHostedSpf(other) && other.children.includes(node)),
  )
  const byOperator = new Map(unknown.map((node) => [registrableDomain(node.domain), node]))
  return [...byOperator].map(([operator, { domain: host, term, state }]): Stream => {
    const grants = term ? findGrants(facts.spf.graph, facts.spf.graph.hostOf(term)) : []
    return {
      ...atDomain(facts),
      id: operator,
      name: term && hasMacros(term) ? operator : host,
      kind: 'service',
      certainty: state === 'none' || state === 'malformed' ? 'possible' : 'likely',
      evidence: [term?.text ?? ''],
      addresses: addressesOf(
        grants.map((grant) => grant.term),
        facts.spf,
      ),
    }
  })
}

/** The record of the domain itself at a service that hosts it and sends nothing. */
function isHostedSpf({ term }: SpfNode): boolean {
  return term?.target ? findSpfHost(replaceMacros(term.target)) !== null : false
}

function hasMacros({ target }: ActiveTerm): boolean {
  return target?.parts.some(({ kind }) => kind === 'macro') ?? false
}

/** Servers that SPF names, and mail servers under the domain's own name. */
function ownServers(facts: StreamFacts): Stream[] {
  const servers = findOwnMailServers(facts)
  const terms = findServerTerms(facts.spf)
  // Where the website is not also the mail server, SPF names it because it sends.
  const ofWebsite = servers.length > 0 ? [] : terms.filter((term) => namesWebsite(term, facts))
  const others = terms.filter((term) => !ofWebsite.includes(term))
  const evidence = [
    ...servers.map(({ exchange }) => `MX ${exchange}`),
    ...others.map(({ text }) => text),
  ]
  const known = [addressesOfHosts(servers), addressesOf(others, facts.spf)]
  const addresses = {
    ipv4: uniteRanges(known.flatMap(({ ipv4 }) => ipv4)),
    ipv6: uniteRanges(known.flatMap(({ ipv6 }) => ipv6)),
  }
  const own = { id: OWN_SERVER, name: 'Your own server', kind: 'own-server' } as const
  const website = {
    ...atDomain(facts),
    ...WEB_HOST,
    evidence: ofWebsite.map(({ text }) => text),
    addresses: addressesOf(ofWebsite, facts.spf),
  }
  const all = [{ ...atDomain(facts), ...own, evidence, addresses }, website]
  return all.filter((stream) => stream.evidence.length > 0)
}

const WEB_HOST = { id: 'web-host', name: 'Your website', kind: 'web-host' } as const

function namesWebsite({ kind, target }: Directive, { domain }: StreamFacts): boolean {
  const host = target?.text.toLowerCase() ?? domain
  return kind === 'a' && (host === domain || host === `www.${domain}`)
}

/** What the terms match, as far as it is known. */
export function addressesOf(terms: readonly Directive[], { graph }: Pick<SpfFacts, 'graph'>) {
  const inFamily = (family: IpFamily) =>
    uniteRanges(
      terms.flatMap((term) => {
        const matching = matchingAddresses(graph, term, family)
        return typeof matching === 'string' ? NO_ADDRESSES : matching
      }),
    )
  return { ipv4: inFamily('ipv4'), ipv6: inFamily('ipv6') }
}

function addressesOfHosts(targets: readonly MxTarget[]): Record<IpFamily, AddressSet> {
  return toAddressSets(
    targets.flatMap((target) => (target.kind === 'host' && target.addresses) || []),
  )
}

function toAddressSets(addresses: readonly string[]): Record<IpFamily, AddressSet> {
  const parsed = addresses.flatMap((text) => parseIpAddress(text) ?? [])
  const inFamily = (family: IpFamily) =>
    uniteRanges(
      parsed
        .filter((address) => address.family === family)
        .map(({ value }) => ({ first: value, last: value })),
    )
  return { ipv4: inFamily('ipv4'), ipv6: inFamily('ipv6') }
}

/** Names with mail of their own that no known service explains. */
function namesBelow({ below }: StreamFacts, senders: readonly SenderInUse[]): Stream[] {
  return below.names
    .filter(({ sends, service }) => sends && !service)
    .filter(({ name }) => !senders.some(({ setUpAt }) => setUpAt === name))
    .map(({ name, evidence, mayOnlyReceive }) => ({
      id: name,
      name,
      kind: 'subdomain',
      at: name,
      certainty: mayOnlyReceive ? 'possible' : 'likely',
      evidence: [evidence],
      sender: null,
      service: null,
      addresses: null,
    }))
}

/** Without any other sender, a form on the website may send. */
function webHost(facts: StreamFacts): Stream[] {
  const { domainAddresses } = facts.mx
  if (domainAddresses.length === 0) return []
  return [
    {
      ...atDomain(facts),
      ...WEB_HOST,
      certainty: 'possible',
      evidence: domainAddresses.slice(0, MAX_SHOWN).map((address) => `A ${address}`),
      addresses: toAddressSets(domainAddresses),
    },
  ]
}

const MAX_SHOWN = 4

/** Whether some of the addresses are in both sets. */
export function overlap(
  one: Readonly<Record<IpFamily, AddressSet>>,
  other: Readonly<Record<IpFamily, AddressSet>>,
): boolean {
  return IP_FAMILIES.some((family) => intersectSets(one[family], other[family]).length > 0)
}

/** Whether all of the addresses, of which there are some, are in the other set. */
export function isCovered(
  one: Readonly<Record<IpFamily, AddressSet>>,
  by: Readonly<Record<IpFamily, AddressSet>>,
): boolean {
  const isEmpty = IP_FAMILIES.every((family) => one[family].length === 0)
  return (
    !isEmpty && IP_FAMILIES.every((family) => subtractSet(one[family], by[family]).length === 0)
  )
}
