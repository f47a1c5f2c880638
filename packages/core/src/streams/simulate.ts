/** What receivers find for the mail of a stream, and what happens to it under the policy. */
import { findSpfHost } from '../catalog/dmarc-services.js'
import {
  findProviderByMx,
  findProviderTerms,
  findServiceBySpfHost,
  type MailService,
} from '../catalog/mail-services.js'
import { hasPlaceholder } from '../catalog/record-template.js'
import type { AddressSet } from '../checks/address-set.js'
import { determinePresence } from '../checks/dkim/dkim-facts.js'
import { isAcceptable } from '../checks/dkim/key-record.js'
import type { DmarcFacts } from '../checks/dmarc/discover-dmarc.js'
import { type DmarcPolicy, readTagChoice } from '../checks/dmarc/dmarc-record.js'
import type { IpFamily } from '../checks/ip-address.js'
import { replaceMacros } from '../checks/spf/domain-spec.js'
import { findGrants, type OpenTerm } from '../checks/spf/spf-authorization.js'
import type { SpfGraph } from '../checks/spf/spf-graph.js'
import type { Directive } from '../checks/spf/spf-record.js'
import type { SpfNode } from '../checks/spf/spf-tree.js'
import { matchingAddresses } from '../checks/spf/term-lookups.js'
import { registrableDomain } from '../names/registrable-domain.js'
import { addressesOf, isCovered, overlap } from './collect-streams.js'
import { BOUNCE_LABELS, type NameBelow } from './discover-below.js'
import {
  findBounceService,
  isBounceName,
  isMailboxHost,
  isNamedInSpf,
  type StreamFacts,
} from './find-senders.js'
import { findSigns, type KeyOwners, type Signs } from './key-owners.js'
import { findTermsOfService } from './server-terms.js'
import { type DmarcZone, simulateDmarc } from './simulate-dmarc.js'
import type { Outcome, Stream, StreamReport } from './stream.js'

/** What receivers see of a domain. */
export interface MailZone extends StreamFacts {
  readonly dmarc: DmarcFacts
  readonly ownerOf: KeyOwners
}

/** What one mechanism finds, and the name that it passes for: null if that is none of the owner's. */
type Authentication =
  | { readonly result: 'pass'; readonly name: string | null }
  | { readonly result: 'fail' | 'unknown' }

const FAIL: Authentication = { result: 'fail' }
const UNKNOWN: Authentication = { result: 'unknown' }

export function simulate(stream: Stream, zone: MailZone): StreamReport {
  const { id, name, kind, at, certainty, evidence } = stream
  const spfResult = spfOf(stream, zone)
  const dkimResult = dkimOf(stream, zone)
  const spfDomain = nameOf(spfResult)
  const dkimDomains = [nameOf(dkimResult)].flatMap((signer) => signer ?? [])
  const dmarc = dmarcZoneOf(zone)
  const spf = stateOf(spfResult, at, () =>
    simulateDmarc(dmarc, { from: at, spfDomain, dkimDomains: [] }),
  )
  const dkim = stateOf(dkimResult, at, () =>
    simulateDmarc(dmarc, { from: at, spfDomain: null, dkimDomains }),
  )
  const found = {
    spf: spf === 'fail' ? ('fails' as const) : spf,
    dkim: dkim === 'fail' ? ('none' as const) : dkim,
  }
  const states = [found.spf, found.dkim]
  // One that is aligned is enough. Both together may still pass where neither does at all receivers.
  const received = states.includes('aligned')
    ? null
    : simulateDmarc(dmarc, { from: at, spfDomain, dkimDomains })
  const outcome = received?.passes ? 'pass' : outcomeOf(states, received?.treatment ?? null)
  return { id, name, kind, at, certainty, ...found, outcome, evidence }
}

function nameOf(found: Authentication): string | null {
  return found.result === 'pass' ? found.name : null
}

