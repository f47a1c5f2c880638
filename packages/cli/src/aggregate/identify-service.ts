/** The catalog service behind a domain or a selector in a report. */
import {
  findServiceByCname,
  findServiceById,
  findServiceByMxHost,
  findServiceBySelector,
  findServiceBySpfHost,
  type MailService,
  registrableDomain,
} from '@mailgrade/core'
import { memoized } from './memoized.js'
import type { DkimResult, ReportRecord } from './report-record.js'

export const organizationOf = memoized(registrableDomain)

/** Domains that services use in MAIL FROM or DKIM, but customers never publish. */
const SERVICE_DOMAINS: Readonly<Record<string, string>> = {
  'mcdlv.net': 'mailchimp',
  'mcsv.net': 'mailchimp',
  'rsgsv.net': 'mailchimp',
  'mailchimpapp.net': 'mailchimp',
  'exacttarget.com': 'sfmc',
  'pardot.com': 'pardot',
  'klaviyomail.com': 'klaviyo',
  'createsend.com': 'campaignmonitor',
  'mlsend.com': 'mailerlite',
  'ccsend.com': 'constantcontact',
  'brevosend.com': 'brevo',
  'sendinblue.com': 'brevo',
  'mtasv.net': 'postmark',
  'mandrillapp.com': 'mandrill',
  'mailjet.com': 'mailjet',
  'zendesk.com': 'zendesk',
  'salesforce.com': 'salesforce',
  'freshdesk.com': 'freshdesk',
  'helpscout.net': 'helpscout',
  'intercom-mail.com': 'intercom',
  'shopifyemail.com': 'shopify',
  'stripe.com': 'stripe',
  'atlassian.net': 'atlassian',
  'onmicrosoft.com': 'microsoft365',
}

/** Hosts of mailboxes and lists that pass mail on; the mail of an owner's service never uses them. */
const FORWARDING_DOMAINS = new Set([
  'gmail.com',
  'googlemail.com',
  'googlegroups.com',
  'groups.io',
  'outlook.com',
  'hotmail.com',
  'yahoo.com',
  'icloud.com',
  'me.com',
  'gmx.net',
  'web.de',
])

/** Names that forwarders and lists give to their bounce domains; SRS is the sender rewriting scheme. */
const FORWARDING_LABEL = /^(?:srs\d*|forward(?:er|ing)?|fwd|lists?|mailman|listserv|groups)$/

/** Google signs for customers without a key of their own with a name like this. */
const GOOGLE_DEFAULT = /^(?<customer>[^.]+)\.\d+\.gappssmtp\.com$/

export const isForwardingDomain = memoized((domain): boolean => {
  if (FORWARDING_DOMAINS.has(organizationOf(domain))) return true
  if (
    domain
      .split('.')
      .slice(0, -2)
      .some((label) => FORWARDING_LABEL.test(label))
  )
    return true
  return findService(domain).service?.kind === 'forwarder'
})

/** The service that uses this domain for the mail of `owner`; null when unknown. */
function findServiceByDomain(domain: string, owner: string): MailService | null {
  const customer = GOOGLE_DEFAULT.exec(domain)?.groups?.customer
  if (customer !== undefined) {
    const isOwner = [owner, organizationOf(owner)].some(
      (name) => name.replaceAll('.', '-') === customer,
    )
    return isOwner ? findServiceById('google') : null
  }
  return isForwardingDomain(domain) ? null : findService(domain).service
}

const findService = memoized((domain): { readonly service: MailService | null } => ({
  service:
    findServiceBySpfHost(domain) ??
    findServiceByCname(domain) ??
    findServiceByMxHost(domain) ??
    findServiceById(SERVICE_DOMAINS[organizationOf(domain)] ?? ''),
}))

const findBySelector = memoized((selector) => ({ service: findServiceBySelector(selector) }))

export interface PassedDomains {
  /** Passed signatures and SPF for the domain of From or one of its organization. */
  readonly ownDkim: readonly DkimResult[]
  readonly hasOwnSpf: boolean
  readonly foreignDkim: readonly string[]
  readonly foreignSpf: readonly string[]
}

/** The raw passes of a record, separated by whose domain they are for. */
export function passedDomains(record: ReportRecord, owner: string): PassedDomains {
  const organization = organizationOf(owner)
  const isOwn = (domain: string) => organizationOf(domain) === organization
  const dkim = record.dkimResults.filter(({ result }) => result === 'pass')
  const spf = record.spfResults
    .filter(({ result }) => result === 'pass')
    .flatMap(({ domain }) => domain ?? record.envelopeFrom ?? [])
  return {
    ownDkim: dkim.filter(({ domain }) => domain !== null && isOwn(domain)),
    hasOwnSpf: spf.some(isOwn),
    foreignDkim: dkim.flatMap(({ domain }) => (domain !== null && !isOwn(domain) ? domain : [])),
    foreignSpf: spf.filter((domain) => !isOwn(domain)),
  }
}

/** A selector is the best hint: services often send through the servers of another service. */
export function identifyService(
  { ownDkim, foreignDkim, foreignSpf }: PassedDomains,
  owner: string,
): MailService | null {
  const bySelector = ownDkim.flatMap(({ selector }) => findBySelector(selector ?? '').service ?? [])
  const byDomain = () =>
    [...foreignDkim, ...foreignSpf].flatMap((domain) => findServiceByDomain(domain, owner) ?? [])
  return bySelector[0] ?? byDomain()[0] ?? null
}
