/** DKIM keys that are weak, gone, being tested, unseen, or in each other's way. */

import { SPKI } from '@mailgrade/testing/dkim-keys'
import { expect, test } from 'vitest'
import { GOOD_KEY_RECORD, keyZoneLine, txtZoneLine } from '../../../../test/support/dkim-fixture.js'
import {
  EMPTY_GOLDEN_PLAN,
  goldenPlan,
  ROLLOUT_ASSUMPTION,
  ROLLOUT_FROM_QUARANTINE,
  signsNothingYet,
  TLS_REPORTS,
} from '../../../../test/support/golden-plan.js'
import { planFromZone } from '../../../../test/support/plan-fixture.js'
import { ON_GOOGLE, SENDGRID, TUTA } from '../../../../test/support/service-zones.js'

const policy = (name: string) =>
  txtZoneLine('_dmarc.acme.test', `v=DMARC1; p=${name}; rua=mailto:dmarc@acme.test`)

const SIGNED = `${ON_GOOGLE}
  acme.test. TXT "v=spf1 include:_spf.google.com ~all"
`
const WEAK = `v=DKIM1; k=rsa; p=${SPKI[1024]}`

test('gives a key of 1024 bits a successor under another selector', async () => {
  expect(await goldenPlan(`${SIGNED}${keyZoneLine('google', WEAK)}${policy('reject')}`)).toEqual({
    ...EMPTY_GOLDEN_PLAN,
    sendsMail: true,
    mailboxProvider: 'google via MX smtp.google.com',
    dnsHost: 'cloudflare via NS ada.ns.cloudflare.com',
    score: '94 A to 100 A',
    assumes: ['The record at google2._domainkey.acme.test has a valid 2048-bit key.'],
    records: [
      'create TXT google2._domainkey.acme.test v=DKIM1; k=rsa; p={google-public-key}',
      TLS_REPORTS,
      `delete TXT google._domainkey.acme.test ${WEAK}`,
      'keep MX acme.test 1 smtp.google.com',
      'keep TXT acme.test v=spf1 include:_spf.google.com ~all',
      'keep TXT _dmarc.acme.test v=DMARC1; p=reject; rua=mailto:dmarc@acme.test',
    ],
    placeholders: { 'TXT google2._domainkey.acme.test': ['{google-public-key}'] },
    onlyIf: {
      'TXT google._domainkey.acme.test':
        'It’s been a week since Google Workspace started signing with the selector google2.',
    },
  })
})

const stepsFor = async (zone: string, service: string) =>
  (await planFromZone(zone)).steps.filter((step) => step.service === service)

test('deletes the old key a week after mail is signed with the new one', async () => {
  const steps = await stepsFor(
    `${SIGNED}${keyZoneLine('google', WEAK)}${policy('reject')}`,
    'google',
  )
  // Under p=reject, forwarded mail that was signed with the old key is lost once this is gone.
  expect(steps.map(({ title, actions, onlyIf }) => ({ title, actions, onlyIf }))).toEqual([
    {
      title: 'Create a new key in Google Workspace',
      actions: [
        'Create a 2048-bit RSA key with the selector `google2`.',
        'In the next step, replace `{google-public-key}` with the public key, which is the long text after p=.',
      ],
      onlyIf: null,
    },
    {
      title: 'Publish the new key for Google Workspace',
      actions: [
        'Add a TXT record: name `google2._domainkey`, value `v=DKIM1; k=rsa; p={google-public-key}`, TTL 3600.',
      ],
      onlyIf: null,
    },
    {
      title: 'Switch Google Workspace to the new key',
      actions: ['Choose the selector `google2` for signing, instead of `google`.'],
      onlyIf: null,
    },
    {
      title: 'Remove the old key for Google Workspace',
      actions: [`Delete the TXT record named \`google._domainkey\` with the value \`${WEAK}\`.`],
      onlyIf: 'It’s been a week since Google Workspace started signing with the selector google2.',
    },
  ])
})

