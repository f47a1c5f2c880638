/** Mail servers and DNS hosts: what stays, what goes, and how it is entered. */
import { SPKI } from '@mailgrade/testing/dkim-keys'
import { describe, expect, test } from 'vitest'
import { keyZoneLine, txtZoneLine } from '../../../../test/support/dkim-fixture.js'
import {
  EMPTY_GOLDEN_PLAN,
  goldenPlan,
  KEPT_GOOGLE_RECORDS,
  ROLLOUT_ASSUMPTION,
  ROLLOUT_FROM_NO_RECORD,
  ROLLOUT_FROM_QUARANTINE,
  TLS_REPORTS,
} from '../../../../test/support/golden-plan.js'
import { planFromZone } from '../../../../test/support/plan-fixture.js'
import { FASTMAIL, GOOGLE, ON_GOOGLE, TUTA } from '../../../../test/support/service-zones.js'

const policy = (name: string) =>
  txtZoneLine('_dmarc.acme.test', `v=DMARC1; p=${name}; rua=mailto:dmarc@acme.test`)

test('deletes a null MX and a broken MX beside working servers', async () => {
  const zone = `${ON_GOOGLE}
    acme.test. MX 0 .
    acme.test. MX 20 old.acme.test.
    acme.test. TXT "v=spf1 include:_spf.google.com ~all"
    ${keyZoneLine('google')}${policy('reject')}`
  expect(await goldenPlan(zone)).toEqual({
    ...EMPTY_GOLDEN_PLAN,
    sendsMail: true,
    mailboxProvider: 'google via MX smtp.google.com',
    dnsHost: 'cloudflare via NS ada.ns.cloudflare.com',
    score: '95 A to 100 A',
    records: [
      'delete MX acme.test 0 .',
      'delete MX acme.test 20 old.acme.test',
      TLS_REPORTS,
      ...KEPT_GOOGLE_RECORDS,
      'keep TXT _dmarc.acme.test v=DMARC1; p=reject; rua=mailto:dmarc@acme.test',
    ],
  })
})

const FASTMAIL_ON_ROUTE53 = `
  acme.test. NS ns-100.awsdns-12.com.
  acme.test. NS ns-1600.awsdns-08.co.uk.
  acme.test. MX 10 in1-smtp.messagingengine.com.
  acme.test. MX 20 in2-smtp.messagingengine.com.
  acme.test. TXT "google-site-verification=abc123"
  acme.test. TXT "v=spf1 include:spf.messagingengine.com ?all"
  ${FASTMAIL}`

test('Fastmail at Route 53: all keys are known', async () => {
  expect(await goldenPlan(FASTMAIL_ON_ROUTE53)).toEqual({
    ...EMPTY_GOLDEN_PLAN,
    sendsMail: true,
    mailboxProvider: 'fastmail via MX in1-smtp.messagingengine.com',
    dnsHost: 'route53 via NS ns-100.awsdns-12.com',
    score: '20 F to 100 A',
    assumes: [
      'Fastmail publishes a valid 2048-bit key at fm1.acme.test.dkim.fmhosted.com.',
      'Fastmail publishes a valid 2048-bit key at fm2.acme.test.dkim.fmhosted.com.',
      'Fastmail publishes a valid 2048-bit key at fm3.acme.test.dkim.fmhosted.com.',
      ROLLOUT_ASSUMPTION,
    ],
    records: [
      'replace TXT acme.test v=spf1 include:spf.messagingengine.com ~all',
      'create CNAME fm1._domainkey.acme.test fm1.acme.test.dkim.fmhosted.com',
      'create CNAME fm2._domainkey.acme.test fm2.acme.test.dkim.fmhosted.com',
      'create CNAME fm3._domainkey.acme.test fm3.acme.test.dkim.fmhosted.com',
      'create TXT _dmarc.acme.test v=DMARC1; p=none; rua=mailto:dmarc@acme.test',
      'keep MX acme.test 10 in1-smtp.messagingengine.com',
      'keep MX acme.test 20 in2-smtp.messagingengine.com',
    ],
    replaces: { 'TXT acme.test': ['v=spf1 include:spf.messagingengine.com ?all'] },
    rollout: ROLLOUT_FROM_NO_RECORD,
  })
})

