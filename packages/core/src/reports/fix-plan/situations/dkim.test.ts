/** DKIM keys that are weak, gone, being tested, or hidden. */
import { ED25519, SPKI } from '@mailgrade/testing/dkim-keys'
import { expect } from 'vitest'
import { keyZoneLine } from '../../../../test/support/dkim-fixture.js'
import {
  AT_CLOUDFLARE,
  MAILCHIMP,
  MICROSOFT,
  ON_GOOGLE,
  SENDGRID,
} from '../../../../test/support/service-zones.js'
import {
  changesFor,
  ladder,
  recordAt,
  senderLines,
  situation,
  stepNamed,
  titles,
  warningIds,
} from '../../../../test/support/situation.js'
import {
  BREVO,
  dmarcZoneLine,
  HUBSPOT,
  MAILGUN,
  signedCname,
  YANDEX,
  ZOHO_EU,
} from '../../../../test/support/situation-zones.js'

const GOOGLE_SPF = 'acme.test. TXT "v=spf1 include:_spf.google.com ~all"\n'
const WEAK = `v=DKIM1; k=rsa; p=${SPKI[1024]}`
const reject = dmarcZoneLine('p=reject; rua=mailto:dmarc@acme.test')
const quarantine = dmarcZoneLine('p=quarantine; rua=mailto:dmarc@acme.test')

situation({
  name: '1024-bit Google key under p=reject',
  expert: 'A successor at another selector, then the switch, and the old key goes a week later.',
  zone: `${ON_GOOGLE}${GOOGLE_SPF}${keyZoneLine('google', WEAK)}${reject}`,
  expect: (plan) => {
    expect(changesFor(plan, 'dkim')).toEqual([
      'create TXT google2._domainkey.acme.test v=DKIM1; k=rsa; p={google-public-key}',
      `delete TXT google._domainkey.acme.test ${WEAK}`,
    ])
    const removal = plan.records.find(({ action }) => action === 'delete')
    expect(removal?.onlyIf).toMatch(/^It’s been a week/)
    const order = [
      'Create a new key in',
      'Publish the new key for',
      'Switch',
      'Remove the old key',
    ].map((part) => stepNamed(plan, part).order)
    expect(order).toEqual([...order].sort((one, other) => one - other))
    expect(warningIds(plan)).not.toContain('plan.mail-at-risk')
  },
})

situation({
  name: '1024-bit Zoho key at zmail',
  expert: 'Zoho lets the customer choose selectors: a new one beside the live key.',
  zone: `${AT_CLOUDFLARE}${ZOHO_EU}
    acme.test. MX 10 mx.zoho.eu.
    acme.test. TXT "v=spf1 include:zohomail.eu ~all"
    ${keyZoneLine('zmail', WEAK)}${quarantine}`,
  expect: (plan) => {
    const [created, deleted] = changesFor(plan, 'dkim')
    expect(created).toMatch(
      /^create TXT (?!zmail\._)[a-z\d-]+\._domainkey\.acme\.test .*\{zoho-public-key\}$/,
    )
    expect(created).toContain(' zoho._domainkey.acme.test ')
    expect(warningIds(plan)).toEqual([])
    expect(deleted).toBe(`delete TXT zmail._domainkey.acme.test ${WEAK}`)
    expect(ladder(plan)).toEqual(['quarantine', 'reject test', 'reject'])
  },
})

situation({
  name: '1024-bit Yandex key at mail',
  expert: 'Yandex fixes the selector, so the customer cannot rotate: kept, and said so.',
  zone: `${AT_CLOUDFLARE}${YANDEX}
    acme.test. MX 10 mx.yandex.net.
    acme.test. TXT "v=spf1 include:_spf.yandex.net ~all"
    ${keyZoneLine('mail', WEAK)}${quarantine}`,
  expect: (plan) => {
    expect(changesFor(plan, 'dkim')).toEqual([])
    expect(recordAt(plan, 'mail._domainkey.acme.test')).toMatchObject({
      action: 'keep',
      service: 'yandex',
    })
    expect(recordAt(plan, 'mail._domainkey.acme.test').why).toMatch(
      /Yandex .* doesn’t offer longer keys/,
    )
    expect(titles(plan).join()).not.toMatch(/RSA key/)
    expect(warningIds(plan)).not.toContain('dkim.short-key')
  },
})