test('gives a breakable key a successor, too, because some receivers still accept it', async () => {
  const broken = `v=DKIM1; k=rsa; p=${SPKI[512]}`
  const { records } = await planFromZone(
    `${SIGNED}${keyZoneLine('google', broken)}${policy('reject')}`,
  )
  const old = records.find(({ name }) => name === 'google._domainkey.acme.test')
  expect(old).toMatchObject({ action: 'delete', value: broken })
  expect(old?.onlyIf).toBe(
    'It’s been a week since Google Workspace started signing with the selector google2.',
  )
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
      'The record at google._domainkey.acme.test has a valid 2048-bit key.',
      ROLLOUT_ASSUMPTION,
    ],
    records: [
      'replace TXT google._domainkey.acme.test v=DKIM1; k=rsa; p={google-public-key}',
      TLS_REPORTS,
      'keep MX acme.test 1 smtp.google.com',
      'keep TXT acme.test v=spf1 include:_spf.google.com ~all',
      'keep TXT _dmarc.acme.test v=DMARC1; p=quarantine; rua=mailto:dmarc@acme.test',
    ],
    replaces: { 'TXT google._domainkey.acme.test': ['v=DKIM1; k=rsa; p='] },
    placeholders: { 'TXT google._domainkey.acme.test': ['{google-public-key}'] },
    rollout: ROLLOUT_FROM_QUARANTINE,
    warnings: ['plan.mail-at-risk'],
  })
})

test('needs no other selector for a revoked key', async () => {
  const { records } = await planFromZone(REVOKED)
  const keys = records.filter(({ purpose }) => purpose === 'dkim')
  expect(keys.map(({ action, name, onlyIf }) => [action, name, onlyIf])).toEqual([
    ['replace', 'google._domainkey.acme.test', null],
  ])
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
      TLS_REPORTS,
      'keep MX acme.test 1 smtp.google.com',
      'keep TXT acme.test v=spf1 include:_spf.google.com ~all',
      'keep TXT _dmarc.acme.test v=DMARC1; p=quarantine; rua=mailto:dmarc@acme.test',
    ],
    replaces: { 'TXT google._domainkey.acme.test': [testing] },
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
    assumes: ['The record at google._domainkey.acme.test has a valid 2048-bit key.'],
    records: [
      'create TXT google._domainkey.acme.test v=DKIM1; k=rsa; p={google-public-key}',
      TLS_REPORTS,
      'keep MX acme.test 1 smtp.google.com',
      'keep TXT acme.test v=spf1 include:_spf.google.com ~all',
      'keep TXT _dmarc.acme.test v=DMARC1; p=reject; rua=mailto:dmarc@acme.test',
    ],
    placeholders: { 'TXT google._domainkey.acme.test': ['{google-public-key}'] },
    // The selector of Google Workspace can be chosen, and a key exists that no one knows by name.
    onlyIf: { 'TXT google._domainkey.acme.test': signsNothingYet('Google Workspace') },
  })
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
    senders: ['sendgrid via include:sendgrid.net (unsure)'],
    score: '69 D to 74 C',
    assumes: [
      'Tuta (Tutanota) publishes a valid 2048-bit key at s1.domainkey.tutanota.de.',
      'Tuta (Tutanota) publishes a valid 2048-bit key at s2.domainkey.tutanota.de.',
    ],
    records: [
      'create CNAME s1._domainkey.acme.test s1.domainkey.tutanota.de',
      'create CNAME s2._domainkey.acme.test s2.domainkey.tutanota.de',
      'create CNAME _mta-sts.acme.test mta-sts.tutanota.de',
      'create CNAME mta-sts.acme.test mta-sts.tutanota.de',
      TLS_REPORTS,
      'keep MX acme.test 0 mail.tutanota.de',
      'keep TXT acme.test v=spf1 include:spf.tutanota.de include:sendgrid.net -all',
      'keep TXT _dmarc.acme.test v=DMARC1; p=quarantine; rua=mailto:dmarc@acme.test',
    ],
    // SendGrid passes only with DKIM, so the stages end before p=reject.
    rollout: [],
    warnings: ['plan.sender-at-risk', 'plan.selector-taken', 'plan.reject-not-reached'],
  })
  const { warnings, steps } = await planFromZone(zone)
  const title = 'There’s no free selector for the DKIM keys of Twilio SendGrid'
  expect(warnings.find(({ id }) => id === 'plan.selector-taken')).toMatchObject({ title })
  expect(steps.map((step) => step.title)).toContain(title)
})
