import type { FacilitatorEvmSigner } from '@x402/evm'
import { numberToHex } from 'viem'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type ChainServer, startChainServer } from '../../../test/support/chain-server.js'
import { TEST_USDC_ABI } from '../../sandbox/token/generated/contracts.js'
import { type ChainSource, connectChain } from './chain-client.js'
import { createFaultTrackingSigner } from './facilitator-signer.js'

let server: ChainServer
beforeAll(async () => {
  server = await startChainServer({ chainId: 84532 })
})
afterAll(() => server.close())

const EMPTY_ACCOUNT = numberToHex(1, { size: 20 })
/** Reverts, because the sender has no funds. */
const OVERDRAW = { functionName: 'transfer', args: [EMPTY_ACCOUNT, 1n] }

function watch(source: ChainSource = [server.url]) {
  const client = connectChain(source, 'eip155:84532')
  const { signer, fault } = createFaultTrackingSigner({
    getAddresses: () => [EMPTY_ACCOUNT],
    readContract: (args) => client.readContract(args as never),
    getCode: (args) => client.getCode(args),
    waitForTransactionReceipt: (args) => client.waitForTransactionReceipt(args),
    sendTransaction: ({ to, data }) =>
      client.estimateGas({ account: EMPTY_ACCOUNT, to, data }).then(() => '0x'),
  } as Partial<FacilitatorEvmSigner> as FacilitatorEvmSigner)
  const read = (call: object, address = server.token) =>
    signer.readContract({ address, abi: TEST_USDC_ABI, ...call } as never)
  return { signer, fault, read }
}

/** A node that returns this error for every call. */
const failing = (error: { code: number; message: string; data?: string }): ChainSource => ({
  request: async (call) => {
    if (call.method !== 'eth_call') return server.chain.request(call)
    throw Object.assign(new Error(error.message), error)
  },
})

describe('does not record a fault for', () => {
  test('a result', async () => {
    const { read, fault } = watch()
    expect(await read({ functionName: 'symbol' })).toBe('USDC')
    expect(fault()).toBeNull()
  })

  test('a revert, which is rethrown', async () => {
    const { read, fault } = watch()
    await expect(read(OVERDRAW)).rejects.toThrow('transfer amount exceeds balance')
    expect(fault()).toBeNull()
  })

  test('a revert at the estimate', async () => {
    const { signer, fault } = watch()
    const data = '0xdeadbeef'
    await expect(signer.sendTransaction({ to: server.token, data })).rejects.toThrow()
    expect(fault()).toBeNull()
  })

  test('a call to an address without a contract', async () => {
    const { read, fault } = watch()
    await expect(read({ functionName: 'symbol' }, EMPTY_ACCOUNT)).rejects.toThrow(
      'returned no data',
    )
    expect(fault()).toBeNull()
  })

  test.each([
    [{ code: 3, message: 'execution reverted' }],
    [{ code: 3, message: 'execution reverted: FiatTokenV2: invalid signature', data: '0x' }],
    [{ code: -32000, message: 'execution reverted', data: '0xdeadbeef' }],
    [{ code: -32603, message: 'execution reverted', data: '0xdeadbeef' }],
    [{ code: -32603, message: 'VM Exception while processing transaction: revert' }],
  ])('a revert in the format of another node: %j', async (error) => {
    const { read, fault } = watch(failing(error))
    await expect(read(OVERDRAW)).rejects.toThrow()
    expect(fault()).toBeNull()
  })
})

describe('records a fault for', () => {
  test('a broken connection', async () => {
    const { read, fault } = watch()
    onTestFinished(server.dropConnections('eth_call'))
    await expect(read({ functionName: 'symbol' })).rejects.toThrow()
    expect(fault()).toBe('ContractFunctionExecutionError')
  })

  test('a closed port', async () => {
    const { signer, fault } = watch(['http://127.0.0.1:9'])
    const to = server.token
    await expect(signer.sendTransaction({ to, data: '0x' })).rejects.toThrow()
    expect(fault()).toBe('EstimateGasExecutionError')
  })

  test.each([
    [{ code: -32603, message: 'Internal error' }],
    [{ code: -32603, message: 'upstream timed out' }],
    [{ code: -32005, message: 'limit exceeded' }],
    [{ code: -32000, message: 'header not found' }],
    [{ code: -32002, message: 'resource unavailable' }],
  ])('an internal node error: %j', async (error) => {
    const { read, fault } = watch(failing(error))
    await expect(read(OVERDRAW)).rejects.toThrow()
    expect(fault()).toBe('ContractFunctionExecutionError')
  })

  test('a failed getCode, without rejecting, because its result may never be awaited', async () => {
    const { signer, fault } = watch(['http://127.0.0.1:9'])
    expect(await signer.getCode({ address: EMPTY_ACCOUNT })).toBeUndefined()
    expect(fault()).toBe('HttpRequestError')
  })

  test('a thrown value that is not an Error', async () => {
    const { signer, fault } = createFaultTrackingSigner({
      readContract: () => Promise.reject('down'),
    } as unknown as FacilitatorEvmSigner)
    await expect(signer.readContract({} as never)).rejects.toBe('down')
    expect(fault()).toBe('string')
  })
})

test('keeps the first fault', async () => {
  const { signer, read, fault } = watch()
  const end = server.dropConnections('eth_getCode')
  await signer.getCode({ address: EMPTY_ACCOUNT })
  end()
  await read({ functionName: 'symbol' })
  await expect(read(OVERDRAW)).rejects.toThrow()
  onTestFinished(server.dropConnections('eth_call'))
  await expect(read({ functionName: 'symbol' })).rejects.toThrow()
  expect(fault()).toBe('HttpRequestError')
})

test('keeps the faults of each signer separate', async () => {
  const [first, second] = [watch(), watch()]
  const end = server.dropConnections('eth_getCode')
  await first.signer.getCode({ address: EMPTY_ACCOUNT })
  end()
  await second.signer.getCode({ address: EMPTY_ACCOUNT })
  expect([first.fault(), second.fault()]).toEqual(['HttpRequestError', null])
})