situation({
  name: '768-bit key of an own server under p=reject',
  expert:
    'Receivers ignore it today, so it is urgent; still no overwriting of the selector in use.',
  zone: `${AT_CLOUDFLARE}
    acme.test. MX 10 mail.acme.test.
    mail.acme.test. A 203.0.113.2
    acme.test. TXT "v=spf1 mx -all"
    ${keyZoneLine('default', `v=DKIM1; k=rsa; p=${SPKI[768]}`)}${reject}`,
  expect: (plan) => {
    const [created] = changesFor(plan, 'dkim')
    expect(created).toMatch(
      /^create TXT (?!default\._)\S+ v=DKIM1; k=rsa; p=\{mail-server-public-key\}$/,
    )
    expect(warningIds(plan)).toContain('plan.mail-at-risk')
    expect(titles(plan)[0]).toMatch(/^Urgent: /)
  },
})

situation({
  name: 'Ed25519 key only',
  expert:
    'Most receivers cannot check it: an RSA key beside it, as a step and not only as a warning.',
  zone: `${AT_CLOUDFLARE}
    acme.test. MX 10 mail.acme.test.
    mail.acme.test. A 203.0.113.2
    acme.test. TXT "v=spf1 mx -all"
    ${keyZoneLine('default', `v=DKIM1; k=ed25519; p=${ED25519}`)}${quarantine}`,
  expect: (plan) => {
    const lines = changesFor(plan, 'dkim')
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatch(/^create TXT \S+ v=DKIM1; k=rsa; p=\{mail-server-public-key\}$/)
    expect(recordAt(plan, 'default._domainkey.acme.test').action).toBe('keep')
    expect(titles(plan).join('\n')).toMatch(/new key|DKIM key/)
    // The Ed25519 key stays in use, so nothing tells the owner to sign with RSA *instead*.
    const actions = plan.steps.flatMap((step) => step.actions).join(' ')
    expect(actions).not.toMatch(/instead of `default`/)
    // Receivers have checked no signature so far, so the first stage starts today.
    expect(actions).not.toMatch(/the time since then counts/)
  },
})

situation({
  name: 'Google key in test mode (t=y)',
  expert: 'Same key without the flag; nothing is generated again.',
  zone: `${ON_GOOGLE}${GOOGLE_SPF}${keyZoneLine('google', `v=DKIM1; k=rsa; t=y; p=${SPKI[2048]}`)}${quarantine}`,
  expect: (plan) => {
    expect(changesFor(plan, 'dkim')).toEqual([
      `replace TXT google._domainkey.acme.test v=DKIM1; k=rsa; p=${SPKI[2048]}`,
    ])
    const step = plan.steps.find(({ records }) => records.length > 0)
    // Nothing has to be turned on: the service signs with this key already.
    expect(step?.title).not.toMatch(/^Get the DNS records/)
  },
})

situation({
  name: 'The only key is revoked',
  expert:
    'Google needs a new key; the empty record may be replaced, because nothing passes with it.',
  zone: `${ON_GOOGLE}${GOOGLE_SPF}${keyZoneLine('google', 'v=DKIM1; k=rsa; p=')}${reject}`,
  expect: (plan) => {
    expect(changesFor(plan, 'dkim')).toEqual([
      'replace TXT google._domainkey.acme.test v=DKIM1; k=rsa; p={google-public-key}',
    ])
    expect(warningIds(plan)).toContain('plan.mail-at-risk')
    expect(titles(plan)[0]).toMatch(/^Urgent: /)
  },
})

situation({
  name: 'Microsoft 365 CNAMEs published, signing not switched on',
  expert: 'No record to publish: the missing click in Defender is the step.',
  zone: `${AT_CLOUDFLARE}${MICROSOFT}
    acme.test. MX 0 acme-test.mail.protection.outlook.com.
    acme.test. TXT "v=spf1 include:spf.protection.outlook.com -all"
    selector1._domainkey.acme.test. CNAME selector1-acme-test._domainkey.acme.onmicrosoft.com.
    selector2._domainkey.acme.test. CNAME selector2-acme-test._domainkey.acme.onmicrosoft.com.
    ${quarantine}`,
  expect: (plan) => {
    expect(changesFor(plan, 'dkim')).toEqual([])
    expect(stepNamed(plan, 'Turn on DKIM signing').actions.join(' ')).toContain(
      'Turn on “Sign messages for this domain',
    )
    expect(plan.summary).not.toMatch(/don’t need to change anything/i)
    expect(ladder(plan)).toEqual(['quarantine', 'reject test', 'reject'])
  },
})

