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
import type { AggregateRecord, DkimResult } from './aggregate-report.js'
import { memoized } from './memoized.js'

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
  'cmail19.com': 'campaignmonitor',
  'cmail20.com': 'campaignmonitor',
  'mlsend.com': 'mailerlite',
  'ccsend.com': 'constantcontact',
  'constantcontact.com': 'constantcontact',
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
  'atlassian.net': 'atlassian',
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

/** Services sign with such a name for customers without a key of their own. */
const DEFAULT_NAMES: readonly { readonly pattern: RegExp; readonly serviceId: string }[] = [
  { pattern: /^(?<customer>[^.]+)\.\d+\.gappssmtp\.com$/, serviceId: 'google' },
  { pattern: /^(?<customer>[^.]+)\.(?:mail\.)?onmicrosoft\.com$/, serviceId: 'microsoft365' },
]

const readDefaultName = memoized((domain) => {
  for (const { pattern, serviceId } of DEFAULT_NAMES) {
    const customer = pattern.exec(domain)?.groups?.customer
    if (customer !== undefined) return { customer, serviceId }
  }
  return null
})

/** Customers of one service share a domain, so the whole name says who it is. */
export function nameOfDomain(domain: string): string {
  return readDefaultName(domain) === null ? organizationOf(domain) : domain
}

/** Gmail verifies an address before people can send as it, and signs for them only. */
const SEND_AS_DOMAINS = new Set(['gmail.com', 'googlemail.com'])

export function isSentAs({ foreignDkim }: PassedDomains): boolean {
  return foreignDkim.some((domain) => SEND_AS_DOMAINS.has(domain))
}

export const isForwardingDomain = memoized((domain): boolean => {
  const { service } = findService(domain)
  if (service) return service.kind === 'forwarder'
  if (FORWARDING_DOMAINS.has(organizationOf(domain))) return true
  const labels = domain.split('.').slice(0, -2)
  return labels.some((label) => FORWARDING_LABEL.test(label))
})

/** The service that uses this domain for the mail of `owner`; null when unknown. */
function findServiceByDomain(
  domain: string,
  owner: string,
  { ownMailFrom }: PassedDomains,
): MailService | null {
  const name = readDefaultName(domain)
  if (name) {
    const isOwner = ownMailFrom !== null || isNameOf(name.customer, owner)
    return isOwner ? findServiceById(name.serviceId) : null
  }
  const { service } = findService(domain)
  return service?.kind === 'sender' ? service : null
}

/** `example-com` of Google, and `example` or `examplegroup` of Microsoft. */
function isNameOf(customer: string, owner: string): boolean {
  const [label = ''] = organizationOf(owner).split('.')
  const whole = [owner, organizationOf(owner)].some(
    (name) => name.replaceAll('.', '-') === customer,
  )
  return whole || (!customer.includes('-') && customer.startsWith(label.replaceAll('-', '')))
}

/** Providers of mailboxes send with the domain of the customer; at their own, anyone may be. */
const findService = memoized((domain): { readonly service: MailService | null } => {
  const service =
    findServiceBySpfHost(domain) ??
    findServiceByCname(domain) ??
    findServiceByMxHost(domain) ??
    findServiceById(SERVICE_DOMAINS[organizationOf(domain)] ?? '')
  const isNamed = service?.kind === 'sender' || service?.kind === 'forwarder'
  return { service: isNamed ? service : null }
})

const findBySelector = memoized((selector) => ({ service: findServiceBySelector(selector) }))

export interface PassedDomains {
  /** Passed signatures and SPF for the domain of From or one of its organization. */
  readonly ownDkim: readonly DkimResult[]
  readonly ownSpf: readonly string[]
  readonly foreignDkim: readonly string[]
  readonly foreignSpf: readonly string[]
  /** Signatures of the organization that do not pass. */
  readonly failedDkim: readonly DkimResult[]
  /** The domain of MAIL FROM where it is at the organization, with any result. */
  readonly ownMailFrom: string | null
}

/** The raw passes of a record, separated by whose domain they are for. */
export function passedDomains(record: AggregateRecord, owner: string): PassedDomains {
  const organization = organizationOf(owner)
  const isOwn = (domain: string | null) =>
    domain !== null && organizationOf(domain) === organization
  const dkim = record.dkimResults.filter(({ result }) => result === 'pass')
  const spf = record.spfResults
    .filter(({ result }) => result === 'pass')
    .flatMap(({ domain }) => domain ?? record.envelopeFrom ?? [])
  return {
    ownDkim: dkim.filter(({ domain }) => isOwn(domain)),
    ownSpf: spf.filter(isOwn),
    foreignDkim: dkim.flatMap(({ domain }) => (domain !== null && !isOwn(domain) ? domain : [])),
    foreignSpf: spf.filter((domain) => !isOwn(domain)),
    failedDkim: record.dkimResults.filter(
      ({ domain, result }) => result !== 'pass' && isOwn(domain),
    ),
    ownMailFrom:
      record.spfResults.find(({ domain, scope }) => scope !== 'helo' && isOwn(domain))?.domain ??
      null,
  }
}

/** A selector is the closest hint: services often send through the servers of another. */
export function identifyService(passed: PassedDomains, owner: string): MailService | null {
  const { ownDkim, foreignDkim, foreignSpf } = passed
  const bySelector = ownDkim.flatMap(({ selector }) => findBySelector(selector ?? '').service ?? [])
  const byDomain = () =>
    [...foreignDkim, ...foreignSpf].flatMap(
      (domain) => findServiceByDomain(domain, owner, passed) ?? [],
    )
  return bySelector[0] ?? byDomain()[0] ?? null
}
