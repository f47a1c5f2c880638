/** Whether mail to an address can arrive, and whether it should be sent; no mail server is asked. */
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
import type { CheckResult } from '../../checks/check-result.js'
import { toReportSubject } from '../../checks/report-subject.js'
import type { MailAddress } from '../../names/mail-address.js'
import { registrableDomain } from '../../names/registrable-domain.js'
import type { EmailReport } from './email-report.js'
import { findMailRoute, type MailRoute } from './find-mail-route.js'
import { suggestDomain } from './suggest-domain.js'

export async function checkAddress(
  dns: Dns,
  address: MailAddress,
): Promise<CheckResult<EmailReport>> {
  const route = await findMailRoute(dns, address)
  return route.kind === 'unavailable' ? route : { kind: 'report', report: report(address, route) }
}

function report(
  address: MailAddress,
  { mx, mailServers, reasons: onTheWay }: MailRoute,
): EmailReport {
  const { given, normalized, domain, literal, quoted, smtpUtf8, subaddress } = address
  const role = roleOf(address)
  const matched = domain && findDisposableDomain(domain, mailServers)
  const suggestion = suggestionFor(address)
  const reasons = inOrder([
    ...onTheWay,
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
      mx: { acceptsMail: worstVerdict(onTheWay) !== 'undeliverable', ...mx },
      disposable: { disposable: matched !== null, matched },
      role: { role: role !== null, name: role },
    },
    freeProvider: domain !== null && isFreeProvider(domain),
    privacyRelay: domain !== null && isPrivacyRelay(domain),
    suggestion,
    mailboxProbed: false,
  }
}

/** RFC 2142 §2: the names of functions are the same in any case; a `+tag` does not change whose it is. */
function roleOf({ localPart, subaddress }: MailAddress): string | null {
  const [name = ''] = subaddress === null ? [localPart] : localPart.split('+', 1)
  const role = name.toLowerCase()
  return isRoleAccount(role) ? role : null
}

function suggestionFor({ normalized, domain }: MailAddress): string | null {
  const meant = domain && suggestDomain(domain)
  return meant && normalized.replace(/[^@]*$/, meant)
}

function reasonIf(holds: boolean, code: AddressReasonCode): AddressReasonCode[] {
  return holds ? [code] : []
}

function inOrder(reasons: readonly AddressReasonCode[]): AddressReasonCode[] {
  return ADDRESS_REASON_CODES.filter((code) => reasons.includes(code))
}

/**
 * The entry of the lists that covers the domain or one of its mail servers: such services put new
 * domains in front of the same servers faster than any list can follow.
 */
export function findDisposableDomain(
  domain: string,
  mailServers: readonly string[],
): string | null {
  if (isPrivacyRelay(domain)) return null
  const servers = mailServers.filter((server) => !isPrivacyRelay(server))
  return [domain, ...servers].flatMap(namesUpToRegistrable).find(isDisposableDomain) ?? null
}

/** From the name up to its registrable domain; none of a public suffix, which is nobody's own. */
export function namesUpToRegistrable(name: string): string[] {
  // One label more tells a suffix, which would otherwise be its own registrable domain, from others.
  const owner = registrableDomain(`any.${name}`)
  const labels = name.split('.')
  return labels
    .map((_, index) => labels.slice(index).join('.'))
    .filter((parent) => parent.length >= owner.length)
}

export function summarizeAddress({ email, verdict, reasons, suggestion }: EmailReport): string {
  const sentences = [
    verdict === 'ok'
      ? `${email} is ok: its domain takes mail, and nothing speaks against the address.`
      : `${email} is ${verdict}.`,
    ...reasons.map((reason) => ADDRESS_REASONS[reason].meaning),
    ...(suggestion === null ? [] : [`Probably meant: ${suggestion}.`]),
    ...(verdict === 'undeliverable'
      ? []
      : ['No mail server was asked, so whether the mailbox exists is not known.']),
  ]
  return sentences.join(' ')
}
