/** A plan that was paid for, and other answers to its questions: the same payment, no other charge. */
import type { FixPlan } from '@mailgrade/core'
import { describe, expect, test } from 'vitest'
import { connectMcpPaidClient } from '../../support/mcp-paid-client.js'
import { expectPaymentRequired } from '../../support/paid-responses.js'
import {
  openPaidService,
  type PaidService,
  type PaidServiceOptions,
} from '../../support/paid-service.js'
import { LIVE_ENV } from '../../support/test-app.js'
import { decodeBase64Json } from '../../support/test-payer.js'

const ACME = '/v1/fix-plan?domain=acme.test'
const DOLLAR = 1_000_000n
const RUAS = Array.from({ length: 21 }, (_, index) => `${ACME}&rua=r${index}@acme.test`)

async function buyPlan(kind: 'in-process' | 'remote' = 'in-process', options?: PaidServiceOptions) {
  const service = await openPaidService(kind, options)
  const payment = await service.sign({}, ACME)
  const bought = await service.send(ACME, payment)
  expect(bought.status).toBe(200)
  return { service, payment, bought, ask: (path: string) => service.send(path, payment) }
}

async function expectOneDollar(service: PaidService) {
  expect(await service.settlements(DOLLAR)).toHaveLength(1)
  expect(await service.revenue()).toBe(DOLLAR)
}

const senders = ({ senders }: FixPlan) => senders.map(({ id }) => id)
const reportAddress = ({ records }: FixPlan) =>
  /rua=mailto:([^;]+)/.exec(records.find(({ purpose }) => purpose === 'dmarc')?.value ?? '')?.[1]

test.each(['in-process', 'remote'] as const)(
  'returns a new plan for other answers with the same receipt: %s',
  async (kind) => {
    const { service, bought, ask } = await buyPlan(kind)
    const calls = service.chain.methods.length
    const plan = await ask(`${ACME}&uses=mailchimp&rua=reports@acme.test`)
    expect([plan.status, plan.settlement]).toEqual([200, bought.settlement])
    expect(senders(bought.body as FixPlan)).not.toContain('mailchimp')
    expect(senders(plan.body as FixPlan)).toContain('mailchimp')
    expect(reportAddress(plan.body as FixPlan)).toBe('reports@acme.test')
    expect(service.chain.methods.length).toBe(calls)
    await expectOneDollar(service)
  },
)

test('returns the same bytes for the same answers, however they are written', async () => {
  const { service, bought, ask } = await buyPlan()
  const first = await ask(`${ACME}&uses=mailchimp,ses&unused=google&selector=s1&selector=s2`)
  const reports = service.reportCount()
  for (const path of [
    `${ACME}&uses=ses&uses=mailchimp&unused=google&selector=s2,s1`,
    '/v1/fix-plan?selector=s1,s2,s1&uses=SES,mailchimp,ses&unused=google&domain=ACME.test.',
  ]) {
    const again = await ask(path)
    expect([again.status, again.text]).toEqual([200, first.text])
  }
  expect(first.text).not.toBe(bought.text)
  expect((await ask(`${ACME}&uses=`)).text).toBe(bought.text)
  expect(service.reportCount()).toBe(reports)
})

test('returns twenty plans, and those again', async () => {
  const { service, ask } = await buyPlan()
  const plans = new Map<string, string>()
  for (const path of RUAS.slice(0, 20)) {
    const { status, text } = await ask(path)
    expect(status).toBe(200)
    plans.set(path, text)
  }
  const reports = service.reportCount()
  const refused = await ask(RUAS[20] as string)
  expectPaymentRequired(refused, 'payment_already_used', '1000000')
  expect(refused.body.detail).toContain('with 20 other answers')
  for (const [path, text] of plans) expect((await ask(path)).text).toBe(text)
  expect(service.reportCount()).toBe(reports)
  await expectOneDollar(service)
})

test('returns them for a day after the payment expires, and nothing after that', async () => {
  let later = 0
  const { service, bought, ask } = await buyPlan('in-process', {
    wallClock: () => Date.now() + later,
  })
  later = 86_400_000
  const late = await ask(RUAS[0] as string)
  expect(late.status).toBe(200)
  expect((await ask(ACME)).text).toBe(bought.text)
  later += 121_000
  const refused = await ask(RUAS[1] as string)
  expectPaymentRequired(refused, 'payment_already_used', '1000000')
  expect(refused.body.detail).toContain('more than 24 hours ago')
  expectPaymentRequired(await ask(RUAS[0] as string), 'payment_already_used', '1000000')
  await expectOneDollar(service)
})

