/** Zones that experts' stories share; acme.test has its DNS at Cloudflare. */
import { GOOD_KEY_RECORD, keyZoneLine, txtZoneLine } from './dkim-fixture.js'
import { AT_CLOUDFLARE, MICROSOFT, ON_GOOGLE } from './service-zones.js'
import { dmarcZoneLine, signedCname } from './situation-zones.js'

export const ON_MICROSOFT = `${AT_CLOUDFLARE}${MICROSOFT}
  acme.test. MX 0 acme-test.mail.protection.outlook.com.
`

const MICROSOFT_TARGET = (selector: string) =>
  `${selector}-acme-test._domainkey.acme.onmicrosoft.com`

export const MICROSOFT_KEYS = ['selector1', 'selector2']
  .map((selector) => signedCname(selector, MICROSOFT_TARGET(selector)))
  .join('\n')

/** The keys of Microsoft as they were before 2048 bits. */
export function microsoftKeysWith(record: string): string {
  return ['selector1', 'selector2']
    .map(
      (selector) => `${selector}._domainkey.acme.test. CNAME ${MICROSOFT_TARGET(selector)}.
        ${txtZoneLine(MICROSOFT_TARGET(selector), record)}`,
    )
    .join('\n')
}

export const GOOGLE_KEY = keyZoneLine('google')

export function spfLine(text: string, name = 'acme.test'): string {
  return txtZoneLine(name, `v=spf1 ${text}`)
}

const REPORTS = 'rua=mailto:d@acme.test'

/** A DMARC record with a report address. */
export function policy(tags: string, domain = 'acme.test'): string {
  return dmarcZoneLine(`${tags}; ${REPORTS}`, domain)
}

/** Google Workspace with SPF and its key, and nothing wrong. */
export const GOOGLE_DONE = `${ON_GOOGLE}${GOOGLE_KEY}${spfLine('include:_spf.google.com ~all')}`

/** A server below the domain that SPF authorizes and that doesn't sign. */
export const UNSIGNED_BELOW = `
  support.acme.test. TXT "v=spf1 ip4:203.0.113.40 -all"
  support.acme.test. MX 10 desk.support.acme.test.
  desk.support.acme.test. A 203.0.113.40
`

/** A server below the domain that signs. */
export const SIGNED_BELOW = `
  mg.acme.test. TXT "v=spf1 include:mailgun.org ~all"
  mg.acme.test. MX 10 mxa.mailgun.org.
  mxa.mailgun.org. A 34.160.63.108
  mailgun.org. TXT "v=spf1 ip4:159.135.224.0/20 ~all"
  ${txtZoneLine('smtp._domainkey.mg.acme.test', GOOD_KEY_RECORD)}
`

/** The mailboxes moved to Microsoft; SPF and the only key are still those of Google. */
export function movedToMicrosoft(tags: string): string {
  return `${ON_MICROSOFT}${GOOGLE_INCLUDE}${GOOGLE_KEY}
    ${spfLine('include:_spf.google.com -all')}${policy(tags)}`
}

/** Mail goes to Google and to Microsoft; SPF and the only key are those of Google. */
export function halfAtMicrosoft(tags: string, all = '~all'): string {
  return `${ON_GOOGLE}${MICROSOFT}${GOOGLE_KEY}
    acme.test. MX 5 acme-test.mail.protection.outlook.com.
    ${spfLine(`include:_spf.google.com ${all}`)}${policy(tags)}`
}

export const GOOGLE_INCLUDE = `
  _spf.google.com. TXT "v=spf1 ip4:74.125.0.0/16 ip4:209.85.128.0/17 ~all"
`
