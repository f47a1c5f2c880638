/** DKIM keys that are weak, gone, being tested, or hidden. */
import { ED25519, SPKI } from '@mailgrade/testing/dkim-keys'
import { expect } from 'vitest'
import { keyZoneLine } from '../../../../test/support/dkim-fixture.js'
import { AT_CLOUDFLARE, MICROSOFT, ON_GOOGLE } from '../../../../test/support/service-zones.js'
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
  dmarcZoneLine,
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
    expect(removal?.onlyIf).toMatch(/^A week has passed/)
    const order = [
      'Create a new key at',
      'Publish the new key of',
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
      /Only the service can replace it/,
    )
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
    expect(stepNamed(plan, 'Turn on signing').actions.join(' ')).toContain(
      'Turn on "Sign messages for this domain',
    )
    expect(plan.summary).not.toMatch(/nothing has to change/i)
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
      /^Google Workspace does not sign your mail yet/,
    )
    expect(warningIds(plan)).not.toContain('plan.mail-at-risk')
  },
})