situation({
  name: 'Microsoft 365 signs with selector1; selector2 waits for rotation',
  expert: 'The idle second CNAME is normal: kept, no warning.',
  zone: `${AT_CLOUDFLARE}${MICROSOFT}
    acme.test. MX 0 acme-test.mail.protection.outlook.com.
    acme.test. TXT "v=spf1 include:spf.protection.outlook.com -all"
    ${signedCname('selector1', 'selector1-acme-test._domainkey.acme.n-v1.dkim.mail.microsoft')}
    selector2._domainkey.acme.test. CNAME selector2-acme-test._domainkey.acme.n-v1.dkim.mail.microsoft.
    ${reject}`,
  expect: (plan) => {
    expect(changesFor(plan, 'dkim')).toEqual([])
    expect(recordAt(plan, 'selector2._domainkey.acme.test', 'CNAME').action).toBe('keep')
    expect(warningIds(plan)).toEqual([])
  },
})

situation({
  name: 'Microsoft 365 CNAME with the zone appended by the panel',
  expert: 'The target ends in the own domain: the CNAME is replaced, not called right.',
  zone: `${AT_CLOUDFLARE}${MICROSOFT}
    acme.test. MX 0 acme-test.mail.protection.outlook.com.
    acme.test. TXT "v=spf1 include:spf.protection.outlook.com -all"
    selector1._domainkey.acme.test. CNAME selector1-acme-test._domainkey.acme.onmicrosoft.com.acme.test.
    ${quarantine}`,
  expect: (plan) => {
    expect(changesFor(plan, 'dkim')).toEqual([
      'replace CNAME selector1._domainkey.acme.test {microsoft365-target-1}',
      'create CNAME selector2._domainkey.acme.test {microsoft365-target-2}',
    ])
  },
})

situation({
  name: 'A cPanel key left over at default while Google signs nothing',
  expert: 'The leftover does not count for Google: its key is planned all the same.',
  zone: `${ON_GOOGLE}${GOOGLE_SPF}${keyZoneLine('default')}${quarantine}`,
  expect: (plan) => {
    expect(changesFor(plan, 'dkim')).toEqual([
      'create TXT google._domainkey.acme.test v=DKIM1; k=rsa; p={google-public-key}',
    ])
    expect(recordAt(plan, 'default._domainkey.acme.test').action).toBe('keep')
    expect(senderLines(plan)).toEqual([])
  },
})

situation({
  name: 'Own server whose selector nobody can guess',
  expert:
    'Keys exist below _domainkey, so the plan does not claim that there is none, and adds none unasked.',
  zone: `${AT_CLOUDFLARE}
    acme.test. MX 10 mail.acme.test.
    mail.acme.test. A 203.0.113.2
    acme.test. TXT "v=spf1 mx -all"
    ${keyZoneLine('kx7f3a')}${reject}`,
  signsElsewhere: true,
  expect: (plan) => {
    expect(changesFor(plan, 'dkim')).toEqual([])
    expect(stepNamed(plan, 'Check that your mail is signed').actions.join(' ')).toMatch(/selector/)
    expect(warningIds(plan)).not.toContain('plan.mail-at-risk')
  },
})

situation({
  name: 'Google signs with a prefix that the administrator chose',
  expert:
    'An empty "google" selector proves nothing: the new key is only for those whose mail is not signed.',
  zone: `${ON_GOOGLE}${GOOGLE_SPF}${keyZoneLine('gws2024')}${quarantine}`,
  expect: (plan) => {
    expect(recordAt(plan, 'google._domainkey.acme.test').onlyIf).toMatch(
      /^Google Workspace doesn’t sign your mail yet/,
    )
    expect(warningIds(plan)).not.toContain('plan.mail-at-risk')
  },
})

