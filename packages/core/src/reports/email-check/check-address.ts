/** Checks whether mail to an address can be delivered, without contacting a mail server. */
import type { Dns } from '@mailgrade/doh/dns'
import {
  ADDRESS_REASON_CODES,
  ADDRESS_REASONS,
  type AddressReasonCode,
  worstVerdict,
} from '../../catalog/address-reasons.js'
import { isDisposableDomain } from '../../catalog/disposable-domains.js'
import { isFreeProvider } from '../../catalog/free-providers.js'
import { isPrivacyRelay } from '../../catalog/privacy-relays.js'
import { isRoleAccount } from '../../catalog/role-accounts.js'
import { type CheckResult, toReportSubject } from '../../checks/check-result.js'
import { registrableDomain } from '../../names/domain-name.js'
import type { MailAddress } from '../../names/mail-address.js'
import type { EmailReport } from './email-report.js'
import { findMailRoute, type MailRoute } from './find-mail-route.js'
import { suggestDomain } from './suggest-domain.js'

export async function checkAddress(
  dns: Dns,
  address: MailAddress,
): Promise<CheckResult<EmailReport>> {
  const route = await findMailRoute(dns, address)
  return route.kind === 'unavailable'
    ? route
    : { kind: 'report', report: buildReport(address, route) }
}

function buildReport(
  address: MailAddress,
  { mx, mailServers, reasons: routeReasons }: MailRoute,
): EmailReport {
  const { given, normalized, domain, literal, quoted, smtpUtf8, subaddress } = address
  const role = findRole(address)
  const matched = domain && findDisposableDomain(domain, mailServers)
  const suggestion = suggestAddress(address)
  const reasons = sortReasons([
    ...routeReasons,
    ...reasonIf(matched !== null, 'disposable'),
    ...reasonIf(suggestion !== null, 'possible_typo'),
    ...reasonIf(role !== null, 'role_account'),
    ...reasonIf(quoted, 'quoted_local_part'),
    ...reasonIf(smtpUtf8, 'smtp_utf8'),
  ])
  return {
    email: given,
    normalized,
    ...(literal ? { domain: literal.bracketed } : toReportSubject(domain)),
    verdict: worstVerdict(reasons),
    reasons,
    checks: {
      syntax: { valid: true, quoted, smtpUtf8, subaddress },
      mx: { acceptsMail: worstVerdict(routeReasons) !== 'undeliverable', ...mx },
      disposable: { disposable: matched !== null, matched },
      role: { role: role !== null, name: role },
    },
    freeProvider: domain !== null && isFreeProvider(domain),
    privacyRelay: domain !== null && isPrivacyRelay(domain),
    suggestion,
    mailboxProbed: false,
  }
}

/** Role names are case-insensitive (RFC 2142 §2), and a `+tag` does not change the role. */
function findRole({ localPart, subaddress }: MailAddress): string | null {
  const [name = ''] = subaddress === null ? [localPart] : localPart.split('+', 1)
  const role = name.toLowerCase()
  return isRoleAccount(role) ? role : null
}

function suggestAddress({ normalized, domain }: MailAddress): string | null {
  const suggested = domain && suggestDomain(domain)
  return suggested && normalized.replace(/[^@]*$/, suggested)
}

function reasonIf(condition: boolean, code: AddressReasonCode): AddressReasonCode[] {
  return condition ? [code] : []
}

function sortReasons(reasons: readonly AddressReasonCode[]): AddressReasonCode[] {
  return ADDRESS_REASON_CODES.filter((code) => reasons.includes(code))
}

/**
 * The listed domain that covers the domain or one of its mail servers. Disposable services move new
 * domains to the same servers faster than any list can follow.
 */
function findDisposableDomain(domain: string, mailServers: readonly string[]): string | null {
  if (isPrivacyRelay(domain)) return null
  const servers = mailServers.filter((server) => !isPrivacyRelay(server))
  return [domain, ...servers].flatMap(namesUpToRegistrable).find(isDisposableDomain) ?? null
}

/** The name and its parents up to the registrable domain; empty for a public suffix. */
export function namesUpToRegistrable(name: string): string[] {
  // The extra label detects a public suffix, which would otherwise count as its own registrable domain.
  const owner = registrableDomain(`any.${name}`)
  const labels = name.split('.')
  return labels
    .map((_, index) => labels.slice(index).join('.'))
    .filter((parent) => parent.length >= owner.length)
}

export function summarizeAddress({ email, verdict, reasons, suggestion }: EmailReport): string {
  const sentences = [
    verdict === 'ok'
      ? `${email} is ok: its domain accepts mail, and no risk was found.`
      : `${email} is ${verdict}.`,
    ...reasons.map((reason) => ADDRESS_REASONS[reason].meaning),
    ...(suggestion === null ? [] : [`Did you mean ${suggestion}?`]),
    ...(verdict === 'undeliverable'
      ? []
      : ['The mailbox itself was not verified, because we do not contact mail servers.']),
  ]
  return sentences.join(' ')
}
