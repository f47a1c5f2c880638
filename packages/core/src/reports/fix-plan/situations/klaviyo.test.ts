/** Owners of shops: Klaviyo signs as a subdomain, and may send it through Twilio SendGrid. */
import { expect, test } from 'vitest'
import {
  changesOf,
  checkOf,
  dmarcAt,
  planOf,
  stagesOf,
  stepsOf,
  stepWith,
  streamOf,
  wordsOf,
} from '../../../../test/support/expert.js'
import { GOOGLE_DONE, GOOGLE_KEY, policy, spfLine } from '../../../../test/support/expert-zones.js'
import { ON_GOOGLE } from '../../../../test/support/service-zones.js'
import { signedCname } from '../../../../test/support/situation-zones.js'

const HOST = 'u2345678.wl112.sendgrid.net'

const BRANDED = `
  acme.test. TXT "klaviyo-site-verification=Xy7QpR"
  send.acme.test. CNAME ${HOST}.
  ${HOST}. A 167.89.20.7
  ${HOST}. MX 10 mx.sendgrid.net.
  ${HOST}. TXT "v=spf1 ip4:167.89.20.7 ip4:167.89.20.8 -all"
  mx.sendgrid.net. A 167.89.115.54
  ${signedCname('kl', `kl.domainkey.${HOST}`, 'send.acme.test')}
  ${signedCname('kl2', `kl2.domainkey.${HOST}`, 'send.acme.test')}
`

const STRICT = 'p=quarantine; adkim=s; aspf=s'

test('the keys of Klaviyo below a name at SendGrid make it Klaviyo’s', async () => {
  const plan = await planOf(`${GOOGLE_DONE}${BRANDED}${policy('p=quarantine')}`)
  expect(plan.senders).toMatchObject([{ id: 'klaviyo', inUse: 'yes', signs: 'yes' }])
  expect(JSON.stringify(plan)).not.toContain('Twilio')
  expect(stepsOf(plan, 'verify')).toEqual([])
})

test('so do the name servers and mail servers of SendGrid at that name', async () => {
  const plan = await planOf(`${GOOGLE_DONE}${policy('p=quarantine')}
    acme.test. TXT "klaviyo-site-verification=Xy7QpR"
    send.acme.test. TXT "v=spf1 include:sendgrid.net ~all"
    send.acme.test. MX 10 mx.sendgrid.net.
    mx.sendgrid.net. A 167.89.115.54
    ${signedCname('kl', `kl.domainkey.${HOST}`, 'send.acme.test')}`)
  expect(plan.senders.map(({ id }) => id)).toEqual(['klaviyo'])
})

test('other keys there are those of an own account at SendGrid', async () => {
  const plan = await planOf(`${GOOGLE_DONE}${policy('p=quarantine')}
    em.acme.test. CNAME ${HOST}.
    ${HOST}. A 167.89.20.7
    ${signedCname('s1', `s1.domainkey.${HOST}`, 'em.acme.test')}`)
  expect(plan.senders.map(({ id }) => id)).toEqual(['sendgrid'])
})

const AT_ROOT = `
  acme.test. TXT "klaviyo-site-verification=Xy7QpR"
  send.acme.test. CNAME ${HOST}.
  ${HOST}. A 167.89.20.7
  ${HOST}. TXT "v=spf1 ip4:167.89.20.7 -all"
  ${signedCname('kl', `kl.domainkey.${HOST}`)}
  ${signedCname('kl2', `kl2.domainkey.${HOST}`)}
`

test('the keys of Klaviyo at the domain stay when an own account at SendGrid is given up', async () => {
  for (const keys of [AT_ROOT, AT_ROOT.replace(/kl2\.domainkey\.u.* TXT .*/, '')]) {
    const zone = `${ON_GOOGLE}${GOOGLE_KEY}${keys}${policy('p=reject')}
      sendgrid.net. TXT "v=spf1 ip4:167.89.0.0/17 ~all"
      ${spfLine('include:_spf.google.com include:sendgrid.net -all')}`
    const plan = await planOf(zone, { options: { uses: ['klaviyo'], unused: ['sendgrid'] } })
    expect(changesOf(plan, 'dkim')).toEqual([])
    expect(JSON.stringify(plan.records)).not.toMatch(/"delete".*send\.acme\.test/)
    expect(plan.senders).toMatchObject([{ id: 'klaviyo', inUse: 'yes', signs: 'yes' }])
    expect(streamOf(await checkOf(zone), 'klaviyo').dkim).toBe('aligned')
  }
})