situation({
  name: 'Own server that signs at mail, beside Brevo',
  expert:
    'A generic selector proves nothing about Brevo: its own records are planned, and none for the server.',
  zone: `${AT_CLOUDFLARE}${BREVO}
    acme.test. MX 10 mail.acme.test.
    mail.acme.test. A 203.0.113.2
    acme.test. TXT "v=spf1 mx include:spf.brevo.com ~all"
    ${keyZoneLine('mail')}${quarantine}`,
  expect: (plan) => {
    expect(senderLines(plan)).toEqual(['brevo unsure unknown'])
    expect(changesFor(plan, 'dkim')).toEqual([
      'create CNAME brevo1._domainkey.acme.test b1.acme-test.dkim.brevo.com',
      'create CNAME brevo2._domainkey.acme.test b2.acme-test.dkim.brevo.com',
    ])
    expect(recordAt(plan, 'brevo1._domainkey.acme.test', 'CNAME').onlyIf).toBe(
      'You still use Brevo (Sendinblue). If you don’t, skip this step. Next time you get a plan, mark Brevo (Sendinblue) as no longer used, and the plan will remove what’s left of it. Skip this step if Brevo (Sendinblue) already signs your mail. To find out, open a message from it in Gmail and choose Show original. DKIM should say PASS with acme.test or one of its subdomains.',
    )
    expect(recordAt(plan, 'mail._domainkey.acme.test').service).toBeNull()
  },
})

situation({
  name: 'Own server that signs at smtp, beside Mailgun',
  expert: 'The key is not called the key of Mailgun.',
  zone: `${AT_CLOUDFLARE}${MAILGUN}
    acme.test. MX 10 mail.acme.test.
    mail.acme.test. A 203.0.113.2
    acme.test. TXT "v=spf1 mx include:mailgun.org ~all"
    ${keyZoneLine('smtp')}${quarantine}`,
  expect: (plan) => {
    expect(senderLines(plan)).toEqual(['mailgun likely unknown'])
    expect(recordAt(plan, 'smtp._domainkey.acme.test').service).toBeNull()
    expect(recordAt(plan, 'pdk1._domainkey.acme.test', 'CNAME').onlyIf).toMatch(/doesn’t sign/)
  },
})

situation({
  name: 'Text key at k1 beside Mailchimp',
  expert: 'Mailchimp publishes only CNAMEs, so this key is not its own: k2 and k3 are planned.',
  zone: `${ON_GOOGLE}${MAILCHIMP}${keyZoneLine('google')}${keyZoneLine('k1', `k=rsa; p=${SPKI[2048]}`)}${quarantine}
    acme.test. TXT "v=spf1 include:_spf.google.com include:servers.mcsv.net ~all"`,
  expect: (plan) => {
    expect(senderLines(plan)).toEqual(['mailchimp unsure unsigned'])
    expect(changesFor(plan, 'dkim')).toEqual([
      'create CNAME k2._domainkey.acme.test dkim2.mcsv.net',
      'create CNAME k3._domainkey.acme.test dkim3.mcsv.net',
    ])
  },
})

situation({
  name: 'Text key at s1 beside SendGrid',
  expert: 'SendGrid needs s1 for a CNAME of its own: without it, the stages end before p=reject.',
  zone: `${ON_GOOGLE}${SENDGRID}${keyZoneLine('google')}${keyZoneLine('s1')}${quarantine}
    acme.test. TXT "v=spf1 include:_spf.google.com include:sendgrid.net ~all"`,
  expect: (plan) => {
    expect(senderLines(plan)[0]).not.toContain(' signed')
    expect(warningIds(plan)).toContain('plan.selector-taken')
    expect(ladder(plan)).not.toContain('reject')
  },
})

situation({
  name: 'HubSpot signs with the number of its include in the selectors',
  expert: 'The number is known, so its keys are found: kept, and p=reject can be reached.',
  zone: `${ON_GOOGLE}${HUBSPOT}${keyZoneLine('google')}${quarantine}
    acme.test. TXT "v=spf1 include:_spf.google.com include:1234567.spf04.hubspotemail.net ~all"
    ${signedCname('hs1-1234567', 'acme-test.hs01a.dkim.hubspotemail.net')}
    ${signedCname('hs2-1234567', 'acme-test.hs01b.dkim.hubspotemail.net')}`,
  expect: (plan) => {
    expect(senderLines(plan)).toEqual(['hubspot yes signed'])
    expect(changesFor(plan, 'dkim')).toEqual([])
    expect(recordAt(plan, 'hs1-1234567._domainkey.acme.test', 'CNAME').action).toBe('keep')
    expect(warningIds(plan)).toEqual([])
    expect(ladder(plan)).toContain('reject')
  },
})

