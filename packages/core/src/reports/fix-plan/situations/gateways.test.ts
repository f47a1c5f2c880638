/** Owners behind a gateway that MX shows: only they know whether mail also leaves through it. */
import { expect, test } from 'vitest'
import {
  checkOf,
  dmarcAt,
  type ExpertPlan,
  planOf,
  spfAt,
  stepsOf,
  stepWith,
  streamOf,
  wordsOf,
} from '../../../../test/support/expert.js'
import {
  GOOGLE_KEY,
  MICROSOFT_KEYS,
  policy,
  spfLine,
} from '../../../../test/support/expert-zones.js'
import {
  AT_CLOUDFLARE,
  GOOGLE,
  MICROSOFT,
  MIMECAST,
} from '../../../../test/support/service-zones.js'

const barracuda = (region = '') => `
  acme.test. MX 10 d1a.ess${region}.barracudanetworks.com.
  d1a.ess${region}.barracudanetworks.com. A 209.222.82.52
  spf.ess${region}.barracudanetworks.com. TXT "v=spf1 ip4:209.222.80.0/21 -all"
`

const onMicrosoft = (spf = '-all') => `${AT_CLOUDFLARE}${MICROSOFT}
  acme.test. TXT "MS=ms33017288"
  ${spfLine(`include:spf.protection.outlook.com ${spf}`)}`

const question = ({ warnings }: ExpertPlan) =>
  warnings.find(({ id }) => id === 'plan.gateway-may-send')

test('mail that would be lost if it left through the gateway is asked about', async () => {
  const plan = await planOf(`${onMicrosoft()}${barracuda()}${policy('p=reject')}`)
  expect(question(plan)?.title).toContain('Barracuda')
  expect(question(plan)?.detail).toContain('rejected')
  expect(wordsOf(stepsOf(plan, 'verify'))).toContain('Barracuda')
  // Every customer of Barracuda would pass, so only a yes adds it.
  expect(spfAt(plan).action).toBe('keep')
})

test('no stage enforces a policy before the question is answered', async () => {
  const plan = await planOf(`${onMicrosoft()}${barracuda()}${policy('p=none')}`)
  expect(question(plan)?.detail).not.toContain('rejected today')
  expect(plan.rollout.length).toBeGreaterThan(1)
  for (const { onlyIf } of plan.rollout.slice(1)) expect(onlyIf).toContain('Barracuda')
})

test('mail of mailboxes that sign passes through the gateway, so nothing is asked', async () => {
  const plan = await planOf(`${onMicrosoft()}${MICROSOFT_KEYS}${barracuda()}${policy('p=reject')}`)
  expect(question(plan)).toBeUndefined()
})

test('mail leaves through the gateway: its include comes first, and is urgent', async () => {
  for (const region of ['', '.uk', '.de']) {
    const zone = `${onMicrosoft()}${barracuda(region)}${policy('p=reject')}`
    const plan = await planOf(zone, { options: { uses: ['microsoft365', 'barracuda'] } })
    const include = `include:spf.ess${region}.barracudanetworks.com`
    expect(spfAt(plan).value).toBe(`v=spf1 include:spf.protection.outlook.com ${include} -all`)
    expect(spfAt(plan).why).toContain('mail from Barracuda')
    const step = stepWith(plan, spfAt(plan))
    expect(step.order).toBe(1)
    expect(step.title).toMatch(/^Urgent: /)
    expect(question(plan)).toBeUndefined()
  }
})

test('once the include is published, the answers of the owner leave nothing to ask', async () => {
  const options = { uses: ['microsoft365', 'barracuda'] }
  const zone = `${onMicrosoft('include:spf.ess.barracudanetworks.com -all')}${MICROSOFT_KEYS}
    ${barracuda()}${policy('p=reject')}`
  const plan = await planOf(zone, { options })
  expect(spfAt(plan).action).toBe('keep')
  expect(question(plan)).toBeUndefined()
  expect(plan.warnings.map(({ id }) => id)).not.toContain('plan.sender-at-risk')
})

