import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { listenOnLoopback } from '@mailgrade/testing/listen-on-loopback'
import { decodeProtectedHeader } from 'jose'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { type ChainServer, startChainServer } from '../../test/support/chain-server.js'
import {
  signTestPayment,
  TEST_CALLER,
  TEST_ETH_USD,
  TEST_VERIFY_CONTEXT,
  testOffer,
  testTerms,
} from '../../test/support/payment-fixtures.js'
import { FACILITATOR_WALLET } from '../sandbox/chain/sandbox-wallets.js'
import { openPaymentBackend } from './payment-backend.js'

const NETWORK = 'eip155:84532'
const DEAD_URL = 'http://127.0.0.1:9'
const UNUSED = { kind: 'unused', hasReverted: false, isPending: false }
const terms = testTerms(NETWORK)

let chain: ChainServer
beforeAll(async () => {
  chain = await startChainServer({ chainId: 84532 })
})
afterAll(() => chain.close())

/** A facilitator that records which key signed its requests. */
async function startFacilitator() {
  const keys: (string | undefined)[] = []
  const server = http.createServer(({ headers: { authorization } }, response) => {
    keys.push(authorization && decodeProtectedHeader(authorization.slice('Bearer '.length)).kid)
    response.end(JSON.stringify({ kinds: [{ x402Version: 2, scheme: 'exact', network: NETWORK }] }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, keys }
}

test('a remote facilitator reads authorization states from the chain', async () => {
  const { url, keys } = await startFacilitator()
  const facilitator = { kind: 'remote', url, coinbaseKey: null } as const
  const backend = await openPaymentBackend({ terms, facilitator, rpcUrls: [chain.url] })
  expect(backend.terms).toEqual(terms)
  expect(backend.facilitator.recordsTransactions).toBe(false)
  const payment = await signTestPayment(await chain.newWallet(), NETWORK)
  expect(await backend.readAuthorizationState(payment, [])).toEqual(UNUSED)
  expect(await backend.facilitator.healthProblem()).toBeNull()
  expect(keys).toEqual([undefined])
})

test('a remote facilitator that is down does not keep the chain from being read', async () => {
  const facilitator = { kind: 'remote', url: DEAD_URL, coinbaseKey: null } as const
  const backend = await openPaymentBackend({ terms, facilitator, rpcUrls: [chain.url] })
  const payment = await signTestPayment(await chain.newWallet(), NETWORK)
  expect(await backend.readAuthorizationState(payment, [])).toEqual(UNUSED)
  expect(await backend.facilitator.healthProblem()).toBe('the facilitator does not answer')
})

test('signs facilitator requests with the Coinbase key', async () => {
  const { url, keys } = await startFacilitator()
  const secret = Buffer.alloc(64, 7).toString('base64')
  const facilitator = { kind: 'remote', url, coinbaseKey: { id: 'key-1', secret } } as const
  const backend = await openPaymentBackend({ terms, facilitator, rpcUrls: [chain.url] })
  expect(await backend.facilitator.healthProblem()).toBeNull()
  expect(keys).toEqual(['key-1'])
})

test.each([
  ['one RPC endpoint', () => [chain.url] as const],
  ['a second RPC endpoint if the first is down', () => [DEAD_URL, chain.url] as const],
])('the in-process facilitator needs only %s', async (_, urls) => {
  const { privateKey } = FACILITATOR_WALLET
  const facilitator = { kind: 'in-process', privateKey, ethUsd: TEST_ETH_USD } as const
  const backend = await openPaymentBackend({ terms, facilitator, rpcUrls: urls() })
  expect(backend.facilitator.recordsTransactions).toBe(true)
  expect(await backend.facilitator.healthProblem()).toBeNull()
  const payment = await signTestPayment(await chain.newWallet(), NETWORK)
  expect(await backend.readAuthorizationState(payment, [])).toEqual(UNUSED)
  const purchase = { offer: testOffer(NETWORK), caller: TEST_CALLER }
  expect(await backend.facilitator.verify(payment, purchase, TEST_VERIFY_CONTEXT)).toMatchObject({
    kind: 'valid',
  })
  const recorded: string[] = []
  const record = async (hash: string) => void recorded.push(hash)
  const claim = await backend.facilitator.settle(payment, purchase, record)
  expect(claim).toMatchObject({ kind: 'sent', isClaimedPaid: true, transaction: recorded[0] })
  expect(await backend.readAuthorizationState(payment, [])).toEqual({
    kind: 'paid',
    transaction: recorded[0],
  })
})

/** Accepts connections and says nothing; only calls of it time out. */
async function startSilentNode() {
  const methods: string[] = []
  const server = http.createServer(async (request) => {
    methods.push(((await json(request)) as { method: string }).method)
  })
  const url = `http://127.0.0.1:${await listenOnLoopback(server)}`
  const { fetch } = globalThis
  const spy = vi.spyOn(globalThis, 'fetch').mockImplementation((input, init) => {
    const signal = String(input).startsWith(url) ? { signal: AbortSignal.timeout(50) } : {}
    return fetch(input, { ...init, ...signal })
  })
  onTestFinished(() => {
    spy.mockRestore()
    server.close()
    server.closeAllConnections()
  })
  return { url, methods }
}

test('a sale waits for a silent node once to verify, and once to look it up', async () => {
  const silent = await startSilentNode()
  const { privateKey } = FACILITATOR_WALLET
  const facilitator = { kind: 'in-process', privateKey, ethUsd: TEST_ETH_USD } as const
  const rpcUrls = [silent.url, chain.url] as const
  const backend = await openPaymentBackend({ terms, facilitator, rpcUrls })
  const payment = await signTestPayment(await chain.newWallet(), NETWORK)
  const purchase = { offer: testOffer(NETWORK), caller: TEST_CALLER }
  expect(await backend.facilitator.verify(payment, purchase, TEST_VERIFY_CONTEXT)).toMatchObject({
    kind: 'valid',
  })
  // Both at once, so it is one wait of ten seconds.
  expect(silent.methods.sort()).toEqual(['eth_call', 'eth_getCode'])
  const claim = await backend.facilitator.settle(payment, purchase, async () => {})
  expect(claim).toMatchObject({ kind: 'sent', isClaimedPaid: true })
  expect(await backend.readAuthorizationState(payment, [])).toMatchObject({ kind: 'paid' })
  expect(silent.methods).toEqual(['eth_call', 'eth_getCode', 'eth_chainId'])
})

test.each([
  { kind: 'remote', url: DEAD_URL, coinbaseKey: null },
  { kind: 'in-process', privateKey: FACILITATOR_WALLET.privateKey, ethUsd: TEST_ETH_USD },
] as const)('the time is that of the latest block, not ours ($kind)', async (facilitator) => {
  const ahead = await startChainServer({ chainId: 84532 })
  onTestFinished(() => ahead.close())
  await ahead.advanceTime(26 * 3_600)
  const { readChainTime } = await openPaymentBackend({
    terms,
    facilitator,
    rpcUrls: [ahead.url],
  })
  const params = ['latest', false]
  const block = await ahead.chain.request({ method: 'eth_getBlockByNumber', params })
  expect(await readChainTime()).toBe(Number((block as { timestamp: string }).timestamp))
})