test.each([
  '/v1/fix-plan?domain=other.test',
  '/v1/fix-plan?domain=www.acme.test&exact=true',
  '/v1/fix-plan?domain=sub.acme.test',
  '/v1/fix-plan?domain=xn--acme-1na.test',
  '/v1/fix-plan?domain=aсme.test',
])('refuses another domain: %s', async (path) => {
  const { service, ask } = await buyPlan()
  const queries = service.dns.queries.length
  expectPaymentRequired(await ask(path), 'payment_already_used', '1000000')
  expect(service.dns.queries.length).toBe(queries)
})

test.each(['www.acme.test', 'https://ACME.test/', 'ann@acme.test', 'acme.test&exact=true'])(
  'knows the same domain as %s',
  async (domain) => {
    const { service, ask } = await buyPlan()
    expect((await ask(`/v1/fix-plan?domain=${domain}&rua=r@acme.test`)).status).toBe(200)
    await expectOneDollar(service)
  },
)

test('refuses another endpoint, another signature and a HEAD request', async () => {
  const { service, payment, ask } = await buyPlan()
  expectPaymentRequired(await ask('/v1/score?domain=acme.test'), 'wrong_amount')
  const { authorization } = decodeBase64Json(payment).payload
  const signature = `0x${'ab'.repeat(65)}`
  const forged = await service.sign({ authorization, signature }, ACME)
  expectPaymentRequired(
    await service.send(RUAS[0] as string, forged),
    'payment_already_used',
    '1000000',
  )
  const queries = service.dns.queries.length
  const head = await service.send(RUAS[0] as string, payment, {
    method: 'HEAD',
    headers: { 'PAYMENT-SIGNATURE': payment },
  })
  expect([head.status, head.text, service.dns.queries.length]).toEqual([402, '', queries])
})

test('counts and charges nothing for an answer that is wrong or that DNS leaves open', async () => {
  const failing: Record<string, 'timeout'> = {}
  const env = { ...LIVE_ENV, RATE_LIMIT_PER_MINUTE: '100' }
  const { service, ask } = await buyPlan('in-process', { failing, env })
  const wrong = await ask(`${ACME}&uses=no-such-service`)
  expect([wrong.status, wrong.body.parameter]).toEqual([400, 'uses'])
  failing['MX acme.test'] = 'timeout'
  for (const path of RUAS) {
    const { status, body } = await ask(path)
    expect([status, body.code, body.charged]).toEqual([504, 'dns_timeout', 'no'])
  }
  delete failing['MX acme.test']
  for (const path of RUAS.slice(0, 20)) expect((await ask(path)).status).toBe(200)
  await expectOneDollar(service)
})

test('twenty-five different answers at once get plans, or wait for their turn', async () => {
  const { service, ask } = await buyPlan()
  const paths = Array.from({ length: 25 }, (_, index) => `${ACME}&rua=at-once-${index}@acme.test`)
  const replies = await Promise.all(paths.map(ask))
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200, 409]))
  for (const { status, body } of replies) {
    if (status === 409) expect(body.condition).toBe('waiting')
  }
  let served = 0
  for (const path of paths) served += (await ask(path)).status === 200 ? 1 : 0
  expect(served).toBe(20)
  await expectOneDollar(service)
})

describe('over MCP', () => {
  test('the same payment returns the plan with other answers, and the same one over HTTP', async () => {
    const service = await openPaidService('in-process')
    const { callTool } = await connectMcpPaidClient(service)
    const call = (answers: object, payment?: unknown) =>
      callTool('email_fix_plan', { domain: 'acme.test', ...answers }, payment)
    const { structuredContent } = await call({})
    const signed = await service.payer.sign(structuredContent, { payload: { resource: undefined } })
    const payment = decodeBase64Json(signed)
    const bought = await call({}, payment)
    const plan = await call({ uses: ['ses', 'mailchimp'], selector: 's1' }, payment)
    expect([plan.isError, plan.paymentResponse]).toEqual([undefined, bought.paymentResponse])
    expect(senders(plan.structuredContent as unknown as FixPlan)).toContain('mailchimp')
    expect(await call({ uses: 'mailchimp,ses', selector: ['s1'] }, payment)).toEqual(plan)
    const { text } = await service.send(`${ACME}&uses=mailchimp,ses&selector=s1`, signed)
    expect(JSON.parse(text)).toEqual(plan.structuredContent)

    for (const path of RUAS.slice(0, 19)) {
      const rua = path.slice(path.lastIndexOf('=') + 1)
      expect((await call({ rua }, payment)).isError).toBeUndefined()
    }
    const refused = await call({ rua: 'one-more@acme.test' }, payment)
    expect([refused.isError, refused.structuredContent.error]).toEqual([
      true,
      'payment_already_used',
    ])
    expect(refused.texts.join(' ')).toContain('with 20 other answers')
    const other = await call({ domain: 'other.test' }, payment)
    expect(other.structuredContent.error).toBe('payment_already_used')
    await expectOneDollar(service)
  })
})
