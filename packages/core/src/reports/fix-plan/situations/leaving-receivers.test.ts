/** Owners who no longer use a provider that still holds their only mail servers. */
import { SPKI } from '@mailgrade/testing/dkim-keys'
import { expect, test } from 'vitest'
import { keyZoneLine } from '../../../../test/support/dkim-fixture.js'
import {
  changesOf,
  type ExpertPlan,
  planOf,
  spfAt,
  stepsOf,
  unconditionalDeletes,
  wordsOf,
} from '../../../../test/support/expert.js'
import {
  GOOGLE_DONE,
  GOOGLE_KEY,
  MICROSOFT_KEYS,
  ON_MICROSOFT,
  policy,
  spfLine,
} from '../../../../test/support/expert-zones.js'
import {
  AT_CLOUDFLARE,
  GOOGLE,
  MICROSOFT,
  SALESFORCE,
} from '../../../../test/support/service-zones.js'

const REJECT = policy('p=reject')

const warningOf = ({ warnings }: ExpertPlan) =>
  warnings.find(({ id }) => id === 'plan.unused-receives-mail')

const wordsAbout = ({ warnings, summary, steps }: ExpertPlan) =>
  [summary, ...warnings.flatMap(({ title, detail }) => [title, detail]), wordsOf(steps)].join('\n')

/** The first step, which comes before every other one. */
function expectToMoveFirst(plan: ExpertPlan, name: string): void {
  const [first] = plan.steps
  expect(first).toMatchObject({ kind: 'verify', when: 'today', title: warningOf(plan)?.title })
  expect(first?.title).toContain(name)
  const words = first?.actions.join('\n') ?? ''
  expect(words).toContain('MX records')
  expect(words).toMatch(/still use .*get a new plan/)
  expect(first?.verify.text).toContain('MX')
  expect(plan.steps.filter(({ title }) => title === first?.title)).toHaveLength(1)
}

test('everything is at the provider: nothing is taken away before its MX records', async () => {
  const plan = await planOf(`${GOOGLE_DONE}${REJECT}`, { options: { unused: ['google'] } })
  expect(changesOf(plan, 'spf')).toEqual([])
  expect(changesOf(plan, 'dkim')).toEqual([])
  expect(changesOf(plan, 'mx')).toEqual([])
  expectToMoveFirst(plan, 'Google Workspace')
  expect(wordsAbout(plan)).not.toMatch(/isn’t signed|Urgent/)
})

test('the new provider is in use: the old one keeps its include and keys until the MX move', async () => {
  const zone = `${ON_MICROSOFT}${MICROSOFT_KEYS}${GOOGLE}${GOOGLE_KEY}${REJECT}
    ${spfLine('include:spf.protection.outlook.com include:_spf.google.com -all')}`
  const options = { uses: ['google'], unused: ['microsoft365'] }
  const plan = await planOf(zone, { options })
  expect(spfAt(plan).action).toBe('keep')
  expect(changesOf(plan, 'dkim')).toEqual([])
  expectToMoveFirst(plan, 'Microsoft 365')
})

const PROOFPOINT = `
  acme.test. MX 10 mx0a-00111101.pphosted.com.
  acme.test. MX 10 mx0b-00111101.pphosted.com.
  mx0a-00111101.pphosted.com. A 148.163.148.17
  mx0b-00111101.pphosted.com. A 148.163.152.17
  spf-00111101.pphosted.com. TXT "v=spf1 ip4:148.163.128.0/19 -all"
`

test('a gateway: it passes mail on, and an own server is still told to sign', async () => {
  const zone = `${AT_CLOUDFLARE}${PROOFPOINT}${MICROSOFT}${MICROSOFT_KEYS}${SALESFORCE}${REJECT}
    acme.test. TXT "MS=ms30303030"
    ${spfLine('include:spf-00111101.pphosted.com include:_spf.salesforce.com ip4:203.0.113.150 -all')}`
  const before = await planOf(zone)
  const plan = await planOf(zone, {
    options: { uses: ['microsoft365'], unused: ['proofpoint'] },
  })
  expect(spfAt(plan).value).toContain('include:spf-00111101.pphosted.com')
  expect(unconditionalDeletes(plan)).toEqual([])
  expectToMoveFirst(plan, 'Proofpoint')
  expect(wordsAbout(plan)).toContain('comes in through')
  expect(wordsAbout(plan)).not.toContain('no one reads')
  const ofServer = (each: ExpertPlan) =>
    stepsOf(each, 'turn-on-signing', 'own-server').map(({ title }) => title)
  expect(ofServer(before)).not.toEqual([])
  expect(ofServer(plan)).toEqual(ofServer(before))
  for (const { onlyIf } of plan.steps) expect(onlyIf ?? '').not.toMatch(/send through Proofpoint/)
})

test('a gateway that is left is not asked about', async () => {
  const zone = `${AT_CLOUDFLARE}${MICROSOFT}${REJECT}
    acme.test. MX 10 d1a.ess.barracudanetworks.com.
    d1a.ess.barracudanetworks.com. A 209.222.82.52
    spf.ess.barracudanetworks.com. TXT "v=spf1 ip4:209.222.80.0/21 -all"
    acme.test. TXT "MS=ms30303030"
    ${spfLine('include:spf.protection.outlook.com -all')}`
  const ids = async (options: object) =>
    (await planOf(zone, { options })).warnings.map(({ id }) => id)
  expect(await ids({})).toContain('plan.gateway-may-send')
  expect(await ids({ unused: ['barracuda'] })).not.toContain('plan.gateway-may-send')
})

test('nothing new is set up at a provider that is left', async () => {
  const zone = `${ON_MICROSOFT}${GOOGLE}${REJECT}${spfLine('ip4:203.0.113.9 -all')}`
  const options = { uses: ['google'], unused: ['microsoft365'] }
  const plan = await planOf(zone, { options })
  expect(spfAt(plan).value).toBe('v=spf1 ip4:203.0.113.9 include:_spf.google.com -all')
  expect(changesOf(plan).join('\n')).not.toMatch(/microsoft|outlook/)
  expect(wordsOf(plan.steps)).not.toContain('DKIM signing in Microsoft')
  expect(wordsOf(plan.steps)).not.toContain('MTA-STS')
})

test('a weak key of a provider that is left is not replaced', async () => {
  const zone = `${GOOGLE_DONE.replace(GOOGLE_KEY, keyZoneLine('google', `v=DKIM1; k=rsa; p=${SPKI[1024]}`))}${REJECT}`
  const plan = await planOf(zone, { options: { unused: ['google'] } })
  expect(changesOf(plan, 'dkim')).toEqual([])
})

test('another mail server works: the provider goes with all its records', async () => {
  const zone = `${GOOGLE_DONE}${REJECT}
    acme.test. MX 5 mail.acme.test.
    mail.acme.test. A 203.0.113.9`
  const plan = await planOf(zone, { options: { unused: ['google'] } })
  expect(changesOf(plan, 'mx')).toEqual(['delete MX acme.test 1 smtp.google.com'])
  expect(spfAt(plan).value).not.toContain('google')
  expect(warningOf(plan)).toBeUndefined()
})
