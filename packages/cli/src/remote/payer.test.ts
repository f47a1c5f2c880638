import { createZoneDns } from '@mailgrade/doh/zone'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { type FakeAnswer, startFakeService } from '../../test/support/fake-service.js'
import { createTestContext, type TestContextOptions } from '../../test/support/test-context.js'
import { openReportSource } from '../command-line/open-report-source.js'
import type { SourceOptions } from '../command-line/shared-options.js'
import { scoreDomain } from '../library.js'
import { createPayer } from './payer.js'
import { toUnits } from './payment.js'
import { createServiceClient, serviceAddress } from './service-client.js'

const KEY = `0x${'5e'.repeat(32)}` as const
const PAYEE = '0x209693Bc6afc0C5328bA36FaF03C514EF312287C'
const PRICE = `0.01 USDC on Base to ${PAYEE}`
const TRANSACTION = `0x${'ab'.repeat(32)}`

const OFFER = {
  scheme: 'exact',
  network: 'eip155:8453',
  amount: '10000',
  asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  payTo: PAYEE,
  maxTimeoutSeconds: 120,
  extra: { name: 'USD Coin', version: '2' },
}

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64')
const decode = (text = '') => JSON.parse(Buffer.from(text, 'base64').toString())

function paymentRequired(...accepts: object[]): FakeAnswer {
  const body = { x402Version: 2, resource: { url: 'https://seller.test/v1/score' }, accepts }
  return { status: 402, headers: { 'payment-required': encode(body) }, body: {} }
}

function problem(status: number, fields: object, headers = {}): FakeAnswer {
  return {
    status,
    headers: { 'retry-after': '0', ...headers },
    body: { code: 'facilitator_unavailable', detail: 'The payment was not settled.', ...fields },
  }
}

async function soldReport(): Promise<FakeAnswer> {
  const dns = createZoneDns('zone', 'good.test. TXT "v=spf1 -all"')
  const result = await scoreDomain('good.test', { dns })
  if (result.kind !== 'report') throw new Error('No report')
  const receipt = { success: true, transaction: TRANSACTION, network: 'eip155:8453' }
  return {
    status: 200,
    headers: { 'payment-response': encode(receipt) },
    body: { ...result.report, meta: result.meta },
  }
}

/** Answers requests without a payment with `required`, and payments with `answers`, then the last. */
async function startSeller(
  answers: readonly (FakeAnswer | 'hang' | 'drop')[],
  required: FakeAnswer = paymentRequired(OFFER),
) {
  let paid = 0
  return startFakeService(({ headers, url = '' }) => {
    if (headers['payment-signature'] === undefined) return required
    const answer = answers[Math.min(paid, answers.length - 1)]
    paid++
    if (!answer) throw new Error('No answer is left')
    return typeof answer === 'object' && answer.status === 200 ? aboutDomainOf(url, answer) : answer
  })
}

function aboutDomainOf(url: string, { body = {}, ...answer }: FakeAnswer): FakeAnswer {
  const domain = new URL(url, 'http://localhost').searchParams.get('domain')
  return { ...answer, body: 'domain' in Object(body) ? { ...Object(body), domain } : body }
}

const WALLET = { MAILGRADE_PRIVATE_KEY: KEY }
const YES = { yes: true, maxUsd: 0.05 }

async function open(server: URL, options: SourceOptions, context: TestContextOptions = {}) {
  const testContext = createTestContext({ env: WALLET, ...context })
  return {
    source: await openReportSource({ server, ...options }, testContext),
    context: testContext,
  }
}