test('Route 53: keeps other TXT values in the set, in steps and Terraform', async () => {
  const { steps, exports } = await planFromZone(FASTMAIL_ON_ROUTE53)
  expect(steps[0]).toMatchObject({
    title: 'Correct the SPF record',
    where: 'Amazon Route 53: Route 53 > Hosted zones > your zone (as of 2026-11)',
    actions: [
      'In the TXT record set with an empty name (the domain itself), replace `v=spf1 include:spf.messagingengine.com ?all` with: value `"v=spf1 include:spf.messagingengine.com ~all"` with the quotes. Keep `google-site-verification=abc123` in it.',
    ],
    verify: { url: 'https://mailgrade.test/v1/spf?domain=acme.test' },
  })
  expect(
    exports.zoneFile,
  ).toBe(`; Delete: acme.test. 3600 IN TXT "v=spf1 include:spf.messagingengine.com ?all"
acme.test. 3600 IN TXT "v=spf1 include:spf.messagingengine.com ~all"
fm1._domainkey.acme.test. 3600 IN CNAME fm1.acme.test.dkim.fmhosted.com.
fm2._domainkey.acme.test. 3600 IN CNAME fm2.acme.test.dkim.fmhosted.com.
fm3._domainkey.acme.test. 3600 IN CNAME fm3.acme.test.dkim.fmhosted.com.
_dmarc.acme.test. 3600 IN TXT "v=DMARC1; p=none; rua=mailto:dmarc@acme.test"
`)
  expect(
    exports.terraform,
  ).toContain(`# Replaces: TXT acme.test v=spf1 include:spf.messagingengine.com ?all
# Before you apply, import the existing set with \`terraform import\`.
resource "aws_route53_record" "txt_spf_acme_test" {
  zone_id = var.zone_id
  name    = "acme.test"
  type    = "TXT"
  ttl     = 3600
  records = ["google-site-verification=abc123", "v=spf1 include:spf.messagingengine.com ~all"]
}
`)
  expect(exports.terraform?.match(/^resource "aws_route53_record" "\w+"/gm)).toEqual([
    'resource "aws_route53_record" "txt_spf_acme_test"',
    'resource "aws_route53_record" "cname_dkim_fm1_domainkey_acme_test"',
    'resource "aws_route53_record" "cname_dkim_fm2_domainkey_acme_test"',
    'resource "aws_route53_record" "cname_dkim_fm3_domainkey_acme_test"',
    'resource "aws_route53_record" "txt_dmarc_dmarc_acme_test"',
  ])
})

test('shows where to turn on signing if no key has to be copied', async () => {
  const { steps } = await planFromZone(FASTMAIL_ON_ROUTE53)
  const ofFastmail = steps.filter(({ service }) => service === 'fastmail')
  expect(ofFastmail.map(({ where }) => where).join('\n')).toMatch(/Settings > Domains/)
})

test('warns about two DNS hosts for one zone', async () => {
  const zone = `
    acme.test. NS ada.ns.cloudflare.com.
    acme.test. NS ns-100.awsdns-12.com.
    acme.test. MX 1 smtp.google.com.
    acme.test. TXT "v=spf1 include:_spf.google.com ~all"
    ${keyZoneLine('google')}${policy('quarantine')}${GOOGLE}`
  expect(await goldenPlan(zone)).toEqual({
    ...EMPTY_GOLDEN_PLAN,
    sendsMail: true,
    mailboxProvider: 'google via MX smtp.google.com',
    dnsHost: 'cloudflare via NS ada.ns.cloudflare.com',
    score: '94 A to 100 A',
    assumes: [ROLLOUT_ASSUMPTION],
    records: [
      TLS_REPORTS,
      ...KEPT_GOOGLE_RECORDS,
      'keep TXT _dmarc.acme.test v=DMARC1; p=quarantine; rua=mailto:dmarc@acme.test',
    ],
    rollout: ROLLOUT_FROM_QUARANTINE,
    warnings: ['plan.several-dns-hosts'],
  })
})

test('Tuta: plans hosted MTA-STS and TLS-RPT', async () => {
  const zone = `
    acme.test. NS ns.inwx.de.
    acme.test. MX 0 mail.tutanota.de.
    acme.test. TXT "v=spf1 include:spf.tutanota.de -all"
    ${policy('quarantine')}${TUTA}`
  expect(await goldenPlan(zone)).toEqual({
    ...EMPTY_GOLDEN_PLAN,
    sendsMail: true,
    mailboxProvider: 'tuta via MX mail.tutanota.de',
    dnsHost: 'inwx via NS ns.inwx.de',
    score: '69 D to 100 A',
    assumes: [
      'Tuta (Tutanota) publishes a valid 2048-bit key at s1.domainkey.tutanota.de.',
      'Tuta (Tutanota) publishes a valid 2048-bit key at s2.domainkey.tutanota.de.',
      ROLLOUT_ASSUMPTION,
    ],
    records: [
      'create CNAME s1._domainkey.acme.test s1.domainkey.tutanota.de',
      'create CNAME s2._domainkey.acme.test s2.domainkey.tutanota.de',
      'create CNAME _mta-sts.acme.test mta-sts.tutanota.de',
      'create CNAME mta-sts.acme.test mta-sts.tutanota.de',
      TLS_REPORTS,
      'keep MX acme.test 0 mail.tutanota.de',
      'keep TXT acme.test v=spf1 include:spf.tutanota.de -all',
      'keep TXT _dmarc.acme.test v=DMARC1; p=quarantine; rua=mailto:dmarc@acme.test',
    ],
    rollout: ROLLOUT_FROM_QUARANTINE,
    warnings: ['plan.mail-at-risk'],
  })
})

