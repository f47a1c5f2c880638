/** `npm run pay` in the sandbox and with a real wallet. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { startDohServer } from '@mailgrade/testing/doh-server'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { FACILITATOR_WALLET, SANDBOX_PAYEE } from '../../src/sandbox/chain/sandbox-wallets.js'
import { startChainServer } from '../support/chain-server.js'
import { type ServiceProcess, startServiceProcess } from '../support/service-process.js'

const SCORE = '/v1/score?domain=monitoring.test'
const PAYEE = '0x209693Bc6afc0C5328bA36FaF03C514EF312287C'

async function start(env: Record<string, string> = {}) {
  const service = await startServiceProcess(env)
  onTestFinished(() => void service.process.kill('SIGKILL'))
  return service
}

async function pay(wanted: string, env: Record<string, string>, typed = '') {
  const { PATH = '' } = process.env
  const child = spawn(process.execPath, ['packages/server/scripts/pay.mjs', wanted], {
    env: { PATH, ...env },
  })
  child.stdin.end(typed)
  const [out, err, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ])
  return { out, err, code }
}

describe('in the sandbox', () => {
  let service: ServiceProcess
  beforeAll(async () => {
    service = await startServiceProcess()
  })
  afterAll(() => void service.process.kill('SIGKILL'))

  /** What the payee has, in US cents, if a payment is made now. */
  async function payeeAfterPayment(): Promise<number> {
    const { out } = await pay(SCORE, { MAILGRADE_URL: service.url })
    return Math.round(Number(/The payee now has (\S+) USDC/.exec(out)?.[1]) * 100)
  }

  test('prints the report, the receipt and the balance after the demo wallet paid', async () => {
    const { url } = service
    const first = await pay(SCORE, { MAILGRADE_URL: url })
    expect(first).toMatchObject({ code: 0, err: '' })
    const [, report = '', receipt = ''] = first.out.split(/^(?:Report|Receipt)$/m)
    expect(JSON.parse(report)).toMatchObject({ domain: 'monitoring.test', score: 66, grade: 'D' })
    expect(JSON.parse(receipt.replace(/The payee[\s\S]*/, ''))).toEqual({
      success: true,
      transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      network: 'eip155:84532',
      payer: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
    })
    expect(first.out).toContain('The payee now has 0.01 USDC.')
    const second = await pay(SCORE, { MAILGRADE_URL: url })
    expect(second.out).toContain('The payee now has 0.02 USDC.')
  })

  test('ends without an error when its output is cut off, as with head', async () => {
    const { url } = service
    const { PATH = '' } = process.env
    const child = spawn(process.execPath, ['packages/server/scripts/pay.mjs', SCORE], {
      env: { PATH, MAILGRADE_URL: url },
    })
    child.stdout.destroy()
    const [err, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
    expect([code, err]).toEqual([0, ''])
  })

  test('pays nothing for a free report or a failed one', async () => {
    const env = { MAILGRADE_URL: service.url }
    expect(await pay('/v1/mx?domain=good.test', env)).toMatchObject({
      code: 1,
      err: 'No payment needed: the service returned 200.\n',
    })
    expect(await pay('/v1/score?domain=nowhere.test', env)).toMatchObject({
      code: 1,
      err: 'No report: the service returned 404. You weren’t charged.\n',
    })
  })

  test('signs nothing for a wrong path or a wrong parameter', async () => {
    const { url } = service
    const before = await payeeAfterPayment()
    const known = 'Known parameters: domain, selector, exact. Nothing was signed.\n'
    const errors = {
      '/v1/scores?domain=good.test':
        /^The service returned 404\. .*\/openapi\.json.* Nothing was signed\.\n$/,
      '/v1/score?domain=localhost': /^The service returned 400\. .* Nothing was signed\.\n$/,
      '/v1/score': `Missing parameter: domain. ${known}`,
      '/v1/score?domian=good.test': `Unknown parameter: domian. Missing parameter: domain. ${known}`,
      '/v1/score?domain=good.test&selectors=s1': `Unknown parameter: selectors. ${known}`,
    }
    for (const [path, err] of Object.entries(errors)) {
      const expected = typeof err === 'string' ? err : expect.stringMatching(err)
      expect([path, await pay(path, { MAILGRADE_URL: url })]).toMatchObject([
        path,
        { code: 1, err: expected },
      ])
    }
    expect(await payeeAfterPayment()).toBe(before + 1)
  })

  test.each(['| head -1', '2>&1 | head -1'])(
    'ends without an error when its reader closes the pipe: %s',
    async (pipe) => {
      const { url } = service
      const { PATH = '' } = process.env
      const script = `${process.execPath} packages/server/scripts/pay.mjs '${SCORE}' ${pipe}`
      const { stdout, stderr } = await promisify(execFile)(
        'bash',
        ['--norc', '-o', 'pipefail', '-c', script],
        {
          env: { PATH, MAILGRADE_URL: url },
        },
      )
      expect([stdout, stderr]).toEqual(['\n', ''])
    },
  )

  test('does not retry after a DNS failure', async () => {
    const { url } = await start({ DOH_URLS: 'http://127.0.0.1:9/dns-query' })
    expect(await pay('/v1/score?domain=acme.example', { MAILGRADE_URL: url })).toMatchObject({
      code: 1,
      err: 'No report: the service returned 502. You weren’t charged.\n',
    })
  })
})