describe('a payment', () => {
  test('is exactly the price that is shown, to the payee that is shown', async () => {
    const { url, payments } = await startSeller([await soldReport()])
    const { source, context } = await open(url, YES)
    expect(await source.score('good.test')).toMatchObject({ report: { domain: 'good.test' } })
    expect(decode(payments[0])).toMatchObject({
      x402Version: 2,
      accepted: OFFER,
      payload: {
        authorization: {
          from: privateKeyToAccount(KEY).address,
          to: PAYEE,
          value: '10000',
        },
      },
    })
    expect(context.errors()).toBe(
      `Paying ${PRICE} for the score of good.test.\nPaid ${PRICE}. Transaction: ${TRANSACTION}\n`,
    )
  })

  test('is made after a yes at the terminal, and asked for each report', async () => {
    const { url, payments } = await startSeller([await soldReport()])
    const { source, context } = await open(url, {}, { typed: ['y', 'n', 'YES'] })
    const results = await Promise.all(['a.test', 'b.test', 'c.test'].map((it) => source.score(it)))
    source.close()
    expect(results.map((it) => it.kind)).toEqual(['report', 'service-problem', 'report'])
    expect(results[1]).toMatchObject({
      code: 'payment_declined',
      detail: 'You declined to pay. You weren’t charged.',
    })
    expect(payments).toHaveLength(2)
    expect(context.errors().split('\n')[0]).toMatch(
      /^Pay 0\.01 USDC on Base to 0x209693\w+ for the score of \w\.test\? \[y\/N\] Paid/,
    )
  })

  test.each([
    ['an empty line', ['']],
    ['no input', []],
    ['anything else', ['sure']],
  ])('is not made after %s', async (_, typed) => {
    const { url, payments } = await startSeller([await soldReport()])
    const { source } = await open(url, {}, { typed })
    expect(await source.score('good.test')).toMatchObject({ code: 'payment_declined' })
    expect(payments).toEqual([])
  })

  test('is not made after Ctrl-C at the question', async () => {
    const interrupted = new AbortController()
    const typed = (async function* () {
      interrupted.abort()
      await new Promise(() => {})
      yield Buffer.from('')
    })()
    const { url, payments } = await startSeller([await soldReport()])
    const { source } = await open(url, {}, { typed, signal: interrupted.signal })
    expect(await source.score('good.test')).toMatchObject({ code: 'payment_declined' })
    expect(payments).toEqual([])
  })
})

