import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { decodeProtectedHeader } from 'jose'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type ChainServer, startChainServer } from '../../test/support/chain-server.js'
import { signTestPayment, testTerms } from '../../test/support/payment-fixtures.js'
import { FACILITATOR_WALLET } from '../sandbox/chain/sandbox-wallets.js'
import { openPaymentBackend } from './payment-backend.js'

const NETWORK = 'eip155:84532'
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

test('a remote facilitator without an RPC URL cannot read authorization states', async () => {
  const { url, keys } = await startFacilitator()
  const facilitator = { kind: 'remote', url, coinbaseKey: null } as const
  const backend = await openPaymentBackend({ terms, facilitator, rpcUrl: null })
  expect([backend.terms, backend.readAuthorizationState]).toEqual([terms, null])
  expect(await backend.facilitator.healthProblem()).toBeNull()
  expect(keys).toEqual([undefined])
})

test('a remote facilitator with an RPC URL reads authorization states from the chain', async () => {
  const facilitator = { kind: 'remote', url: 'http://127.0.0.1:9', coinbaseKey: null } as const
  const backend = await openPaymentBackend({ terms, facilitator, rpcUrl: chain.url })
  const payment = await signTestPayment(await chain.newWallet(), NETWORK)
  expect(await backend.readAuthorizationState?.(payment)).toEqual({ kind: 'unused' })
  expect(await backend.facilitator.healthProblem()).toBe('the facilitator does not answer')
})

test('signs facilitator requests with the Coinbase key', async () => {
  const { url, keys } = await startFacilitator()
  const secret = Buffer.alloc(64, 7).toString('base64')
  const facilitator = { kind: 'remote', url, coinbaseKey: { id: 'key-1', secret } } as const
  const backend = await openPaymentBackend({ terms, facilitator, rpcUrl: null })
  expect(await backend.facilitator.healthProblem()).toBeNull()
  expect(keys).toEqual(['key-1'])
})

test('the in-process facilitator needs only the chain', async () => {
  const { privateKey } = FACILITATOR_WALLET
  const facilitator = { kind: 'in-process', rpcUrl: chain.url, privateKey } as const
  const backend = await openPaymentBackend({ terms, facilitator, rpcUrl: chain.url })
  expect(await backend.facilitator.healthProblem()).toBeNull()
  const payment = await signTestPayment(await chain.newWallet(), NETWORK)
  expect(await backend.readAuthorizationState?.(payment)).toEqual({ kind: 'unused' })
})