test('says how to start the service if it does not respond', async () => {
  expect(await pay(SCORE, { MAILGRADE_URL: 'http://127.0.0.1:9' })).toMatchObject({
    code: 1,
    err: expect.stringContaining('Start it with npm start'),
  })
})

test('shows what a service sends without its control of the terminal', async () => {
  const body = { detail: 'Clear\u009b2J \u202eit.', title: '\u007f\u200b' }
  const server = createServer((_, response) => response.writeHead(400).end(JSON.stringify(body)))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const { out, err } = await pay('/v1/score', { MAILGRADE_URL: `http://127.0.0.1:${port}` })
  expect(out).not.toMatch(/[\u007f\u009b\u202e\u200b]/)
  expect(JSON.parse(out.replace('Response', ''))).toEqual(body)
  expect(err).toBe('The service returned 400. Clear⟨U+009B⟩2J ⟨U+202E⟩it. Nothing was signed.\n')
})

describe('with an unreliable service', () => {
  const NETWORK = 'eip155:84532'
  const TOKEN = '0x036CbD53842c5426634e7929541eC2318f3dCF7e'

  /** A service with a new price for each request and these statuses for payments. */
  async function startUnreliableService(statuses: number[]) {
    const payments: string[] = []
    let requests = 0
    const server = createServer((request, response) => {
      const payment = request.headers['payment-signature']
      if (payment === undefined) return send(response, 402, paymentRequired(++requests))
      payments.push(String(payment))
      return send(response, statuses.shift() ?? 502, {})
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    return { url: `http://127.0.0.1:${port}`, payments }
  }

  const paymentRequired = (count: number) => ({
    x402Version: 2,
    resource: { url: 'http://seller.test/v1/score' },
    accepts: [
      {
        scheme: 'exact',
        network: NETWORK,
        amount: String(10_000 * count),
        asset: TOKEN,
        payTo: SANDBOX_PAYEE,
        maxTimeoutSeconds: 120,
        extra: { name: 'USDC', version: '2' },
      },
    ],
  })

  function send(response: ServerResponse, status: number, body: object): void {
    const text = JSON.stringify(body)
    const required = Buffer.from(text).toString('base64')
    response.writeHead(status, { 'retry-after': '0', 'payment-required': required }).end(text)
  }

  test('signs the first offer and repeats the same payment while the outcome is unknown', async () => {
    const { url, payments } = await startUnreliableService([502, 409])
    const { err, code } = await pay('/v1/score', { MAILGRADE_URL: url })
    expect(code).toBe(1)
    expect(payments).toHaveLength(5)
    expect(new Set(payments).size).toBe(1)
    const { payload } = JSON.parse(Buffer.from(payments[0] ?? '', 'base64').toString())
    expect(payload.authorization).toMatchObject({ value: '10000', to: SANDBOX_PAYEE })
    expect(err).toContain(
      'You may have been charged. Don’t sign a new payment. Send the same one again',
    )
    expect(err).toContain(payments[0])
  })

  test('does not retry after a rejection', async () => {
    const { url, payments } = await startUnreliableService([404])
    expect(await pay('/v1/score', { MAILGRADE_URL: url })).toMatchObject({
      code: 1,
      err: 'No report: the service returned 404. You weren’t charged.\n',
    })
    expect(payments).toHaveLength(1)
  })
})

describe('with real money', () => {
  async function open() {
    const chain = await startChainServer({ chainId: 8453 })
    const resolver = await startDohServer('acme.example. MX 0 .', 'http/1.1')
    onTestFinished(async () => {
      await resolver.close()
      await chain.close()
    })
    const { url } = await start({
      PAY_TO_ADDRESS: PAYEE,
      RPC_URL: chain.url,
      FACILITATOR_PRIVATE_KEY: FACILITATOR_WALLET.privateKey,
      DOH_URLS: resolver.url.href,
    })
    const key = generatePrivateKey()
    await chain.fund(privateKeyToAccount(key).address, 15_000n)
    const env = { MAILGRADE_URL: url, PAYER_PRIVATE_KEY: key, RPC_URL: chain.url }
    return { chain, url, env, wanted: `${url}/v1/score?domain=acme.example` }
  }

  test('pays only after a yes', async () => {
    const { chain, env, wanted } = await open()
    const canceled = await pay(wanted, env, 'no\n')
    expect(canceled).toMatchObject({ code: 1, out: '' })
    expect(canceled.err).toContain(
      `Pay 0.01 USDC on eip155:8453 to ${PAYEE} for ${wanted}? Type yes: Canceled. You weren’t charged.`,
    )
    expect(await chain.balanceOf(PAYEE)).toBe(0n)

    const confirmed = await pay(wanted, env, 'yes\n')
    expect(confirmed.code).toBe(0)
    expect(confirmed.out).toContain('The payee now has 0.01 USDC.')
    expect(await chain.balanceOf(PAYEE)).toBe(10_000n)
  })

  test('asks for a missing key', async () => {
    const { url, wanted } = await open()
    expect(await pay(wanted, { MAILGRADE_URL: url })).toMatchObject({
      code: 1,
      err: expect.stringContaining('Set PAYER_PRIVATE_KEY'),
    })
  })

  test('does not pay without input', async () => {
    const { env, wanted } = await open()
    expect(await pay(wanted, env)).toMatchObject({
      code: 1,
      err: expect.stringContaining('You weren’t charged.'),
    })
  })

  test('has no sandbox endpoints', async () => {
    const { url } = await open()
    const response = await fetch(`${url}/sandbox/chain`, { method: 'POST', body: '{}' })
    expect(response.status).toBe(404)
  })
})