type Received = ReturnType<typeof simulateDmarc>
type State = 'aligned' | 'not-aligned' | 'fail' | 'unknown'

function stateOf(found: Authentication, from: string, receive: () => Received): State {
  if (found.result !== 'pass') return found.result
  if (found.name === null) return 'not-aligned'
  // Whatever the record says.
  if (found.name === from) return 'aligned'
  const received = receive()
  return received ? (received.passes ? 'aligned' : 'not-aligned') : 'unknown'
}

const FAILURES: Readonly<Record<DmarcPolicy, Outcome>> = {
  none: 'at-risk',
  quarantine: 'quarantined',
  reject: 'lost',
}

/** RFC 9989 §4.4: one aligned pass is enough. Without a treatment, the policy is unknown. */
export function outcomeOf(
  states: readonly (StreamReport['spf'] | StreamReport['dkim'])[],
  treatment: DmarcPolicy | null,
): Outcome {
  if (states.includes('aligned')) return 'pass'
  return treatment === null || states.includes('unknown') ? 'unknown' : FAILURES[treatment]
}

/** What receivers do today with mail from a name that fails; null if that could not be looked up. */
export function treatmentAt(
  name: string,
  zone: Pick<MailZone, 'dmarc' | 'below'>,
): DmarcPolicy | null {
  const forged = { from: name, spfDomain: null, dkimDomains: [] }
  return simulateDmarc(dmarcZoneOf(zone), forged)?.treatment ?? null
}

/** What happens to mail of the stream whose From address has another name, such as the domain's. */
export function outcomeFrom(
  from: string,
  { at, spf, dkim }: StreamReport,
  zone: Pick<MailZone, 'dmarc' | 'below'>,
): Outcome {
  const received = simulateDmarc(dmarcZoneOf(zone), {
    from,
    spfDomain: spf === 'aligned' ? at : null,
    dkimDomains: dkim === 'aligned' ? [at] : [],
  })
  if (received?.passes) return 'pass'
  const open = [spf, dkim].filter((state) => state === 'unknown')
  return outcomeOf(open, received?.treatment ?? null)
}

function dmarcZoneOf({ dmarc, below }: Pick<MailZone, 'dmarc' | 'below'>): DmarcZone {
  if (below.names.length === 0) return { steps: dmarc.queried, isNonexistent: () => false }
  const own = below.names.map((each) => [each.name, each.dmarc] as const)
  // Everything that sends exists.
  return { steps: new Map([...dmarc.queried, ...own]), isNonexistent: () => false }
}

function spfOf(stream: Stream, zone: MailZone): Authentication {
  if (stream.at !== zone.domain) return spfBelow(stream, zone)
  const { service } = stream
  const takesBounces = zone.mx.targets.some(
    ({ exchange }) => findBounceService(exchange)?.id === service?.id,
  )
  if (service?.returnPathAtRoot === 'never' && !takesBounces) return spfOfBounces(service, zone)
  const { tree, authorization } = zone.spf
  if (authorization.openTerms.length > 0) return passFor(zone.domain)
  if (tree.state !== 'record') return FAIL
  const unmatched = authorization.hasUnknownSenders ? UNKNOWN : FAIL
  return service ? spfOfService(service, zone, unmatched) : spfOfServers(stream, zone, unmatched)
}

function passFor(name: string | null): Authentication {
  return { result: 'pass', name }
}

function spfOfBounces(
  service: MailService,
  { domain, below, dmarc: { applied } }: Pick<MailZone, 'domain' | 'below' | 'dmarc'>,
): Authentication {
  const isOwn = (each: NameBelow) => each.service === service && isBounceName(each.name)
  const found = below.names.find(isOwn)
  if (found) return passFor(found.name)
  // Strict alignment doesn't count any of these names.
  const isStrict = applied && readTagChoice(applied.record, 'aspf', ['r', 's']) === 's'
  const mayExist = bounceLabels(service).some(
    (label) => !below.answered.includes(`${label}.${domain}`),
  )
  return mayExist && !isStrict ? UNKNOWN : passFor(null)
}