situation({
  name: 'HubSpot signs with one of its two selectors',
  expert: 'The second CNAME waits for the next rotation, and nothing has to be turned on.',
  zone: `${ON_GOOGLE}${HUBSPOT}${keyZoneLine('google')}${quarantine}
    acme.test. TXT "v=spf1 include:_spf.google.com include:1234567.spf04.hubspotemail.net ~all"
    ${signedCname('hs1-1234567', 'acme-test.hs01a.dkim.hubspotemail.net')}
    hs2-1234567._domainkey.acme.test. CNAME acme-test.hs01b.dkim.hubspotemail.net.`,
  expect: (plan) => {
    expect(senderLines(plan)).toEqual(['hubspot yes signed'])
    expect(changesFor(plan, 'dkim')).toEqual([])
    expect(titles(plan).join()).not.toMatch(/Turn on signing|No free selector/)
  },
})

situation({
  name: 'Short keys of Brevo and Mandrill from before their CNAMEs',
  expert: 'Both have longer keys behind CNAMEs now: those are planned, the old keys go later.',
  zone: `${ON_GOOGLE}${BREVO}${keyZoneLine('google')}${quarantine}
    spf.mandrillapp.com. TXT "v=spf1 ip4:198.2.128.0/24 ~all"
    acme.test. TXT "v=spf1 include:_spf.google.com include:spf.brevo.com include:spf.mandrillapp.com ~all"
    ${keyZoneLine('mail', `k=rsa;p=${SPKI[1024]}`)}${keyZoneLine('mandrill', WEAK)}`,
  expect: (plan) => {
    expect(senderLines(plan)).toEqual(['brevo unsure signed', 'mandrill yes signed'])
    expect(changesFor(plan, 'dkim')).toEqual([
      'create CNAME brevo1._domainkey.acme.test b1.acme-test.dkim.brevo.com',
      'create CNAME brevo2._domainkey.acme.test b2.acme-test.dkim.brevo.com',
      'create CNAME mte1._domainkey.acme.test dkim1.mandrillapp.com',
      'create CNAME mte2._domainkey.acme.test dkim2.mandrillapp.com',
      `delete TXT mail._domainkey.acme.test k=rsa;p=${SPKI[1024]}`,
      `delete TXT mandrill._domainkey.acme.test ${WEAK}`,
    ])
    const removals = plan.records.filter(({ action }) => action === 'delete')
    expect(removals.map(({ onlyIf }) => onlyIf)).toEqual([
      'It’s been a week since Brevo (Sendinblue) started signing with the selector brevo1. You still use Brevo (Sendinblue). If you don’t, skip this step. Next time you get a plan, mark Brevo (Sendinblue) as no longer used, and the plan will remove what’s left of it.',
      'It’s been a week since Mailchimp Transactional started signing with the selector mte1.',
    ])
    expect(titles(plan).join()).not.toMatch(/RSA key/)
  },
})

situation({
  name: 'Short keys of Resend, which has no others, and of Mailgun',
  expert: 'No step asks for a key that the customer cannot create.',
  zone: `${ON_GOOGLE}${MAILGUN}${keyZoneLine('google')}${quarantine}
    acme.test. TXT "v=spf1 include:_spf.google.com include:mailgun.org ~all"
    ${keyZoneLine('resend', `p=${SPKI[1024]}`)}${keyZoneLine('smtp', `k=rsa; p=${SPKI[1024]}`)}`,
  expect: (plan) => {
    expect(changesFor(plan, 'dkim')).toEqual([])
    expect(recordAt(plan, 'resend._domainkey.acme.test').why).toMatch(
      /Resend doesn’t offer longer keys/,
    )
    expect(recordAt(plan, 'smtp._domainkey.acme.test').why).toMatch(/Only the service/)
    expect(titles(plan).join()).not.toMatch(/RSA key/)
    expect(warningIds(plan)).toEqual(['dkim.short-key'])
  },
})