test('signed mailboxes don’t end the need for the gateway’s include', async () => {
  const zone = `${onMicrosoft()}${MICROSOFT_KEYS}${barracuda()}${policy('p=reject')}`
  const plan = await planOf(zone, { options: { uses: ['microsoft365', 'barracuda'] } })
  expect(spfAt(plan).value).toContain('include:spf.ess.barracudanetworks.com')
})

test('the include of any gateway is added for an owner who sends through it', async () => {
  const servers: Readonly<Record<string, readonly [host: string, term: string]>> = {
    mimecast: ['us-smtp-inbound-1.mimecast.com', 'include:us._netblocks.mimecast.com'],
    'proofpoint-essentials': ['mx1-us1.ppe-hosted.com', 'a:dispatch-us.ppe-hosted.com'],
    sophos: ['mx-01-eu-west-1.prod.hydra.sophos.com', 'include:_spf.prod.hydra.sophos.com'],
    symantec: ['cluster5.us.messagelabs.com', 'include:spf.messagelabs.com'],
    trendmicro: ['acme.in.tmes.trendmicro.com', 'include:spf.tmes.trendmicro.com'],
    hornet: ['mx01.hornetsecurity.com', 'include:spf.hornetsecurity.com'],
  }
  for (const [id, [host, term]] of Object.entries(servers)) {
    const target = term.replace(/^[a-z]+:/, '')
    const published = term.startsWith('include:')
      ? `${target}. TXT "v=spf1 ip4:203.0.113.0/28 -all"`
      : `${target}. A 203.0.113.2`
    const zone = `${AT_CLOUDFLARE}${GOOGLE}
      acme.test. MX 10 ${host}.
      ${host}. A 203.0.113.1
      ${published}
      ${spfLine('include:_spf.google.com -all')}${policy('p=reject')}`
    const plan = await planOf(zone, { options: { uses: ['google', id] } })
    expect(spfAt(plan).value, id).toBe(`v=spf1 include:_spf.google.com ${term} -all`)
    expect(stepWith(plan, spfAt(plan)).title, id).toMatch(/^Urgent: /)
    expect(dmarcAt(plan).action, id).toBe('keep')
  }
})

test('Google signs, and mail leaves through Mimecast: its include is added', async () => {
  const plan = await planOf(
    `${AT_CLOUDFLARE}${GOOGLE}${MIMECAST}${GOOGLE_KEY}
    acme.test. MX 10 us-smtp-inbound-1.mimecast.com.
    ${spfLine('include:_spf.google.com -all')}${policy('p=reject')}`,
    { options: { uses: ['google', 'mimecast'] } },
  )
  expect(spfAt(plan).value).toContain('include:us._netblocks.mimecast.com')
})

test('only the gateway knows its term: the plan asks for it', async () => {
  for (const [id, host] of [
    ['proofpoint', 'mx0a-00148501.pphosted.com'],
    ['cisco', 'mx1.hc1234-56.iphmx.com'],
  ] as const) {
    const zone = `${AT_CLOUDFLARE}${GOOGLE}${GOOGLE_KEY}
      acme.test. MX 10 ${host}.
      ${host}. A 203.0.113.1
      ${spfLine('include:_spf.google.com -all')}${policy('p=reject')}`
    const plan = await planOf(zone, { options: { uses: ['google', id] } })
    expect(question(plan)?.title, id).toContain('to your SPF record')
    expect(stepsOf(plan, 'verify').map(({ title }) => title)).toContain(question(plan)?.title)
  }
})

const BEHIND_MIMECAST = `${MIMECAST}${MICROSOFT}
  acme.test. MX 10 us-smtp-inbound-1.mimecast.com.
  acme.test. TXT "MS=ms33017288"
  ${spfLine('include:us._netblocks.mimecast.com -all')}${policy('p=reject')}`

test('a gateway in MX and SPF may send what the mailboxes behind it write: nothing is called lost', async () => {
  expect(streamOf(await checkOf(BEHIND_MIMECAST), 'microsoft365')).toMatchObject({
    spf: 'unknown',
    outcome: 'unknown',
  })
  for (const options of [{}, { unused: ['microsoft365'] }]) {
    const ids = (await planOf(BEHIND_MIMECAST, { options })).warnings.map(({ id }) => id)
    expect(ids).not.toContain('plan.sender-at-risk')
    expect(ids).not.toContain('dkim.sender-unsigned')
  }
})
