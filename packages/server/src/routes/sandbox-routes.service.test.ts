import { PATHS } from '@mailgrade/operations/service-paths'
import { Hono } from 'hono'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ChainServer, startChainServer } from '../../test/support/chain-server.js'
import type { HttpEnv } from '../http/respond.js'
import { addSandboxRoutes } from './sandbox-routes.js'

const WALLET = '0x857b06519E91e3A54538791bDbb0E22373e36b66'
const REJECTED = {
  jsonrpc: '2.0',
  id: null,
  error: {
    code: -32601,
    message: 'You can only call public node methods here, at most 10 at once.',
  },
}

let server: ChainServer
beforeAll(async () => {
  server = await startChainServer({ chainId: 84532 })
})
afterAll(() => server.close())

const JSON_HEADERS = { host: 'localhost:8080', 'content-type': 'application/json' }

async function send(path: string, text: string, headers: Record<string, string> = JSON_HEADERS) {
  const reached: string[] = []
  const handle = (text: string) => {
    reached.push(text)
    return server.chain.handleJsonRpc(text)
  }
  const app = new Hono<HttpEnv>()
  const handlers = { handleChainRpc: handle, handleWalletRpc: handle }
  addSandboxRoutes(app, handlers, { baseUrl: 'http://localhost:8080' })
  const response = await app.request(path, { method: 'POST', headers, body: text })
  return { response, reached }
}

/** The response, and the requests that reached the chain. */
async function post(body: unknown) {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const { response, reached } = await send(PATHS.sandboxChain, text)
  expect(response.headers.get('content-type')).toBe('application/json')
  return { status: response.status, answer: await response.json(), reached }
}

const call = (method: unknown, params: unknown[] = []) => ({
  jsonrpc: '2.0',
  id: 7,
  method,
  params,
})

describe('methods of a public node', () => {
  test('are passed to the chain', async () => {
    expect(await post(call('eth_chainId'))).toMatchObject({
      status: 200,
      answer: { jsonrpc: '2.0', id: 7, result: '0x14a34' },
    })
    expect((await post(call('net_version'))).answer).toMatchObject({ result: '84532' })
    expect((await post(call('eth_getBalance', [WALLET, 'latest']))).answer).toMatchObject({
      result: '0x0',
    })
  })

  test('rejects a batch of more than 10', async () => {
    const batch = (size: number) => Array.from({ length: size }, () => call('eth_chainId'))
    expect((await post(batch(10))).answer).toHaveLength(10)
    expect(await post(batch(11))).toEqual({ status: 200, answer: REJECTED, reached: [] })
  })

  test('answers a batch', async () => {
    const { answer } = await post([call('eth_chainId'), call('net_version')])
    expect(answer).toMatchObject([{ result: '0x14a34' }, { result: '84532' }])
  })

  test('passes on signed transactions', async () => {
    const { answer, reached } = await post(call('eth_sendRawTransaction', ['0x00']))
    expect(reached).toHaveLength(1)
    expect(answer).toMatchObject({ id: 7, error: { code: expect.any(Number) } })
  })

  test('answers text that is not JSON with a parse error', async () => {
    expect((await post('{')).reached).toEqual([])
    expect((await post('{')).answer).toMatchObject({ error: { code: -32700 } })
    expect((await post('')).answer).toMatchObject({ error: { code: -32700 } })
  })
})

describe('methods that control the chain', () => {
  const setBalance = call('hardhat_setBalance', [WALLET, '0xde0b6b3a7640000'])
  test.each([
    setBalance,
    call('evm_mine'),
    call('evm_setAutomine', [false]),
    call('evm_increaseTime', [1]),
    call('hardhat_setCode', [WALLET, '0x00']),
    call('hardhat_impersonateAccount', [WALLET]),
    call('hardhat_reset'),
    call('anvil_setBalance', [WALLET, '0x1']),
    call('debug_traceTransaction', ['0x0']),
    call('debug_traceCall', [{}]),
    call('eth_simulateV1', [{}]),
    call('eth_createAccessList', [{}]),
    call('eth_sendTransaction', [{ from: WALLET, to: WALLET }]),
    call('eth_sign', [WALLET, '0x00']),
    call('eth_signTransaction', [{}]),
    call('eth_signTypedData_v4', [WALLET, {}]),
    call('personal_sign', ['0x00', WALLET]),
    call('Evm_mine'),
    call(' eth_chainId'),
    call(undefined),
    call(null),
  ])('rejects $method, alone and in a batch', async (request) => {
    expect(await post(request)).toEqual({ status: 200, answer: REJECTED, reached: [] })
    const batch = [call('eth_chainId'), request]
    expect(await post(batch)).toEqual({ status: 200, answer: REJECTED, reached: [] })
  })

  test.each([
    ['a batch within a batch', [[call('evm_mine')]]],
    ['a batch of non-objects', [null, 3, 'evm_mine']],
    ['a string', 'evm_mine'],
  ])('rejects %s', async (_, body) => {
    expect((await post(JSON.stringify(body))).reached).toEqual([])
  })

  test('rejects a control method given as a second method of one request', async () => {
    const before = await server.chain.request({ method: 'eth_blockNumber' })
    await post('{"jsonrpc":"2.0","id":1,"method":"evm_mine","method":"eth_chainId","params":[]}')
    await post('{"jsonrpc":"2.0","id":1,"method":"eth_chainId","method":"evm_mine","params":[]}')
    await post(call(['eth_chainId', 'evm_mine']))
    expect(await server.chain.request({ method: 'eth_blockNumber' })).toBe(before)
  })
})

describe.each([PATHS.sandboxChain, PATHS.sandboxWallet])('%s', (path) => {
  const text = JSON.stringify(call('eth_chainId'))

  test.each([
    ['a page of another site', 403, { origin: 'https://evil.test' }],
    ['a page that hides its site', 403, { origin: 'null' }],
    ['a name that points at this machine', 403, { host: 'evil.test:8080' }],
    ['a form', 415, { 'content-type': 'text/plain' }],
    ['an upload', 415, { 'content-type': 'multipart/form-data' }],
  ])('rejects %s', async (_, status, headers) => {
    const { response, reached } = await send(path, text, { ...JSON_HEADERS, ...headers })
    const error = { code: -32_000, message: expect.any(String) }
    expect([response.status, await response.json(), reached]).toEqual([
      status,
      { jsonrpc: '2.0', id: null, error },
      [],
    ])
  })

  test('answers its own page', async () => {
    const own = { ...JSON_HEADERS, origin: 'http://localhost:8080' }
    const { response } = await send(path, text, own)
    expect([response.status, await response.json()]).toEqual([
      200,
      { jsonrpc: '2.0', id: 7, result: '0x14a34' },
    ])
  })
})
