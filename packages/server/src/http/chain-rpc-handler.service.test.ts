import { Hono } from 'hono'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ChainServer, startChainServer } from '../../test/support/chain-server.js'
import { addPostRoute } from './add-route.js'
import { createChainRpcHandler } from './chain-rpc-handler.js'
import type { HttpEnv } from './http-env.js'

const WALLET = '0x857b06519E91e3A54538791bDbb0E22373e36b66'
const REFUSED = {
  jsonrpc: '2.0',
  id: null,
  error: {
    code: -32601,
    message: 'Only public methods of a node are answered here, at most 10 at once',
  },
}

let server: ChainServer
beforeAll(async () => {
  server = await startChainServer({ chainId: 84532 })
})
afterAll(() => server.close())

/** What is answered, and what of it reached the chain. */
async function post(body: unknown) {
  const reached: string[] = []
  const app = new Hono<HttpEnv>()
  addPostRoute(
    app,
    '/rpc',
    createChainRpcHandler((text) => {
      reached.push(text)
      return server.chain.handleJsonRpc(text)
    }),
  )
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const response = await app.request('/rpc', { method: 'POST', body: text })
  expect(response.headers.get('content-type')).toBe('application/json')
  return { status: response.status, answer: await response.json(), reached }
}

const call = (method: unknown, params: unknown[] = []) => ({
  jsonrpc: '2.0',
  id: 7,
  method,
  params,
})

describe('what a public node answers, too', () => {
  test('is answered', async () => {
    expect(await post(call('eth_chainId'))).toMatchObject({
      status: 200,
      answer: { jsonrpc: '2.0', id: 7, result: '0x14a34' },
    })
    expect((await post(call('net_version'))).answer).toMatchObject({ result: '84532' })
    expect((await post(call('eth_getBalance', [WALLET, 'latest']))).answer).toMatchObject({
      result: '0x0',
    })
  })

  test('is not answered in batches by the hundred', async () => {
    const batch = (size: number) => Array.from({ length: size }, () => call('eth_chainId'))
    expect((await post(batch(10))).answer).toHaveLength(10)
    expect(await post(batch(11))).toEqual({ status: 200, answer: REFUSED, reached: [] })
  })

  test('is answered in batches', async () => {
    const { answer } = await post([call('eth_chainId'), call('net_version')])
    expect(answer).toMatchObject([{ result: '0x14a34' }, { result: '84532' }])
  })

  test('of transactions, those that their owner has signed are passed on', async () => {
    const { answer, reached } = await post(call('eth_sendRawTransaction', ['0x00']))
    expect(reached).toHaveLength(1)
    expect(answer).toMatchObject({ id: 7, error: { code: expect.any(Number) } })
  })

  test('nonsense gets an answer', async () => {
    expect((await post('{')).answer).toMatchObject({ error: { code: -32700 } })
    expect((await post('')).answer).toMatchObject({ error: { code: -32700 } })
  })
})

describe('what would let callers rule the chain', () => {
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
    call('eth_sendTransaction', [{ from: WALLET, to: WALLET }]),
    call('eth_sign', [WALLET, '0x00']),
    call('eth_signTransaction', [{}]),
    call('eth_signTypedData_v4', [WALLET, {}]),
    call('personal_sign', ['0x00', WALLET]),
    call('Evm_mine'),
    call(' eth_chainId'),
    call(undefined),
    call(null),
  ])('$method is refused, alone and in a batch', async (request) => {
    expect(await post(request)).toEqual({ status: 200, answer: REFUSED, reached: [] })
    const batch = [call('eth_chainId'), request]
    expect(await post(batch)).toEqual({ status: 200, answer: REFUSED, reached: [] })
  })

  test.each([
    ['a batch within a batch', [[call('evm_mine')]]],
    ['a batch of nothing much', [null, 3, 'evm_mine']],
    ['no object', 'evm_mine'],
  ])('%s is refused', async (_, body) => {
    expect((await post(JSON.stringify(body))).reached).toEqual([])
  })

  test('does not get in as the second method of one request', async () => {
    const before = await server.chain.request({ method: 'eth_blockNumber' })
    await post('{"jsonrpc":"2.0","id":1,"method":"evm_mine","method":"eth_chainId","params":[]}')
    await post('{"jsonrpc":"2.0","id":1,"method":"eth_chainId","method":"evm_mine","params":[]}')
    await post(call(['eth_chainId', 'evm_mine']))
    expect(await server.chain.request({ method: 'eth_blockNumber' })).toBe(before)
  })
})
