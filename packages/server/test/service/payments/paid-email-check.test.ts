/** The report on an address: when it is sold, when it is not, and what stays out of the logs. */

import type { FailureReason } from '@mailgrade/doh/dns'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, onTestFinished, test } from 'vitest'
import { DEMO_PAYER_WALLET } from '../../../src/sandbox/chain/sandbox-wallets.js'
import { expectPaymentRequired } from '../../support/paid-responses.js'
import {
  expectNotCharged,
  openPaidService,
  type PaidService,
  SCORE_PRICE_UNITS,
} from '../../support/paid-service.js'
import { startServiceProcess } from '../../support/service-process.js'

const PATH = '/v1/email-check'
const at = (email: string) => `${PATH}?email=${email}`
const ANN = at('Ann+news@acme.test')

async function expectReport(shop: PaidService, path: string, payment: string, report: object) {
  const { status, body, settlement } = await shop.send(path, payment)
  expect([status, body]).toMatchObject([200, report])
  expect(settlement).toMatchObject({ success: true, payer: shop.payer.address })
  expect(await shop.settlements()).toEqual([settlement?.transaction])
  expect(await shop.revenue()).toBe(SCORE_PRICE_UNITS)
}

describe('sold', () => {
  test.each(['in-process', 'remote'] as const)('with the facilitator %s', async (kind) => {
    const shop = await openPaidService(kind)
    await expectReport(shop, ANN, await shop.sign({}, ANN), {
      email: 'Ann+news@acme.test',
      verdict: 'ok',
      reasons: [],
      checks: {
        syntax: { subaddress: 'news' },
        mx: { records: [{ preference: 10, exchange: 'mx.acme.test', addresses: ['192.0.2.1'] }] },
      },
      meta: { dnsQueries: 3 },
    })
    expect(shop.dns.queries).toEqual(['MX acme.test', 'A mx.acme.test', 'AAAA mx.acme.test'])
    expect([shop.paymentOutcomes, shop.faults]).toEqual([['sold'], []])
  })

  test('about a domain that does not exist: that is an answer, too', async () => {
    const shop = await openPaidService('in-process')
    await expectReport(shop, at('ann@nowhere.test'), await shop.sign({}, ANN), {
      verdict: 'undeliverable',
      reasons: ['domain_not_found'],
    })
  })

  test('about an IP address, without a question to the DNS', async () => {
    const shop = await openPaidService('in-process')
    await expectReport(shop, at('ann@[IPv6:2001:db8::1]'), await shop.sign({}, ANN), {
      domain: '[IPv6:2001:db8::1]',
      verdict: 'risky',
      reasons: ['domain_literal'],
      meta: { dnsQueries: 0, resolvers: [] },
    })
    expect(shop.dns.queries).toEqual([])
  })

  test('once: the same payment gets the same report again, and no other', async () => {
    const shop = await openPaidService('in-process')
    const payment = await shop.sign({}, ANN)
    const first = await shop.send(ANN, payment)
    expect((await shop.send(ANN, payment)).text).toBe(first.text)
    expectPaymentRequired(await shop.send(at('bob@acme.test'), payment), 'payment_already_used')
    expect(await shop.revenue()).toBe(SCORE_PRICE_UNITS)
  })

  test('white space around the address is not part of it', async () => {
    const shop = await openPaidService('in-process')
    await expectReport(shop, at('%20ann@acme.test%0A'), await shop.sign({}, ANN), {
      email: 'ann@acme.test',
      verdict: 'ok',
    })
  })
})

describe('a price', () => {
  test.each([ANN, PATH])('%s', async (path) => {
    const shop = await openPaidService('remote')
    const answer = await shop.send(path)
    expectPaymentRequired(answer, 'payment_required')
    expect(answer.paymentRequired?.resource.url).toBe('https://mailgrade.example/v1/email-check')
    expect(answer.headers.get('payment-required')?.length).toBeLessThan(4_096)
    expect(shop.dns.queries).toEqual([])
  })
})