situation({
  name: 'Keys of former mailbox hosts beside Google',
  expert: 'Each is asked about; a short key that no service explains is not replaced.',
  zone: `${ON_GOOGLE}${keyZoneLine('google')}${quarantine}
    acme.test. TXT "v=spf1 include:_spf.google.com include:zoho.com ~all"
    zoho.com. TXT "v=spf1 ip4:136.143.188.0/24 ~all"
    ${keyZoneLine('zoho')}${keyZoneLine('default', WEAK)}
    ${signedCname('selector1', 'selector1-acme-test._domainkey.acme.onmicrosoft.com')}
    ${signedCname('selector2', 'selector2-acme-test._domainkey.acme.onmicrosoft.com')}`,
  expect: (plan) => {
    expect(senderLines(plan)).toEqual(['zoho unsure signed', 'microsoft365 unsure signed'])
    expect(titles(plan)).toContain('Do you still use Zoho Mail?')
    expect(titles(plan)).toContain('Do you still use Microsoft 365 / Exchange Online?')
    expect(changesFor(plan, 'dkim')).toEqual([])
    expect(recordAt(plan, 'default._domainkey.acme.test').why).toMatch(
      /None of the services we found use it\. If nothing signs with it, delete it/,
    )
    expect(titles(plan).join()).not.toMatch(/own server/)
  },
})

situation({
  name: 'Shared hosting that relays through MailChannels',
  expert: 'The server signs with its own key already: MailChannels needs none.',
  zone: `${AT_CLOUDFLARE}
    acme.test. A 192.0.2.80
    acme.test. MX 0 acme.test.
    acme.test. TXT "v=spf1 a mx include:relay.mailchannels.net ~all"
    relay.mailchannels.net. TXT "v=spf1 ip4:23.83.208.0/20 ~all"
    ${keyZoneLine('default')}${quarantine}`,
  expect: (plan) => {
    expect(changesFor(plan, 'dkim')).toEqual([])
    expect(senderLines(plan)).toEqual(['mailchannels likely unknown'])
  },
})

situation({
  name: 'Wix and Kit as they were set up years ago',
  expert: 'Records that came later are only for those to whom the service shows them.',
  zone: `${ON_GOOGLE}${GOOGLE_SPF}${keyZoneLine('google')}${quarantine}
    ${signedCname('s1', 's1._domainkey.acme.test.s1.ascendbywix.com')}
    ${signedCname('s2', 's2._domainkey.acme.test.s1.ascendbywix.com')}
    ${signedCname('cka', 'dkim.abc.convertkit.com')}`,
  expect: (plan) => {
    const spares = plan.records.filter(({ action, purpose }) => {
      return action === 'create' && purpose === 'dkim'
    })
    expect(spares.map(({ name, onlyIf }) => `${name}: ${onlyIf}`)).toEqual([
      'sel1._domainkey.acme.test: Wix Email Marketing shows this record for your domain.',
      'sel2._domainkey.acme.test: Wix Email Marketing shows this record for your domain.',
      'cka2._domainkey.acme.test: Kit (ConvertKit) shows this record for your domain.',
    ])
  },
})

situation({
  name: 'Website server in SPF beside Google',
  expert: 'Its mail needs a signature before p=reject, if it sends any: a condition says so.',
  zone: `${ON_GOOGLE}${keyZoneLine('google')}${quarantine}
    acme.test. A 203.0.113.9
    acme.test. TXT "v=spf1 a ip4:203.0.113.20 include:_spf.google.com ~all"`,
  expect: (plan) => {
    const record = recordAt(plan, 'mail._domainkey.acme.test')
    expect(record).toMatchObject({ action: 'create', optional: false })
    expect(record.onlyIf).toBe(
      'One of the servers at acme.test and 203.0.113.20 sends mail as acme.test without a DKIM signature, and you can’t have it send through Google Workspace instead.',
    )
    expect(titles(plan)).toContain('Publish your own server’s DKIM key')
    expect(plan.summary).toContain('Today: 1 change (DKIM)')
    expect(plan.projected.assumes.join()).not.toContain('mail._domainkey')
  },
})

situation({
  name: 'Shared hosting with a short key at default',
  expert: 'The step says where shared hosting creates keys.',
  zone: `acme.test. NS ns1.bluehost.com.
    acme.test. MX 0 mail.acme.test.
    mail.acme.test. A 192.0.2.80
    acme.test. TXT "v=spf1 mx ~all"
    ${keyZoneLine('default', WEAK)}${quarantine}`,
  expect: (plan) => {
    expect(stepNamed(plan, 'Create a DKIM key').actions.join(' ')).toMatch(
      /cPanel > Email Deliverability or ask your host’s support/,
    )
  },
})
