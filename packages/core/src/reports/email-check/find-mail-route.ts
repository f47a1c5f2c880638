/** Finds where mail for an address is delivered, and why it may not be delivered. */

import type { Dns } from '@mailgrade/doh/dns'
import {
  type AddressReasonCode,
  isParkingMailServer,
  worstVerdict,
} from '../../catalog/address-lists.js'
import { findDnsHost } from '../../catalog/dns-hosts.js'
import type { DnsUnavailable } from '../../checks/check-result.js'
import { isDocumentationAddress, isPrivateAddress } from '../../checks/ip-address.js'
import { buildMxReport } from '../../checks/mx/check-mx.js'
import { discoverMx, type MxFacts, type MxTarget } from '../../checks/mx/discover-mx.js'
import type { DomainName } from '../../names/domain-name.js'
import type { AddressLiteral, MailAddress } from '../../names/mail-address.js'
import { registrableDomain } from '../../names/registrable-domain.js'
import { isNeverLookedUp, type NameOptions } from '../../names/reserved-names.js'
import type { EmailReport } from './email-report.js'

type Mx = Omit<EmailReport['checks']['mx'], 'acceptsMail' | 'mayAcceptAll'>

type Parking = EmailReport['checks']['parking']

export interface MailRoute {
  readonly kind: 'route'
  readonly mx: Mx
  /** The hosts of the MX records. */
  readonly mailServers: readonly string[]
  readonly parking: Parking
  readonly reasons: readonly AddressReasonCode[]
}

const UNREACHABLE: ReadonlySet<AddressReasonCode> = new Set([
  'unresolvable_mail_servers',
  'private_address',
])

const UNKNOWN_PARKING: Parking = { parked: null, matched: null }

const NO_MX: Mx = { records: [], nullMx: false, implicitMx: false, provider: null }

export async function findMailRoute(
  dns: Dns,
  { domain, literal }: MailAddress,
  options: NameOptions,
): Promise<MailRoute | DnsUnavailable> {
  if (literal !== null) return withoutMx(...judgeLiteral(literal))
  if (isNeverLookedUp(domain, options)) return withoutMx('special_use_domain')
  return lookUpRoute(dns, domain)
}

async function lookUpRoute(dns: Dns, domain: DomainName): Promise<MailRoute | DnsUnavailable> {
  const discovered = await discoverMx(dns, domain)
  if (discovered.kind === 'unavailable') return discovered
  if (discovered.kind === 'unknown-domain') return withoutMx('domain_not_found')
  const reasons = judgeFacts(discovered.facts)
  const failure = discovered.facts.failures.find(({ query }) => !isLocalhost(query.name))
  // An address that is unknown may be the one that mail can be delivered to.
  if (failure && reasons.some((reason) => UNREACHABLE.has(reason))) return failure
  const { records, nullMx, implicitMx, provider } = buildMxReport(discovered.facts)
  const mailServers = discovered.facts.targets.filter(isHost).map(({ exchange }) => exchange)
  const parking = await findParking(dns, domain, { mailServers, provider, reasons })
  return {
    kind: 'route',
    mx: { records, nullMx, implicitMx, provider },
    mailServers,
    parking,
    reasons: parking.parked ? [...reasons, 'parked_domain'] : reasons,
  }
}

interface MailServers {
  readonly mailServers: readonly string[]
  readonly provider: Mx['provider']
  readonly reasons: readonly AddressReasonCode[]
}

/** Name servers are queried only where they can change the verdict. */
async function findParking(
  dns: Dns,
  domain: DomainName,
  { mailServers, provider, reasons }: MailServers,
): Promise<Parking> {
  const matched = mailServers.find(isParkingMailServer)
  if (matched !== undefined) return { parked: true, matched }
  if (provider !== null) return { parked: false, matched: null }
  if (mailServers.length === 0 || worstVerdict(reasons) !== 'ok') return UNKNOWN_PARKING
  const answer = await dns.query(registrableDomain(domain), 'NS')
  return answer.kind === 'failed'
    ? UNKNOWN_PARKING
    : judgeNameServers(answer.kind === 'records' ? answer.records : [])
}

/** A zone that is only partly at a parking service is in use. */
function judgeNameServers(nameServers: readonly string[]): Parking {
  const isParked = nameServers.every((name) => findDnsHost(name)?.isParking)
  const [matched = null] = isParked ? [...nameServers].sort() : []
  return { parked: matched !== null, matched }
}

function withoutMx(...reasons: AddressReasonCode[]): MailRoute {
  return { kind: 'route', mx: NO_MX, mailServers: [], parking: UNKNOWN_PARKING, reasons }
}

function judgeLiteral({ address }: AddressLiteral): AddressReasonCode[] {
  if (isPrivateAddress(address)) return ['private_address', 'domain_literal']
  return isDocumentationAddress(address)
    ? ['documentation_address', 'domain_literal']
    : ['domain_literal']
}

function judgeFacts({ targets, domainAddresses }: MxFacts): AddressReasonCode[] {
  if (targets.length > 0) return judgeTargets(targets)
  if (domainAddresses.length === 0) return ['no_mail_server']
  return domainAddresses.every(isPrivateAddress)
    ? ['private_address', 'implicit_mx']
    : ['implicit_mx']
}

function judgeTargets(targets: readonly MxTarget[]): AddressReasonCode[] {
  if (targets.every(({ kind }) => kind === 'null')) return ['null_mx']
  // A server that was not looked up may exist.
  if (targets.some(({ kind }) => kind === 'unqueried')) return []
  const addresses = targets.flatMap(addressesOf)
  if (addresses.length === 0) return ['unresolvable_mail_servers']
  return addresses.every(isPrivateAddress) ? ['private_address'] : []
}

function addressesOf(target: MxTarget): readonly string[] {
  if (target.kind !== 'host') return []
  return isLocalhost(target.exchange) ? [LOOPBACK] : (target.addresses ?? [])
}

const LOOPBACK = '127.0.0.1'

/** Always the sender itself, with or without an answer from DNS (RFC 6761 §6.3). */
function isLocalhost(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost')
}

function isHost({ kind }: MxTarget): boolean {
  return kind === 'host' || kind === 'unqueried'
}
