import type { FacilitatorEvmSigner } from '@x402/evm'
import { numberToHex } from 'viem'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type ChainServer, startChainServer } from '../../../test/support/chain-server.js'
import { TEST_USDC_ABI } from '../../sandbox/token/test-usdc.js'
import { type ChainSource, connectChain } from './chain-backend.js'
import { createFaultTrackingSigner } from './in-process-facilitator.js'

let server: ChainServer
beforeAll(async () => {
  server = await startChainServer({ chainId: 84532 })
})
afterAll(() => server.close())

const NOBODY = numberToHex(1, { size: 20 })
/** Reverts: nobody has nothing to give. */
const OVERDRAW = { functionName: 'transfer', args: [NOBODY, 1n] }

function watch(source: ChainSource = server.url) {
  const client = connectChain(source, 'eip155:84532')
  const { signer, fault } = createFaultTrackingSigner({
    getAddresses: () => [NOBODY],
    readContract: (args) => client.readContract(args as never),
    getCode: (args) => client.getCode(args),
    waitForTransactionReceipt: (args) => client.waitForTransactionReceipt(args),
    sendTransaction: ({ to, data }) =>
      client.estimateGas({ account: NOBODY, to, data }).then(() => '0x'),
  } as Partial<FacilitatorEvmSigner> as FacilitatorEvmSigner)
  const read = (call: object, address = server.token) =>
    signer.readContract({ address, abi: TEST_USDC_ABI, ...call } as never)
  return { signer, fault, read }
}

/** A node that answers calls with this error. */
const failing = (error: { code: number; message: string; data?: string }): ChainSource => ({
  request: async (call) => {
    if (call.method !== 'eth_call') return server.chain.request(call)
    throw Object.assign(new Error(error.message), error)
  },
})

describe('an answer of the chain is no fault:', () => {
  test('a result', async () => {
    const { read, fault } = watch()
    expect(await read({ functionName: 'symbol' })).toBe('USDC')
    expect(fault()).toBeNull()
  })

  test('a revert, which is passed on', async () => {
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

  test('no contract where one is asked', async () => {
    const { read, fault } = watch()
    await expect(read({ functionName: 'symbol' }, NOBODY)).rejects.toThrow('returned no data')
    expect(fault()).toBeNull()
  })

  test.each([
    [{ code: 3, message: 'execution reverted' }],
    [{ code: 3, message: 'execution reverted: FiatTokenV2: invalid signature', data: '0x' }],
    [{ code: -32000, message: 'execution reverted', data: '0xdeadbeef' }],
    [{ code: -32603, message: 'execution reverted', data: '0xdeadbeef' }],
    [{ code: -32603, message: 'VM Exception while processing transaction: revert' }],
  ])('a revert as a node may put it: %j', async (error) => {
    const { read, fault } = watch(failing(error))
    await expect(read(OVERDRAW)).rejects.toThrow()
    expect(fault()).toBeNull()
  })
})

describe('no answer is a fault:', () => {
  test('a connection that breaks', async () => {
    const { read, fault } = watch()
    onTestFinished(server.dropConnections('eth_call'))
    await expect(read({ functionName: 'symbol' })).rejects.toThrow()
    expect(fault()).toBe('ContractFunctionExecutionError')
  })

  test('a closed port', async () => {
    const { signer, fault } = watch('http://127.0.0.1:9')
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
  ])('a node that is not well: %j', async (error) => {
    const { read, fault } = watch(failing(error))
    await expect(read(OVERDRAW)).rejects.toThrow()
    expect(fault()).toBe('ContractFunctionExecutionError')
  })

  test('code that cannot be asked for, though nobody hears of it: nobody may be waiting', async () => {
    const { signer, fault } = watch('http://127.0.0.1:9')
    expect(await signer.getCode({ address: NOBODY })).toBeUndefined()
    expect(fault()).toBe('HttpRequestError')
  })

  test('what is no error at all', async () => {
    const { signer, fault } = createFaultTrackingSigner({
      readContract: () => Promise.reject('down'),
    } as unknown as FacilitatorEvmSigner)
    await expect(signer.readContract({} as never)).rejects.toBe('down')
    expect(fault()).toBe('string')
  })
})

test('the first fault is kept, whatever comes afterwards', async () => {
  const { signer, read, fault } = watch()
  const end = server.dropConnections('eth_getCode')
  await signer.getCode({ address: NOBODY })
  end()
  await read({ functionName: 'symbol' })
  await expect(read(OVERDRAW)).rejects.toThrow()
  onTestFinished(server.dropConnections('eth_call'))
  await expect(read({ functionName: 'symbol' })).rejects.toThrow()
  expect(fault()).toBe('HttpRequestError')
})

test('the faults of one are not those of another', async () => {
  const [first, second] = [watch(), watch()]
  const end = server.dropConnections('eth_getCode')
  await first.signer.getCode({ address: NOBODY })
  end()
  await second.signer.getCode({ address: NOBODY })
  expect([first.fault(), second.fault()]).toEqual(['HttpRequestError', null])
})
