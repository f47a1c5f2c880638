/** Checks whether mail to an address can be delivered, without contacting a mail server. */
import type { Dns } from '@mailgrade/doh/dns'
import {
  ADDRESS_REASON_CODES,
  ADDRESS_REASONS,
  type AddressReasonCode,
  findConsumerMailboxByDomain,
  isDisposableDomain,
  isFreeProvider,
  isPlaceholderDomain,
  isPlaceholderName,
  isPrivacyRelay,
  isRoleAccount,
  worstVerdict,
} from '../../catalog/address-lists.js'
import { LISTS } from '../../catalog/generated/lists.js'
import { findProviderByMx } from '../../catalog/mail-services.js'
import { type CheckResult, toReportSubject } from '../../checks/check-result.js'
import type { MailAddress } from '../../names/mail-address.js'
import { registrableDomain } from '../../names/registrable-domain.js'
import type { NameOptions } from '../../names/reserved-names.js'
import { isTypo } from '../../names/typo.js'
import { quoteText } from '../visible-text.js'
import type { EmailReport } from './email-report.js'
import { findMailRoute, type MailRoute } from './find-mail-route.js'

export async function checkAddress(
  dns: Dns,
  address: MailAddress,
  options: NameOptions = {},
): Promise<CheckResult<EmailReport>> {
  const route = await findMailRoute(dns, address, options)
  return route.kind === 'unavailable'
    ? route
    : { kind: 'report', report: buildReport(address, route) }
}

function buildReport(
  address: MailAddress,
  { mx, mailServers, parking, reasons: routeReasons }: MailRoute,
): EmailReport {
  const { given, normalized, domain, literal, quoted, smtpUtf8, subaddress } = address
  const name = mailboxName(address)
  const role = isRoleAccount(name) ? name : null
  const placeholderName = isMadeUp(name, domain) ? name : null
  const placeholderDomain = domain && isPlaceholderDomain(domain) ? domain : null
  const acceptsMail = worstVerdict(routeReasons) !== 'undeliverable'
  const matched = domain && findDisposableDomain(domain, mailServers)
  const suggestion = suggestAddress(address)
  const reasons = sortReasons([
    ...routeReasons,
    ...reasonIf(matched !== null, 'disposable'),
    ...reasonIf(suggestion !== null, 'possible_typo'),
    ...reasonIf(domain !== null && !isAllowedName(name, domain), 'name_not_allowed'),
    ...reasonIf(placeholderName !== null, 'placeholder_name'),
    ...reasonIf(placeholderDomain !== null, 'placeholder_domain'),
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
      mx: { acceptsMail, ...mx, mayAcceptAll: acceptsMail ? mayAcceptAll(mx.provider) : null },
      disposable: { disposable: matched !== null, matched },
      parking,
      placeholder: {
        placeholder: placeholderName !== null || placeholderDomain !== null,
        name: placeholderName,
        domain: placeholderDomain,
      },
      role: { role: role !== null, name: role },
    },
    freeProvider: domain !== null && isFreeProvider(domain),
    privacyRelay: domain !== null && isPrivacyRelay(domain),
    suggestion,
    mailboxProbed: false,
  }
}

/** Role names are case-insensitive (RFC 2142 §2), and a `+tag` does not change the mailbox. */
function mailboxName({ localPart, subaddress }: MailAddress): string {
  const [name = ''] = subaddress === null ? [localPart] : localPart.split('+', 1)
  return name.toLowerCase()
}

function isMadeUp(name: string, domain: string | null): boolean {
  const isNumber = /^\d+$/.test(name)
  const isAccountNumber =
    isNumber && domain !== null && findConsumerMailboxByDomain(domain)?.hasNumericNames
  return !isAccountNumber && isPlaceholderName(name)
}

/** Every domain must have these, whatever names its users may choose (RFC 2142 §4, §5). */
const REQUIRED_NAMES: readonly string[] = ['abuse', 'postmaster']

function isAllowedName(name: string, domain: string): boolean {
  const { names } = findConsumerMailboxByDomain(domain) ?? {}
  return REQUIRED_NAMES.includes(name) || names === undefined || new RegExp(names).test(name)
}

/** A gateway may not know the mailboxes; a forwarder may have a rule for all names. */
function mayAcceptAll(provider: EmailReport['checks']['mx']['provider']): boolean | null {
  return provider === null || provider.kind === 'forwarder' ? null : provider.kind === 'gateway'
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

export function summarizeAddress(report: EmailReport): string {
  const { email, verdict, reasons, suggestion } = report
  const { provider, mayAcceptAll } = report.checks.mx
  // A stranger may have chosen the address.
  const sentences = [
    verdict === 'ok'
      ? `${quoteText(email)} is ok: its domain accepts mail, and we found no risks.`
      : `${quoteText(email)} is ${verdict}.`,
    ...reasons.map((reason) => ADDRESS_REASONS[reason].meaning),
    ...(suggestion === null ? [] : [`Did you mean ${quoteText(suggestion)}?`]),
    ...(verdict === 'undeliverable'
      ? []
      : ['We didn’t verify the mailbox itself, because we don’t contact mail servers.']),
    ...(provider && mayAcceptAll
      ? [
          `${provider.name} receives the mail first and may accept every address, so contacting it wouldn’t verify the mailbox either.`,
        ]
      : []),
  ]
  return sentences.join(' ')
}

/** Shorter names have too many real neighbors: aon.com is not a typo of aol.com. */
const MIN_LETTERS = 5

/** The domain that was probably intended, if the given one is not known. */
export function suggestDomain(domain: string): string | null {
  const isKnown =
    isFreeProvider(domain) || isPrivacyRelay(domain) || findProviderByMx(domain) !== null
  if (isKnown) return null
  return LISTS.typos.largeProviders.find((provider) => isMisspelled(domain, provider)) ?? null
}

function isMisspelled(domain: string, provider: string): boolean {
  const [name, suffix] = splitFirstLabel(domain)
  const [providerName, providerSuffix] = splitFirstLabel(provider)
  const isLong = providerName.length >= MIN_LETTERS
  if (suffix === providerSuffix) return isLong && isTypo(name, providerName)
  if (name !== providerName || providerSuffix !== 'com') return false
  return LISTS.typos.com.includes(suffix) || (isLong && LISTS.typos.likeCom.includes(suffix))
}

/** `yahoo.co.uk` → `yahoo`, `co.uk`. */
function splitFirstLabel(domain: string): [string, string] {
  const dot = domain.indexOf('.')
  return [domain.slice(0, dot), domain.slice(dot + 1)]
}