describe('nothing is paid', () => {
  async function refusal(options: SourceOptions, context: TestContextOptions = {}, offer = OFFER) {
    const { url, payments } = await startSeller([await soldReport()], paymentRequired(offer))
    const { source } = await open(url, options, context)
    const result = await source.score('good.test')
    expect(payments).toEqual([])
    return result
  }
  const costs = `The score of good.test costs ${PRICE}.`

  test('without a terminal and without --yes', async () => {
    expect(await refusal({})).toEqual({
      kind: 'service-problem',
      code: 'payment_required',
      detail: `${costs} To pay, run the command in a terminal, or add --yes --max-usd 0.01. You weren’t charged.`,
    })
  })

  test('above --max-usd, also on a terminal', async () => {
    const detail = `${costs} That’s more than --max-usd 0.009 allows. You weren’t charged.`
    expect(await refusal({ yes: true, maxUsd: 0.009 })).toMatchObject({ detail })
    expect(await refusal({ maxUsd: 0.009 }, { typed: ['y'] })).toMatchObject({ detail })
  })

  test('without a key', async () => {
    expect(await refusal(YES, { env: {} })).toMatchObject({
      detail: `${costs} Set the environment variable MAILGRADE_PRIVATE_KEY to the private key of a wallet that holds USDC. You weren’t charged.`,
    })
  })

  test.each(['secret', `0x${'00'.repeat(32)}`, `0x${'ff'.repeat(32)}`])(
    'with the key %s, which is not shown',
    async (key) => {
      const result = await refusal(YES, { env: { MAILGRADE_PRIVATE_KEY: key } })
      expect(result).toMatchObject({
        detail: `${costs} The value of MAILGRADE_PRIVATE_KEY isn’t a private key. A private key is 0x followed by 64 hexadecimal digits. You weren’t charged.`,
      })
    },
  )

  test.each([
    ['scheme', { scheme: 'upto' }, 'The price isn’t fixed. We support only the "exact" scheme.'],
    ['network', { network: 'eip155:1' }, 'We support payments only on Base and Base Sepolia.'],
    ['network', { network: 'toString' }, 'We support payments only on Base and Base Sepolia.'],
    ['token', { asset: PAYEE }, 'The token isn’t USDC.'],
    ['amount', { amount: '-1' }, 'The amount isn’t valid.'],
    ['amount', { amount: '0x10' }, 'The amount isn’t valid.'],
    ['amount', { amount: ['10000'] }, 'The amount isn’t valid.'],
    ['payee', { payTo: 'ann.eth' }, 'The payee isn’t a wallet address.'],
    ['payee', { payTo: [PAYEE] }, 'The payee isn’t a wallet address.'],
    // As text it would be appended to the time of today: valid for thousands of years.
    [
      'validity',
      { maxTimeoutSeconds: '600' },
      'The payment would be valid for more than 600 seconds.',
    ],
    [
      'validity',
      { maxTimeoutSeconds: 86_400 },
      'The payment would be valid for more than 600 seconds.',
    ],
    [
      'token name',
      { extra: { name: 'USDC', version: '2' } },
      'The token details aren’t the standard ones for USDC.',
    ],
    [
      'kind of signature',
      { extra: { ...OFFER.extra, assetTransferMethod: 'permit2' } },
      'The token details aren’t the standard ones for USDC.',
    ],
  ])('for an unusual %s: %o', async (_, change, reason) => {
    expect(await refusal(YES, {}, { ...OFFER, ...change } as typeof OFFER)).toEqual({
      kind: 'service-problem',
      code: 'unusual_offer',
      detail: `${reason} You weren’t charged.`,
    })
  })

  test('over a connection that someone could change', async () => {
    const { url, payments } = await startSeller([await soldReport()])
    const service = { ...serviceAddress(url), isPrivate: false }
    const context = createTestContext({ env: WALLET })
    const client = createServiceClient(service, context, 5_000)
    const payer = createPayer(service, client, YES, context)
    const required = await client.get(url)
    if (required.kind !== 'response') throw new Error('No response')
    const request = {
      url,
      subject: 'good.test',
      service: service.name,
      purpose: 'score of good.test',
      isReport: () => true,
      isAnswer: () => true,
    }
    expect(await payer.pay(request, required)).toMatchObject({
      kind: 'unpaid',
      result: {
        detail: `${costs} The connection isn’t encrypted, so someone on the network could redirect your payment. Use an https URL with --server. You weren’t charged.`,
      },
    })
    expect(payments).toEqual([])
  })

  test('without a price in x402 version 2', async () => {
    const { url } = await startSeller([], {
      status: 402,
      body: { x402Version: 1, accepts: [OFFER] },
    })
    const { source } = await open(url, YES)
    expect(await source.score('good.test')).toMatchObject({
      detail: 'The service’s price isn’t in x402 version 2 format. You weren’t charged.',
    })
  })
})

test.each([
  [0.01, 10_000n],
  [0.57, 570_000n],
  [1.005, 1_005_000n],
  [0.0000019, 1n],
  [0.0000009, 0n],
  [1e-9, 0n],
  [123456.789, 123_456_789_000n],
])('a limit of %d USD is never rounded up', (usd, units) => {
  expect(toUnits(usd)).toBe(units)
})

test('the limit is for all reports of the command together', async () => {
  const { url, payments } = await startSeller([await soldReport()])
  const { source } = await open(url, { yes: true, maxUsd: 0.02 })
  const domains = ['a.test', 'b.test', 'c.test', 'd.test']
  const results = await Promise.all(domains.map((it) => source.score(it)))
  expect(results.map(({ kind }) => kind).sort()).toEqual([
    'report',
    'report',
    'service-problem',
    'service-problem',
  ])
  expect(payments).toHaveLength(2)
  expect(results.find(({ kind }) => kind === 'service-problem')).toHaveProperty(
    'detail',
    expect.stringContaining(
      'That’s more than --max-usd 0.02 allows, because this command has already signed 0.02. You weren’t charged.',
    ),
  )
})