test('plans an internationalized domain with its A-label', async () => {
  const zone = `
    xn--bcher-kva.test. NS ada.ns.cloudflare.com.
    xn--bcher-kva.test. MX 10 in1-smtp.messagingengine.com.
    ${FASTMAIL}`
  expect(await planFromZone(zone, { domain: 'xn--bcher-kva.test' })).toMatchObject({
    domain: 'xn--bcher-kva.test',
    unicodeDomain: 'bücher.test',
  })
  expect(await goldenPlan(zone, 'xn--bcher-kva.test')).toEqual({
    ...EMPTY_GOLDEN_PLAN,
    sendsMail: true,
    mailboxProvider: 'fastmail via MX in1-smtp.messagingengine.com',
    dnsHost: 'cloudflare via NS ada.ns.cloudflare.com',
    score: '5 F to 100 A',
    assumes: [
      'Fastmail publishes a valid 2048-bit key at fm1.xn--bcher-kva.test.dkim.fmhosted.com.',
      'Fastmail publishes a valid 2048-bit key at fm2.xn--bcher-kva.test.dkim.fmhosted.com.',
      'Fastmail publishes a valid 2048-bit key at fm3.xn--bcher-kva.test.dkim.fmhosted.com.',
      ROLLOUT_ASSUMPTION,
    ],
    records: [
      'create TXT xn--bcher-kva.test v=spf1 include:spf.messagingengine.com ~all',
      'create CNAME fm1._domainkey.xn--bcher-kva.test fm1.xn--bcher-kva.test.dkim.fmhosted.com',
      'create CNAME fm2._domainkey.xn--bcher-kva.test fm2.xn--bcher-kva.test.dkim.fmhosted.com',
      'create CNAME fm3._domainkey.xn--bcher-kva.test fm3.xn--bcher-kva.test.dkim.fmhosted.com',
      'create TXT _dmarc.xn--bcher-kva.test v=DMARC1; p=none; rua=mailto:dmarc@xn--bcher-kva.test',
      'keep MX xn--bcher-kva.test 10 in1-smtp.messagingengine.com',
    ],
    rollout: [
      '30 days: _dmarc.xn--bcher-kva.test v=DMARC1; p=none; rua=mailto:dmarc@xn--bcher-kva.test',
      '7 days: _dmarc.xn--bcher-kva.test v=DMARC1; p=quarantine; t=y; pct=0; rua=mailto:dmarc@xn--bcher-kva.test',
      '30 days: _dmarc.xn--bcher-kva.test v=DMARC1; p=quarantine; rua=mailto:dmarc@xn--bcher-kva.test',
      '7 days: _dmarc.xn--bcher-kva.test v=DMARC1; p=reject; t=y; pct=0; rua=mailto:dmarc@xn--bcher-kva.test',
      '0 days: _dmarc.xn--bcher-kva.test v=DMARC1; p=reject; rua=mailto:dmarc@xn--bcher-kva.test',
    ],
  })
})

describe('a text that is too long for the DNS host', () => {
  const addresses = Array.from({ length: 40 }, (_, index) => `ip4:192.0.2.${index + 100}`)
  const zoneAt = (nameServer: string, terms = addresses.join(' ')) => `
    acme.test. NS ${nameServer}.
    acme.test. MX 1 smtp.google.com.
    ${txtZoneLine('acme.test', `v=spf1 include:_spf.google.com ${terms} ?all`)}
    ${keyZoneLine('google', `v=DKIM1; k=rsa; t=y; p=${SPKI[4096]}`)}
    ${policy('reject')}${GOOGLE}`
  const tooLong = async (nameServer: string) => {
    const { warnings } = await planFromZone(zoneAt(nameServer))
    return warnings.find(({ id }) => id === 'plan.txt-too-long')
  }

  test('is named with the limit', async () => {
    expect(await tooLong('ns1.digitalocean.com')).toMatchObject({
      severity: 'low',
      title: 'The text at acme.test and google._domainkey.acme.test is too long for DigitalOcean',
      detail: expect.stringContaining('DigitalOcean limits a TXT record to 509 characters.'),
      fix: expect.stringMatching(
        /a DKIM key, .* 2048-bit key instead of a 4096-bit one, .* the SPF record, remove/,
      ),
      reference: 'RFC 1035 §3.3.14',
    })
  })

  test('is advised about alone if no other text is too long', async () => {
    const { warnings } = await planFromZone(zoneAt('ns1.digitalocean.com', 'ip4:192.0.2.1'))
    const warning = warnings.find(({ id }) => id === 'plan.txt-too-long')
    expect(warning?.title).toMatch(/^The text at google\._domainkey\.acme\.test is/)
    expect(warning?.fix).toMatch(/^Create a 2048-bit DKIM key instead of a 4096-bit one/)
    expect(warning?.fix).not.toContain('SPF')
  })

  test('fits at most hosts', async () => {
    expect(await tooLong('ns1.transip.nl')).toBeUndefined()
    expect(await tooLong('ns01.domaincontrol.com')).toBeUndefined()
    expect(await tooLong('ns1.unheard-of.example')).toBeUndefined()
  })

  test('is none if a key of 2048 bits has to be filled in', async () => {
    const { warnings } = await planFromZone(`
      acme.test. NS ns1.digitalocean.com.
      acme.test. MX 1 smtp.google.com.
      ${GOOGLE}`)
    expect(warnings).toEqual([])
  })
})
