/** Finds where mail for an address is delivered, and why it may not be delivered. */

import type { Dns } from '@mailgrade/doh/dns'
import type { AddressReasonCode } from '../../catalog/address-reasons.js'
import { isSpecialUseDomain } from '../../catalog/special-use-domains.js'
import type { DnsUnavailable } from '../../checks/check-result.js'
import { buildMxReport } from '../../checks/mx/check-mx.js'
import { discoverMx, type MxFacts, type MxTarget } from '../../checks/mx/discover-mx.js'
import { isPrivateAddress } from '../../checks/private-address.js'
import type { DomainName } from '../../names/domain-name.js'
import type { AddressLiteral, MailAddress } from '../../names/mail-address.js'
import type { EmailReport } from './email-report.js'

type Mx = Omit<EmailReport['checks']['mx'], 'acceptsMail'>

export interface MailRoute {
  readonly kind: 'route'
  readonly mx: Mx
  /** The hosts of the MX records. */
  readonly mailServers: readonly string[]
  readonly reasons: readonly AddressReasonCode[]
}

const UNREACHABLE: ReadonlySet<AddressReasonCode> = new Set([
  'unresolvable_mail_servers',
  'private_address',
])

const NO_MX: Mx = { records: [], nullMx: false, implicitMx: false, provider: null }

export async function findMailRoute(
  dns: Dns,
  { domain, literal }: MailAddress,
): Promise<MailRoute | DnsUnavailable> {
  if (literal !== null) return withoutMx(...judgeLiteral(literal))
  // Special-use names must not be queried (RFC 6761 §6.4).
  if (isSpecialUseDomain(domain)) return withoutMx('special_use_domain')
  return lookUpRoute(dns, domain)
}

async function lookUpRoute(dns: Dns, domain: DomainName): Promise<MailRoute | DnsUnavailable> {
  const discovered = await discoverMx(dns, domain)
  if (discovered.kind === 'unavailable') return discovered
  if (discovered.kind === 'unknown-domain') return withoutMx('domain_not_found')
  const reasons = judgeFacts(discovered.facts)
  const [failure] = discovered.facts.failures
  // An address that is unknown may be the one that mail can be delivered to.
  if (failure && reasons.some((reason) => UNREACHABLE.has(reason))) return failure
  const { records, nullMx, implicitMx, provider } = buildMxReport(discovered.facts)
  return {
    kind: 'route',
    mx: { records, nullMx, implicitMx, provider },
    mailServers: discovered.facts.targets.filter(isHost).map(({ exchange }) => exchange),
    reasons,
  }
}

function withoutMx(...reasons: AddressReasonCode[]): MailRoute {
  return { kind: 'route', mx: NO_MX, mailServers: [], reasons }
}

function judgeLiteral({ address }: AddressLiteral): AddressReasonCode[] {
  return isPrivateAddress(address) ? ['private_address', 'domain_literal'] : ['domain_literal']
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
  const addresses = targets.flatMap((target) =>
    target.kind === 'host' ? (target.addresses ?? []) : [],
  )
  if (addresses.length === 0) return ['unresolvable_mail_servers']
  return addresses.every(isPrivateAddress) ? ['private_address'] : []
}

function isHost({ kind }: MxTarget): boolean {
  return kind === 'host' || kind === 'unqueried'
}
