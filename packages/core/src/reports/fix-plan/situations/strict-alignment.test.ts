/** Owners with strict alignment: names below the domain don't pass for it (RFC 9989 §4.4). */
import { expect, test } from 'vitest'
import {
  dmarcAt,
  type ExpertPlan,
  planOf,
  stepsOf,
  stepWith,
  wordsOf,
} from '../../../../test/support/expert.js'
import {
  GOOGLE_DONE,
  policy,
  SIGNED_BELOW,
  spfLine,
} from '../../../../test/support/expert-zones.js'
import { ON_GOOGLE, SENDGRID } from '../../../../test/support/service-zones.js'

const sending = (tags: string) => `${GOOGLE_DONE}${SENDGRID}${policy(tags)}`
const withSendgrid = (tags: string) => planOf(sending(tags), { options: { uses: ['sendgrid'] } })

const strictWarning = ({ warnings }: ExpertPlan) =>
  warnings.find(({ id }) => id === 'plan.strict-alignment')

test('with adkim=s, a signature of a subdomain is no reason to skip a step', async () => {
  const plan = await withSendgrid('p=quarantine; adkim=s')
  const said = plan.steps.flatMap((step) => [wordsOf([step]), step.onlyIf ?? '']).join('\n')
  expect(said).toContain('PASS with exactly acme.test')
  expect(said).not.toContain('one of its subdomains')
})

test('with relaxed alignment or only aspf=s, it is', async () => {
  for (const tags of ['p=quarantine', 'p=quarantine; aspf=s']) {
    const plan = await withSendgrid(tags)
    expect(wordsOf(stepsOf(plan, 'turn-on-signing', 'sendgrid'))).toContain('one of its subdomains')
  }
})

test('with aspf=s, a bounce name below the domain doesn’t pass DMARC with SPF', async () => {
  const bouncesOf = ({ records }: ExpertPlan) =>
    records.find(({ name }) => name.startsWith('em{')) ?? expect.fail('no bounce record')
  const strict = await withSendgrid('p=quarantine; aspf=s')
  expect(bouncesOf(strict).why).not.toContain('passes DMARC with SPF')
  expect(bouncesOf(strict).why).toContain('aspf=s')
  expect(stepWith(strict, bouncesOf(strict)).kind).toBe('publish')
  expect(bouncesOf(await withSendgrid('p=quarantine; adkim=s')).why).toContain('with SPF, too')
})

test('only both tags make mail fail that is signed by a subdomain and bounces there', async () => {
  const both = await planOf(`${GOOGLE_DONE}${SIGNED_BELOW}${policy('p=none; adkim=s; aspf=s')}`)
  expect(strictWarning(both)?.detail).toContain('so this mail fails')
  const dkim = await planOf(`${GOOGLE_DONE}${SIGNED_BELOW}${policy('p=none; adkim=s')}`)
  expect(strictWarning(dkim)?.title).toContain('adkim=s')
  expect(strictWarning(dkim)?.detail).not.toContain('this mail fails')
  expect(strictWarning(dkim)?.detail).toContain('forward')
  const spf = await planOf(`${GOOGLE_DONE}${SIGNED_BELOW}${policy('p=none; aspf=s')}`)
  expect(strictWarning(spf)?.detail).not.toMatch(/fails DMARC|this mail fails/)
})

test('without a sender below, each tag is explained for itself', async () => {
  const detailOf = async (tags: string) =>
    strictWarning(await planOf(`${GOOGLE_DONE}${policy(tags)}`))?.detail
  expect(await detailOf('p=none; adkim=s; aspf=s')).toContain('fails DMARC')
  expect(await detailOf('p=none; adkim=s')).toContain('only with SPF')
  expect(await detailOf('p=none; aspf=s')).toContain('only with DKIM')
})

test('a stage demands the exact domain only of the mechanism that the tag is about', async () => {
  const conditionsOf = async (tags: string) =>
    (await planOf(`${GOOGLE_DONE}${policy(tags)}`)).rollout.flatMap(
      ({ proceedWhen }) => proceedWhen,
    )
  const about = (conditions: readonly string[]) =>
    conditions.filter((each) => each.includes('=s')).join('\n')
  const dkim = about(await conditionsOf('p=none; adkim=s'))
  expect(dkim).toContain('DKIM')
  expect(dkim).not.toContain('SPF')
  const spf = about(await conditionsOf('p=none; aspf=s'))
  expect(spf).toContain('SPF')
  expect(spf).not.toContain('passes for exactly')
  const both = about(await conditionsOf('p=none; adkim=s; aspf=s'))
  expect(both).toContain('exactly the domain in its From address')
})

const lossOf = ({ warnings, steps }: ExpertPlan) => ({
  warning: warnings.find(({ id }) => id === 'plan.strict-alignment-loss'),
  urgent: steps.filter(({ title }) => title.startsWith('Urgent: ')),
})

test('an enforced policy and both tags: mail of a service below is lost if From is the domain', async () => {
  for (const [policyTag, fate] of [
    ['p=reject', 'is rejected'],
    ['p=quarantine', 'goes to spam'],
  ]) {
    const plan = await planOf(
      `${GOOGLE_DONE}${SIGNED_BELOW}${policy(`${policyTag}; adkim=s; aspf=s`)}`,
    )
    const { warning, urgent } = lossOf(plan)
    expect(warning).toMatchObject({ severity: 'high', detail: expect.stringContaining(`${fate}`) })
    // Relaxed alignment costs no one anything, so it needs no condition.
    expect(urgent).toMatchObject([
      { order: 1, title: 'Urgent: Correct the DMARC record', onlyIf: null },
    ])
    expect(dmarcAt(plan).value).not.toContain('=s')
    expect(strictWarning(plan)).toBeUndefined()
  }
})

test('what one of both still lets pass is not lost, nor is anything in monitoring mode', async () => {
  for (const tags of ['p=reject; adkim=s', 'p=reject; aspf=s', 'p=none; adkim=s; aspf=s']) {
    const plan = await planOf(`${GOOGLE_DONE}${SIGNED_BELOW}${policy(tags)}`)
    expect(lossOf(plan), tags).toEqual({ warning: undefined, urgent: [] })
  }
})

test('with aspf=s, what bounces below the domain and is not signed is lost', async () => {
  const zone = (tags: string) => `${ON_GOOGLE}${spfLine('include:_spf.google.com ~all')}
    pm-bounces.acme.test. CNAME pm.mtasv.net.
    pm.mtasv.net. TXT "v=spf1 ip4:50.31.156.96/27 ~all"
    ${policy(tags)}`
  const lost = (plan: ExpertPlan) => plan.warnings.find(({ id }) => id === 'plan.sender-at-risk')
  expect(lost(await planOf(zone('p=reject; aspf=s')))?.title).toContain('Postmark')
  expect(lost(await planOf(zone('p=reject')))).toBeUndefined()
})

test('strict alignment stays where the domain sends nothing, or the name below has its own record', async () => {
  const own = '_dmarc.mg.acme.test. TXT "v=DMARC1; p=none; rua=mailto:d@acme.test"'
  const locked = `acme.test. MX 0 .\n${spfLine('-all')}${SIGNED_BELOW}${policy('p=reject; adkim=s; aspf=s')}`
  const sending = `${GOOGLE_DONE}${SIGNED_BELOW}${own}\n${policy('p=reject; adkim=s; aspf=s')}`
  for (const zone of [locked, sending]) {
    const plan = await planOf(zone)
    expect(dmarcAt(plan).value).toContain('adkim=s; aspf=s')
    expect(lossOf(plan)).toEqual({ warning: undefined, urgent: [] })
  }
})
