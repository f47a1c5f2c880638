/** DKIM keys that are weak, gone, being tested, unseen, or in each other's way. */

import { SPKI } from '@mailgrade/testing/dkim-keys'
import { expect, test } from 'vitest'
import { GOOD_KEY_RECORD, keyZoneLine, txtZoneLine } from '../../../../test/support/dkim-fixture.js'
import {
  EMPTY_GOLDEN_PLAN,
  goldenPlan,
  ROLLOUT_ASSUMPTION,
  ROLLOUT_FROM_QUARANTINE,
} from '../../../../test/support/golden-plan.js'
import { planFromZone } from '../../../../test/support/plan-fixture.js'
import { ON_GOOGLE, SENDGRID, TUTA } from '../../../../test/support/service-zones.js'

const policy = (name: string) =>
  txtZoneLine('_dmarc.acme.test', `v=DMARC1; p=${name}; rua=mailto:dmarc@acme.test`)

const SIGNED = `${ON_GOOGLE}
  acme.test. TXT "v=spf1 include:_spf.google.com ~all"
`
const WEAK = `v=DKIM1; k=rsa; p=${SPKI[1024]}`

test('replaces a key of 1024 bits with a new one from Google', async () => {
  expect(await goldenPlan(`${SIGNED}${keyZoneLine('google', WEAK)}${policy('reject')}`)).toEqual({
    ...EMPTY_GOLDEN_PLAN,
    sendsMail: true,
    mailboxProvider: 'google via MX smtp.google.com',
    dnsHost: 'cloudflare via NS ada.ns.cloudflare.com',
    score: '94 A to 100 A',
    assumes: ['{public-key} at google._domainkey.acme.test leads to a good key of 2048 bits.'],
    records: [
      'replace TXT google._domainkey.acme.test v=DKIM1; k=rsa; p={public-key}',
      'keep MX acme.test 1 smtp.google.com',
      'keep TXT acme.test v=spf1 include:_spf.google.com ~all',
      'keep TXT _dmarc.acme.test v=DMARC1; p=reject; rua=mailto:dmarc@acme.test',
    ],
    replaces: { 'TXT google._domainkey.acme.test': [WEAK] },
    placeholders: { 'TXT google._domainkey.acme.test': ['{public-key}'] },
  })
})

test('describes how mail in transit keeps its key', async () => {
  const { steps } = await planFromZone(`${SIGNED}${keyZoneLine('google', WEAK)}${policy('reject')}`)
  const step = steps.find((each) => each.includes('google._domainkey'))
  // Under p=reject, forwarded mail that was signed with the old key is lost once this is gone.
  expect(step).toMatch(/selector/)
})

test('replaces a breakable key at once', async () => {
  const broken = `v=DKIM1; k=rsa; p=${SPKI[512]}`
  const { records } = await planFromZone(
    `${SIGNED}${keyZoneLine('google', broken)}${policy('reject')}`,
  )
  // RFC 8301 §3.2: receivers do not accept it anyway, so nothing under way is checked against it.
  expect(records[0]?.why).not.toMatch(/a week later/)
})

const REVOKED = `${SIGNED}${keyZoneLine('google', 'v=DKIM1; k=rsa; p=')}${policy('quarantine')}`

test('replaces the only key if it is revoked', async () => {
  expect(await goldenPlan(REVOKED)).toEqual({
    ...EMPTY_GOLDEN_PLAN,
    sendsMail: true,
    mailboxProvider: 'google via MX smtp.google.com',
    dnsHost: 'cloudflare via NS ada.ns.cloudflare.com',
    score: '69 D to 100 A',
    assumes: [
      '{public-key} at google._domainkey.acme.test leads to a good key of 2048 bits.',
      ROLLOUT_ASSUMPTION,
    ],
    records: [
      'replace TXT google._domainkey.acme.test v=DKIM1; k=rsa; p={public-key}',
      'keep MX acme.test 1 smtp.google.com',
      'keep TXT acme.test v=spf1 include:_spf.google.com ~all',
      'keep TXT _dmarc.acme.test v=DMARC1; p=quarantine; rua=mailto:dmarc@acme.test',
    ],
    replaces: { 'TXT google._domainkey.acme.test': ['v=DKIM1; k=rsa; p='] },
    placeholders: { 'TXT google._domainkey.acme.test': ['{public-key}'] },
    rollout: ROLLOUT_FROM_QUARANTINE,
  })
})

test('does not recommend a new selector for a revoked key', async () => {
  const { records } = await planFromZone(REVOKED)
  expect(records[0]?.why).not.toMatch(/still checked against the old key/)
})

