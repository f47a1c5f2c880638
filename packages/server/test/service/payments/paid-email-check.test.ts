/** The email check: when it is charged, when not, and what stays out of the logs. */

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

async function expectReport(
  paidService: PaidService,
  path: string,
  payment: string,
  report: object,
) {
  const { status, body, settlement } = await paidService.send(path, payment)
  expect([status, body]).toMatchObject([200, report])
  expect(settlement).toMatchObject({ success: true, payer: paidService.payer.address })
  expect(await paidService.settlements()).toEqual([settlement?.transaction])
  expect(await paidService.revenue()).toBe(SCORE_PRICE_UNITS)
}

describe('delivered', () => {
  test.each(['in-process', 'remote'] as const)('with the facilitator %s', async (kind) => {
    const paidService = await openPaidService(kind)
    await expectReport(paidService, ANN, await paidService.sign({}, ANN), {
      email: 'Ann+news@acme.test',
      verdict: 'ok',
      reasons: [],
      checks: {
        syntax: { subaddress: 'news' },
        mx: { records: [{ preference: 10, exchange: 'mx.acme.test', addresses: ['192.0.2.1'] }] },
      },
      meta: { dnsQueries: 4 },
    })
    expect(paidService.dns.queries).toEqual([
      'MX acme.test',
      'A mx.acme.test',
      'AAAA mx.acme.test',
      'NS acme.test',
    ])
    expect([paidService.paymentOutcomes, paidService.faults]).toEqual([['delivered'], []])
  })

  test('for a domain that does not exist, which is a valid result', async () => {
    const paidService = await openPaidService('in-process')
    await expectReport(paidService, at('ann@nowhere.test'), await paidService.sign({}, ANN), {
      verdict: 'undeliverable',
      reasons: ['domain_not_found'],
    })
  })

  test('for an IP address, without a DNS query', async () => {
    const paidService = await openPaidService('in-process')
    await expectReport(paidService, at('ann@[IPv6:2001:db8::1]'), await paidService.sign({}, ANN), {
      domain: '[IPv6:2001:db8::1]',
      verdict: 'undeliverable',
      reasons: ['documentation_address', 'domain_literal'],
      meta: { dnsQueries: 0, resolvers: [] },
    })
    expect(paidService.dns.queries).toEqual([])
  })

  test('again for the same payment, but no other report', async () => {
    const paidService = await openPaidService('in-process')
    const payment = await paidService.sign({}, ANN)
    const first = await paidService.send(ANN, payment)
    expect((await paidService.send(ANN, payment)).text).toBe(first.text)
    expectPaymentRequired(
      await paidService.send(at('bob@acme.test'), payment),
      'payment_already_used',
    )
    expect(await paidService.revenue()).toBe(SCORE_PRICE_UNITS)
  })

  test('ignores white space around the address', async () => {
    const paidService = await openPaidService('in-process')
    await expectReport(paidService, at('%20ann@acme.test%0A'), await paidService.sign({}, ANN), {
      email: 'ann@acme.test',
      verdict: 'ok',
    })
  })
})

describe('without a payment, returns the price for', () => {
  test.each([ANN, PATH])('%s', async (path) => {
    const paidService = await openPaidService('remote')
    const response = await paidService.send(path)
    expectPaymentRequired(response, 'payment_required')
    expect(response.paymentRequired?.resource.url).toBe('https://mailgrade.example/v1/email-check')
    expect(response.headers.get('payment-required')?.length).toBeLessThan(4_096)
    expect(paidService.dns.queries).toEqual([])
  })
})

describe('returns 400, with or without a payment, for', () => {
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
    const paidService = await openPaidService('in-process')
    const payment = await paidService.sign({}, ANN)
    for (const header of [undefined, payment]) {
      const { status, body, paymentRequired, settlement } = await paidService.send(
        at(email),
        header,
      )
      expect([status, body.code, body.parameter]).toEqual([400, 'invalid_input', 'email'])
      expect(body.detail).toMatch(/^[A-Z0-9a-z].{20,}\.$/)
      expect([paymentRequired, settlement]).toEqual([null, null])
    }
    expect([
      paidService.dns.queries,
      paidService.chain.methods,
      paidService.paymentOutcomes,
    ]).toEqual([[], [], []])
    await expectNotCharged(paidService)
    await expectReport(paidService, ANN, payment, { verdict: 'ok' })
  })

  test('a payment without an address', async () => {
    const paidService = await openPaidService('in-process')
    const { status, body } = await paidService.send(PATH, await paidService.sign({}, ANN))
    expect([status, body.detail]).toEqual([
      400,
      'The parameter email is missing. Send an email address such as ann@example.com, not a domain.',
    ])
    await expectNotCharged(paidService)
  })
})

test.each<[number, string, FailureReason]>([
  [502, 'dns_unavailable', 'servfail'],
  [504, 'dns_timeout', 'timeout'],
])('a DNS failure returns %i %s, and the payment stays usable', async (status, code, reason) => {
  const failing: Record<string, FailureReason> = { 'A mx.acme.test': reason }
  const paidService = await openPaidService('in-process', { failing })
  const payment = await paidService.sign({}, ANN)
  const response = await paidService.send(ANN, payment)
  expect([response.status, response.body.code, response.settlement]).toEqual([status, code, null])
  await expectNotCharged(paidService)
  delete failing['A mx.acme.test']
  await expectReport(paidService, ANN, payment, { verdict: 'ok' })
})

describe('the logs of a service', () => {
  const wallet = new x402Client().register(
    'eip155:84532',
    new ExactEvmScheme(privateKeyToAccount(DEMO_PAYER_WALLET.privateKey)),
  )
  const pay = wrapFetchWithPayment(fetch, wallet)

  test.each(['info', 'trace'])('at level %s contain no address', async (level) => {
    const service = await startServiceProcess({
      LOG_LEVEL: level,
      DOH_URLS: 'http://127.0.0.1:9/dns',
    })
    onTestFinished(() => void service.process.kill('SIGKILL'))
    const statuses: number[] = []
    for (const domain of ['monitoring.test', 'nowhere.test', 'acme.example', 'acme_.example']) {
      statuses.push((await pay(service.url + at(`Quentin+Zebra@${domain}`))).status)
    }
    expect(statuses).toEqual([200, 200, 502, 400])
    service.process.kill('SIGTERM')
    await service.exitCode()

    const { stdout, stderr } = service.output
    const payments = stdout.split('\n').filter((line) => line.includes('"msg":"payment"'))
    expect(payments.map((line) => JSON.parse(line).outcome)).toEqual([
      'delivered',
      'delivered',
      'dns_unavailable',
    ])
    expect(stdout + stderr).not.toMatch(/Quentin|Zebra|@[a-z]+\.(test|example)/i)
    if (level === 'info') expect(stdout).not.toMatch(/monitoring\.test|nowhere\.test|acme/)
  })
})