/** Where the service may take bounces. Who chooses another name than the one it asks for also signs. */
function bounceLabels({ kind, setup, evidence }: MailService): readonly string[] {
  const { returnPath = [] } = setup
  const required = returnPath.filter(({ isOptional }) => !isOptional)
  const optional = returnPath.filter(({ isOptional }) => isOptional)
  const isRecognized = Boolean(evidence.cnameTargets ?? evidence.mxHosts)
  const usual = kind === 'sender' && isRecognized && required.length === 0 ? BOUNCE_LABELS : []
  const offered = optional.map(({ label }) => label).filter((label) => !hasPlaceholder(label))
  const asked = BOUNCE_LABELS.filter((each) => required.some(({ label }) => label === each))
  return [...usual, ...offered, ...asked]
}

type Addresses = Readonly<Record<IpFamily, AddressSet>>

/** `unmatched` is the result for servers that nothing in the record matches. */
function spfOfService(
  service: MailService,
  zone: MailZone,
  unmatched: Authentication,
): Authentication {
  const { authorization, mailboxes } = zone.spf
  const nodes = nodesOf(service, zone)
  const servers = findTermsOfService(zone.spf, service)
  const own = passFor(zone.domain)
  const mailbox = mailboxes.find(({ provider }) => provider.id === service.id)
  // Without its include, mail servers that receive may not be those that send.
  const isInDoubt = nodes.length === 0 && mailbox?.isAuthorized === false
  if (servers.length > 0 && isInDoubt) return UNKNOWN
  if (nodes.length + servers.length > 0) {
    const addresses = addressesBehind(nodes, servers, zone)
    return spfOfAddresses(addresses, zone, getsError(addresses, service, zone) ? FAIL : unmatched)
  }
  if (mailbox?.isAuthorized === null) return UNKNOWN
  if (mailbox) return mailbox.isAuthorized ? own : unmatched
  if (isMailboxHost(service) && namesGateway(zone)) return UNKNOWN
  if (!authorization.authorizesSenders) return FAIL
  // What only the service knows may be in the record.
  if (service.setup.spf.length === 0) return UNKNOWN
  return service.returnPathAtRoot === 'optional' ? passFor(null) : unmatched
}

/** A gateway in MX and SPF may send what the mailboxes behind it write. */
function namesGateway(zone: MailZone): boolean {
  return zone.mx.targets.some(({ exchange }) => {
    const provider = findProviderByMx(exchange)
    return provider?.kind === 'gateway' && nodesOf(provider, zone).length > 0
  })
}

/** If only some pass, those may belong to another service, or the limits cut the rest off. */
function spfOfAddresses(
  addresses: Addresses,
  { domain, spf: { authorization } }: MailZone,
  unmatched: Authentication,
): Authentication {
  if (isCovered(addresses, authorization.passing)) return passFor(domain)
  return overlap(addresses, authorization.passing) ? UNKNOWN : unmatched
}

/** A server that only MX records show may send from another address. */
function spfOfServers(
  { kind, addresses, evidence }: Stream,
  zone: MailZone,
  unmatched: Authentication,
): Authentication {
  const { domain, spf } = zone
  const { authorization } = spf
  if (addresses && overlap(addresses, authorization.passing)) {
    // Its include doesn't show whether an unknown service uses the domain in MAIL FROM.
    return kind === 'service' ? UNKNOWN : passFor(domain)
  }
  if (addresses && kind !== 'service' && getsError(addresses, null, zone)) return FAIL
  const isNamed = evidence.some((each) => !/^(?:MX|A) /.test(each))
  return isNamed || !authorization.authorizesSenders ? unmatched : UNKNOWN
}