test('removes the test flag from a key', async () => {
  const testing = `v=DKIM1; k=rsa; t=y; p=${SPKI[2048]}`
  expect(
    await goldenPlan(`${SIGNED}${keyZoneLine('google', testing)}${policy('quarantine')}`),
  ).toEqual({
    ...EMPTY_GOLDEN_PLAN,
    sendsMail: true,
    mailboxProvider: 'google via MX smtp.google.com',
    dnsHost: 'cloudflare via NS ada.ns.cloudflare.com',
    score: '86 B to 100 A',
    assumes: [ROLLOUT_ASSUMPTION],
    records: [
      `replace TXT google._domainkey.acme.test ${GOOD_KEY_RECORD}`,
      'keep MX acme.test 1 smtp.google.com',
      'keep TXT acme.test v=spf1 include:_spf.google.com ~all',
      'keep TXT _dmarc.acme.test v=DMARC1; p=quarantine; rua=mailto:dmarc@acme.test',
    ],
    replaces: { 'TXT google._domainkey.acme.test': [`v=DKIM1; k=rsa; t=y; p=${SPKI[2048]}`] },
    rollout: ROLLOUT_FROM_QUARANTINE,
  })
})

test('plans a new key with the condition that mail is not signed yet', async () => {
  const zone = `${SIGNED}${keyZoneLine('acme2024')}${policy('reject')}`
  expect(await goldenPlan(zone)).toEqual({
    ...EMPTY_GOLDEN_PLAN,
    sendsMail: true,
    mailboxProvider: 'google via MX smtp.google.com',
    dnsHost: 'cloudflare via NS ada.ns.cloudflare.com',
    score: '93 A to 100 A',
    assumes: ['{public-key} at google._domainkey.acme.test leads to a good key of 2048 bits.'],
    records: [
      'create TXT google._domainkey.acme.test v=DKIM1; k=rsa; p={public-key}',
      'keep MX acme.test 1 smtp.google.com',
      'keep TXT acme.test v=spf1 include:_spf.google.com ~all',
      'keep TXT _dmarc.acme.test v=DMARC1; p=reject; rua=mailto:dmarc@acme.test',
    ],
    placeholders: { 'TXT google._domainkey.acme.test': ['{public-key}'] },
  })
  const { records } = await planFromZone(zone)
  expect(records[0]?.why).toMatch(/is signed as acme\.test already.*skip its records/)
})

test('gives a shared selector to the mailbox provider and warns', async () => {
  const zone = `
    acme.test. NS ns.inwx.de.
    acme.test. MX 0 mail.tutanota.de.
    acme.test. TXT "v=spf1 include:spf.tutanota.de include:sendgrid.net -all"
    ${policy('quarantine')}${TUTA}${SENDGRID}`
  expect(await goldenPlan(zone)).toEqual({
    ...EMPTY_GOLDEN_PLAN,
    sendsMail: true,
    mailboxProvider: 'tuta via MX mail.tutanota.de',
    dnsHost: 'inwx via NS ns.inwx.de',
    senders: ['sendgrid via include:sendgrid.net'],
    score: '69 D to 100 A',
    assumes: [
      's1.domainkey.tutanota.de has a good key of 2048 bits once the domain is set up there.',
      's2.domainkey.tutanota.de has a good key of 2048 bits once the domain is set up there.',
      ROLLOUT_ASSUMPTION,
    ],
    records: [
      'create CNAME s1._domainkey.acme.test s1.domainkey.tutanota.de',
      'create CNAME s2._domainkey.acme.test s2.domainkey.tutanota.de',
      'replace TXT acme.test v=spf1 include:spf.tutanota.de -all',
      'create CNAME _mta-sts.acme.test mta-sts.tutanota.de',
      'create CNAME mta-sts.acme.test mta-sts.tutanota.de',
      'create TXT _smtp._tls.acme.test v=TLSRPTv1; rua=mailto:tls@acme.test',
      'keep MX acme.test 0 mail.tutanota.de',
      'keep TXT _dmarc.acme.test v=DMARC1; p=quarantine; rua=mailto:dmarc@acme.test',
    ],
    replaces: { 'TXT acme.test': ['v=spf1 include:spf.tutanota.de include:sendgrid.net -all'] },
    rollout: ROLLOUT_FROM_QUARANTINE,
    warnings: ['plan.selector-taken'],
  })
  const [warning] = (await planFromZone(zone)).warnings
  expect(warning).toMatchObject({
    id: 'plan.selector-taken',
    title: 'No free selector for the DKIM key of Twilio SendGrid',
  })
})