test('an offer that can be paid is taken beside one that cannot', async () => {
  const required = paymentRequired({ ...OFFER, network: 'eip155:1' }, OFFER)
  const { url, payments } = await startSeller([await soldReport()], required)
  const { source } = await open(url, YES)
  expect((await source.score('good.test')).kind).toBe('report')
  expect(decode(payments[0]).accepted).toEqual(OFFER)
})

describe('after a payment', () => {
  const UNKNOWN =
    'You may have been charged. Don’t sign another payment for this report. Send the same payment again, and you’ll pay at most once.'

  test('the same payment is sent while the outcome is unknown', async () => {
    const answers = [problem(502, { charged: 'unknown' }), 'drop', await soldReport()] as const
    const { url, payments } = await startSeller(answers)
    const { source } = await open(url, YES)
    expect((await source.score('good.test')).kind).toBe('report')
    expect(payments).toHaveLength(3)
    expect(new Set(payments).size).toBe(1)
  })

  test('that stays unknown, the user learns how to send it, and no other is made', async () => {
    const { url, payments } = await startSeller([problem(502, { charged: 'unknown' })])
    const { source, context } = await open(url, YES)
    expect(await source.score('a.test')).toEqual({
      kind: 'service-problem',
      code: 'facilitator_unavailable',
      detail: `The payment was not settled. ${UNKNOWN}`,
    })
    expect(payments).toHaveLength(5)
    expect(context.errors()).toContain(
      `curl -H 'PAYMENT-SIGNATURE: ${payments[0]}' '${url.origin}/v1/score?domain=a.test'\n`,
    )
    expect(await source.score('b.test')).toHaveProperty(
      'detail',
      expect.stringContaining('We don’t know whether an earlier payment went through'),
    )
    expect(new Set(payments).size).toBe(1)
  })

  test('that Ctrl-C interrupts, the outcome is unknown', async () => {
    const interrupted = new AbortController()
    const { url, payments } = await startFakeService(({ headers }) => {
      if (headers['payment-signature'] === undefined) return paymentRequired(OFFER)
      interrupted.abort()
      return 'hang'
    })
    const { source, context } = await open(url, YES, { signal: interrupted.signal })
    expect(await source.score('good.test')).toEqual({
      kind: 'service-problem',
      code: 'canceled',
      detail: `Canceled. ${UNKNOWN}`,
    })
    expect(context.errors()).toContain(`-H 'PAYMENT-SIGNATURE: ${payments[0]}'`)
  })

  test.each([
    ['rejected', 1, problem(402, { code: 'payment_required', error: 'insufficient_funds' })],
    ['for an unknown domain', 1, problem(404, { code: 'unknown_domain' })],
    ['for a report that failed', 1, problem(502, { code: 'dns_unavailable', charged: 'no' })],
    ['that could not be verified', 5, problem(503, { charged: 'no' })],
  ])('that was %s, the user was not charged (sent %i times)', async (_, times, answer) => {
    const { url, payments } = await startSeller([answer])
    const { source } = await open(url, { yes: true, maxUsd: 0.01 })
    const detail = 'The payment was not settled. You weren’t charged.'
    expect(await source.score('a.test')).toMatchObject({ detail })
    expect(payments).toHaveLength(times)
    // A service that lies could still charge the first one.
    expect(await source.score('b.test')).toHaveProperty(
      'detail',
      expect.stringContaining(
        'more than --max-usd 0.01 allows, because this command has already signed 0.01. You weren’t charged.',
      ),
    )
    expect(new Set(payments).size).toBe(1)
  })

  test('the report counts even without a receipt', async () => {
    const { url } = await startSeller([{ ...(await soldReport()), headers: {} }])
    const { source, context } = await open(url, YES)
    expect((await source.score('good.test')).kind).toBe('report')
    expect(context.errors()).toContain('without a receipt. You may have been charged.\n')
  })

  test('a report that this version cannot read is printed as it is', async () => {
    const { url } = await startSeller([{ ...(await soldReport()), body: { score: 'new' } }])
    const { source, context } = await open(url, YES)
    expect(await source.score('good.test')).toMatchObject({ code: 'invalid_response' })
    expect(context.errors()).toContain('{"score":"new"}\n')
  })
})