test('an own account at SendGrid isn’t the one in Klaviyo’s records', async () => {
  const plan = await planOf(`${ON_GOOGLE}${GOOGLE_KEY}${AT_ROOT}${policy('p=reject')}
    sendgrid.net. TXT "v=spf1 ip4:167.89.0.0/17 ~all"
    ${spfLine('include:_spf.google.com include:sendgrid.net -all')}`)
  expect(plan.senders).toMatchObject([
    { id: 'sendgrid', inUse: 'unsure' },
    { id: 'klaviyo', inUse: 'yes', signs: 'yes' },
  ])
  expect(changesOf(plan).join()).not.toContain(HOST)
})

test('other keys at the domain are those of an own account at SendGrid', async () => {
  const plan = await planOf(
    `${GOOGLE_DONE}${policy('p=reject')}
    acme.test. TXT "klaviyo-site-verification=Xy7QpR"
    ${signedCname('s1', `s1.domainkey.${HOST}`)}`,
    { options: { uses: ['klaviyo'], unused: ['sendgrid'] } },
  )
  expect(changesOf(plan, 'dkim').join()).toContain('delete CNAME s1._domainkey.acme.test')
})

test('an owner who names Klaviyo gets nothing to do where it signs already', async () => {
  const plan = await planOf(`${GOOGLE_DONE}${BRANDED}${policy('p=quarantine')}`, {
    options: { uses: ['klaviyo'] },
  })
  expect(plan.senders).toMatchObject([{ id: 'klaviyo', signs: 'yes' }])
  expect(plan.records.filter(({ service }) => service === 'klaviyo')).toEqual([])
  expect(stepsOf(plan, 'turn-on-signing', 'klaviyo')).toEqual([])
})

test('the verification names the subdomain that Klaviyo signs as', async () => {
  for (const tags of ['p=quarantine', STRICT]) {
    const plan = await planOf(`${GOOGLE_DONE}${policy(tags)}`, { options: { uses: ['klaviyo'] } })
    const [signing] = stepsOf(plan, 'turn-on-signing', 'klaviyo')
    expect(signing?.verify.text).toContain('PASS with exactly send.acme.test')
    expect(wordsOf(plan.steps)).not.toContain('exactly acme.test')
  }
})

test('strict alignment that fails Klaviyo’s mail goes today, and the stages go on', async () => {
  const zone = `${GOOGLE_DONE}${BRANDED}${policy(STRICT)}`
  for (const options of [{}, { uses: ['klaviyo'] }, { unused: ['sendgrid'] }]) {
    const plan = await planOf(zone, { options })
    const record = dmarcAt(plan)
    expect(record.action).toBe('replace')
    expect(record.value).toBe('v=DMARC1; p=quarantine; rua=mailto:d@acme.test')
    expect(record.why).toContain('Klaviyo')
    expect(stepWith(plan, record).when).toBe('today')
    expect(stagesOf(plan).at(-1)?.domain).toBe('reject')
    for (const { record: stage } of plan.rollout) expect(stage.value).not.toContain('=s')
  }
})

test('an owner who names Klaviyo gets relaxed alignment before its keys exist', async () => {
  const plan = await planOf(`${GOOGLE_DONE}${policy(STRICT)}`, { options: { uses: ['klaviyo'] } })
  expect(dmarcAt(plan).value).toBe('v=DMARC1; p=quarantine; rua=mailto:d@acme.test')
})

test('strict alignment that fails no one stays', async () => {
  const plan = await planOf(`${GOOGLE_DONE}${policy(STRICT)}`)
  expect(dmarcAt(plan).value).toContain('adkim=s; aspf=s')
})

test('a record that someone else runs keeps its tags, and no stage is planned', async () => {
  const plan = await planOf(`${GOOGLE_DONE}${BRANDED}
    _dmarc.acme.test. CNAME _dmarc.holding.test.
    _dmarc.holding.test. TXT "v=DMARC1; p=quarantine; adkim=s; aspf=s"`)
  const warning = plan.warnings.find(({ id }) => id === 'plan.strict-alignment-loss')
  expect(warning?.title).toContain('Klaviyo signs as send.acme.test')
  expect(warning?.fix).toContain('Get a new plan')
  expect(plan.rollout).toEqual([])
})

test('the check says that strict alignment can fail Klaviyo’s mail', async () => {
  const check = await checkOf(`${GOOGLE_DONE}${BRANDED}${policy(STRICT)}`)
  expect(check.dmarc.issues.map(({ id }) => id)).toContain('dmarc.strict-alignment')
  expect(check.summary).not.toContain('Nothing to fix')
  const relaxed = await checkOf(`${GOOGLE_DONE}${BRANDED}${policy('p=quarantine')}`)
  expect(relaxed.dmarc.issues.map(({ id }) => id)).not.toContain('dmarc.strict-alignment')
})
