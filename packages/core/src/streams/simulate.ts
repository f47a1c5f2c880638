/** What receivers find for the mail of a stream, and what happens to it under the policy. */
import { findProviderTerms, type MailService } from '../catalog/mail-services.js'
import { uniteRanges } from '../checks/address-set.js'
import { determinePresence } from '../checks/dkim/dkim-facts.js'
import { isAcceptable } from '../checks/dkim/key-record.js'
import type { DmarcFacts } from '../checks/dmarc/discover-dmarc.js'
import type { DmarcPolicy } from '../checks/dmarc/dmarc-record.js'
import type { IpFamily } from '../checks/ip-address.js'
import { findGrants } from '../checks/spf/spf-authorization.js'
import type { SpfNode } from '../checks/spf/spf-tree.js'
import { matchingAddresses } from '../checks/spf/term-lookups.js'
import { registrableDomain } from '../names/registrable-domain.js'
import { overlap } from './collect-streams.js'
import type { NameBelow } from './discover-below.js'
import { isBounceName, isNamedInSpf, type StreamFacts } from './find-senders.js'
import { findSigns, type KeyOwners, type Signs } from './key-owners.js'
import { strictestBelow, strictestTreatment } from './simulate-dmarc.js'
import type { Outcome, Stream, StreamDkim, StreamReport, StreamSpf } from './stream.js'

/** What receivers see of a domain. */
export interface MailZone extends StreamFacts {
  readonly dmarc: DmarcFacts
  readonly ownerOf: KeyOwners
}

export function simulate(stream: Stream, zone: MailZone): StreamReport {
  const spf = spfOf(stream, zone)
  const dkim = dkimOf(stream, zone)
  const isBelow = stream.at !== zone.domain
  const treatment = isBelow ? strictestBelow(zone.dmarc) : strictestTreatment(zone.dmarc)
  const { id, name, kind, at, certainty, evidence } = stream
  const outcome = outcomeOf(spf, dkim, treatment)
  return { id, name, kind, at, certainty, spf, dkim, outcome, evidence }
}

const FAILURES: Readonly<Record<DmarcPolicy, Outcome>> = {
  none: 'at-risk',
  quarantine: 'quarantined',
  reject: 'lost',
}

/** RFC 9989 §4.4: one aligned pass is enough. */
function outcomeOf(spf: StreamSpf, dkim: StreamDkim, treatment: DmarcPolicy): Outcome {
  if (spf === 'aligned' || dkim === 'aligned') return 'pass'
  return spf === 'unknown' || dkim === 'unknown' ? 'unknown' : FAILURES[treatment]
}

function spfOf(stream: Stream, zone: MailZone): StreamSpf {
  if (stream.at !== zone.domain) return spfBelow(stream, zone)
  const { service } = stream
  // Below a registrable domain, it may use the name itself in MAIL FROM.
  const isRoot = registrableDomain(zone.domain) === zone.domain
  if (service?.returnPathAtRoot === 'never' && isRoot) return spfOfBounces(service, zone)
  const { tree, authorization } = zone.spf
  if (authorization.openTerms.length > 0) return 'aligned'
  if (tree.state !== 'record') return 'fails'
  const unmatched = authorization.hasUnknownSenders ? 'unknown' : 'fails'
  return service ? spfOfService(service, zone, unmatched) : spfOfServers(stream, zone, unmatched)
}

function spfOfBounces(service: MailService, { below }: MailZone): StreamSpf {
  const isOwn = (each: NameBelow) => each.service === service && isBounceName(each.name)
  return below.names.some(isOwn) ? 'aligned' : 'not-aligned'
}

/** `unmatched` is the result for servers that nothing in the record matches. */
function spfOfService(service: MailService, zone: MailZone, unmatched: StreamSpf): StreamSpf {
  const { authorization, mailboxes } = zone.spf
  const nodes = nodesOf(service, zone)
  if (nodes.length > 0) {
    return overlap(addressesBehind(nodes, zone), authorization.passing) ? 'aligned' : unmatched
  }
  const mailbox = mailboxes.find(({ provider }) => provider.id === service.id)
  if (mailbox?.isAuthorized === null) return 'unknown'
  if (mailbox) return mailbox.isAuthorized ? 'aligned' : unmatched
  if (!authorization.authorizesSenders) return 'fails'
  // What only the service knows may be in the record.
  if (service.setup.spf.length === 0) return 'unknown'
  return service.returnPathAtRoot === 'optional' ? 'not-aligned' : unmatched
}

/** A server that only MX records show may send from another address. */
function spfOfServers(
  { addresses, evidence }: Stream,
  { spf: { authorization } }: MailZone,
  unmatched: StreamSpf,
): StreamSpf {
  if (addresses && overlap(addresses, authorization.passing)) return 'aligned'
  const isNamed = evidence.some((each) => !/^(?:MX|A) /.test(each))
  return isNamed || !authorization.authorizesSenders ? unmatched : 'unknown'
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

function addressesBehind(nodes: readonly SpfNode[], { spf: { graph } }: MailZone) {
  const grants = nodes.flatMap(({ term }) => (term ? findGrants(graph, graph.hostOf(term)) : []))
  const inFamily = (family: IpFamily) =>
    uniteRanges(
      grants.flatMap(({ term }) => {
        const matching = term.kind === 'all' ? [] : matchingAddresses(graph, term, family)
        return typeof matching === 'string' ? [] : matching
      }),
    )
  return { ipv4: inFamily('ipv4'), ipv6: inFamily('ipv6') }
}

function spfBelow({ at, service, sender }: Stream, { below }: MailZone): StreamSpf {
  const found = below.names.find(({ name }) => name === at)
  if (found?.service) return 'aligned'
  const isIncluded = sender !== null && !isNamedInSpf(sender) && service !== null
  if (isIncluded) return service.returnPathAtRoot === 'never' ? 'not-aligned' : 'aligned'
  return /TXT v=spf1/i.test(found?.evidence ?? '') ? 'aligned' : 'unknown'
}

const DKIM_STATES: Readonly<Record<Signs, StreamDkim>> = {
  yes: 'aligned',
  no: 'none',
  unknown: 'unknown',
}

function dkimOf({ at, sender, service, kind }: Stream, zone: MailZone): StreamDkim {
  const { dkim, ownerOf, below, domain } = zone
  if (sender?.setUpAt) return DKIM_STATES[findSigns(sender, zone, ownerOf)]
  if (at !== domain) {
    return below.names.some(({ name, signs }) => name === at && signs) ? 'aligned' : 'unknown'
  }
  const isOwned = (id: string | null) =>
    dkim.keys.filter((key) => (ownerOf(key)?.id ?? null) === id && !(id === null && key.forwarder))
  const keys = isOwned(service?.id ?? null)
  if (keys.some(isAcceptable) && (service !== null || kind !== 'service')) return 'aligned'
  if (determinePresence(dkim) === 'absent') return 'none'
  if (!sender || dkim.wildcardKeys.some(({ revoked }) => !revoked)) return 'unknown'
  const isRefused = keys.length > 0 && !sender.entry.setup.dkim?.selectorIsChosen
  return isRefused ? 'none' : DKIM_STATES[findSigns(sender, zone, ownerOf)]
}