/** RFC 7208 §4.6.4: who is named behind the tenth lookup gets a permanent error. */
function getsError(addresses: Addresses, service: MailService | null, { spf }: MailZone): boolean {
  const { graph, nodes, authorization } = spf
  const isRead = graph.failures.length === 0 && nodes.every(({ state }) => !UNREAD.has(state))
  const mayMatch = ({ term }: OpenTerm) =>
    matchingAddresses(graph, term, 'ipv4') === 'unknown' && !isListOfOther(term, service, graph)
  return isRead && isCovered(addresses, authorization.failing) && !findGrants(graph).some(mayMatch)
}

const UNREAD: ReadonlySet<SpfNode['state']> = new Set(['dynamic', 'unavailable', 'unasked'])

/** A vendor's list has its own servers. One of the domain, or of who hosts its SPF, may have any. */
function isListOfOther({ kind, target }: Directive, service: MailService | null, graph: SpfGraph) {
  if (kind !== 'exists' || !target || target.parts.at(-1)?.kind === 'macro') return false
  const host = replaceMacros(target)
  const isOwn = registrableDomain(host) === registrableDomain(graph.origin)
  return !isOwn && !findSpfHost(host) && (!service || findServiceBySpfHost(host) !== service)
}

/** Where the record leads to the service, or to a service that it sends through. */
function nodesOf(service: MailService, { spf, mx }: MailZone): SpfNode[] {
  const servers = mx.targets.map(({ exchange }) => exchange)
  const hosts = findProviderTerms(service, servers).map((term) => term.replace(/^[a-z]+:/, ''))
  return spf.nodes.filter(
    (node) =>
      node.term !== null && (node.service?.id === service.id || hosts.includes(node.domain)),
  )
}

function addressesBehind(
  nodes: readonly SpfNode[],
  servers: readonly Directive[],
  { spf: { graph } }: MailZone,
) {
  const grants = nodes.flatMap(({ term }) => (term ? findGrants(graph, graph.hostOf(term)) : []))
  const named = grants.map(({ term }) => term).filter(({ kind }) => kind !== 'all')
  return addressesOf([...named, ...servers], { graph })
}

function spfBelow({ at, service, sender }: Stream, { below }: MailZone): Authentication {
  const found = below.names.find(({ name }) => name === at)
  if (found?.service) return passFor(at)
  const isIncluded = sender !== null && !isNamedInSpf(sender) && service !== null
  if (isIncluded) return passFor(service.returnPathAtRoot === 'never' ? null : at)
  return /TXT v=spf1/i.test(found?.evidence ?? '') ? passFor(at) : UNKNOWN
}

function dkimOf(stream: Stream, zone: MailZone): Authentication {
  const signs = signsAt(stream, zone)
  return signs === 'yes' ? passFor(stream.at) : signs === 'no' ? FAIL : UNKNOWN
}

function signsAt({ at, sender, service, kind }: Stream, zone: MailZone): Signs {
  const { dkim, ownerOf, below, domain } = zone
  if (sender?.setUpAt) return findSigns(sender, zone, ownerOf)
  if (at !== domain) {
    return below.names.some(({ name, signs }) => name === at && signs) ? 'yes' : 'unknown'
  }
  const isOwned = (id: string | null) =>
    dkim.keys.filter((key) => (ownerOf(key)?.id ?? null) === id && !(id === null && key.forwarder))
  const keys = isOwned(service?.id ?? null)
  if (keys.some(isAcceptable) && (service !== null || kind !== 'service')) return 'yes'
  if (determinePresence(dkim) === 'absent') return 'no'
  if (!sender || dkim.wildcardKeys.some(({ revoked }) => !revoked)) return 'unknown'
  // Another one, at a selector of the owner's choice, may be in use.
  if (keys.length > 0) return sender.entry.setup.dkim?.selectorIsChosen ? 'unknown' : 'no'
  return findSigns(sender, zone, ownerOf)
}