describe('not an address: 400, paid or not', () => {
  test.each([
    ['nothing', ''],
    ['no @', 'acme.test'],
    ['a name beside it', 'Ann%20%3Cann@acme.test%3E'],
    ['two of them', 'ann@acme.test,bob@acme.test'],
    ['a space', 'ann%20lee@acme.test'],
    ['an invisible character', 'ann%E2%80%8B@acme.test'],
    ['a single label', 'ann@intranet'],
    ['a bare IP address', 'ann@192.0.2.1'],
    ['too long', `${'a'.repeat(65)}@acme.test`],
    ['too long as given', `ann@acme.test${'%20'.repeat(320)}`],
    ['given twice', 'ann@acme.test&email=ann@acme.test'],
  ])('%s', async (_, email) => {
    const shop = await openPaidService('in-process')
    const payment = await shop.sign({}, ANN)
    for (const header of [undefined, payment]) {
      const { status, body, paymentRequired, settlement } = await shop.send(at(email), header)
      expect([status, body.code, body.parameter]).toEqual([400, 'invalid_input', 'email'])
      expect(body.detail).toMatch(/^[A-Z0-9a-z].{20,}\.$/)
      expect([paymentRequired, settlement]).toEqual([null, null])
    }
    expect([shop.dns.queries, shop.chain.methods, shop.paymentOutcomes]).toEqual([[], [], []])
    await expectNotCharged(shop)
    await expectReport(shop, ANN, payment, { verdict: 'ok' })
  })

  test('paid, and no address at all', async () => {
    const shop = await openPaidService('in-process')
    const { status, body } = await shop.send(PATH, await shop.sign({}, ANN))
    expect([status, body.detail]).toEqual([
      400,
      'The parameter email is missing; give an address such as ann@example.com.',
    ])
    await expectNotCharged(shop)
  })
})

test.each<[number, string, FailureReason]>([
  [502, 'dns_unavailable', 'servfail'],
  [504, 'dns_timeout', 'timeout'],
])(
  'a DNS that fails: %i %s, and the payment is as good as before',
  async (status, code, reason) => {
    const failing: Record<string, FailureReason> = { 'A mx.acme.test': reason }
    const shop = await openPaidService('in-process', { failing })
    const payment = await shop.sign({}, ANN)
    const answer = await shop.send(ANN, payment)
    expect([answer.status, answer.body.code, answer.settlement]).toEqual([status, code, null])
    await expectNotCharged(shop)
    delete failing['A mx.acme.test']
    await expectReport(shop, ANN, payment, { verdict: 'ok' })
  },
)

describe('the logs of a service', () => {
  const wallet = new x402Client().register(
    'eip155:84532',
    new ExactEvmScheme(privateKeyToAccount(DEMO_PAYER_WALLET.privateKey)),
  )
  const buy = wrapFetchWithPayment(fetch, wallet)

  test.each(['info', 'trace'])('at level %s have no address in them', async (level) => {
    const service = await startServiceProcess({
      LOG_LEVEL: level,
      DOH_URLS: 'http://127.0.0.1:9/dns',
    })
    onTestFinished(() => void service.process.kill('SIGKILL'))
    const statuses: number[] = []
    for (const domain of ['monitoring.test', 'nowhere.test', 'acme.example', 'acme_.example']) {
      statuses.push((await buy(service.url + at(`Quentin+Zebra@${domain}`))).status)
    }
    expect(statuses).toEqual([200, 200, 502, 400])
    service.process.kill('SIGTERM')
    await service.exitCode()

    const { stdout, stderr } = service.output
    const sales = stdout.split('\n').filter((line) => line.includes('"msg":"payment"'))
    expect(sales.map((line) => JSON.parse(line).outcome)).toEqual([
      'sold',
      'sold',
      'dns_unavailable',
    ])
    expect(stdout + stderr).not.toMatch(/Quentin|Zebra|@[a-z]+\.(test|example)/i)
    if (level === 'info') expect(stdout).not.toMatch(/monitoring\.test|nowhere\.test|acme/)
  })
})
