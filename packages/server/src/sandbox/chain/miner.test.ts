import { describe, expect, test } from 'vitest'
import { withAutoMining } from './miner.js'

const CALL = [{ to: '0x01' }, 'latest']

/** A node that records its calls, and a manual clock. */
function setUp() {
  const calls: string[] = []
  const clock = { now: 0 }
  const call = withAutoMining(
    async (method, params) => {
      await Promise.resolve()
      calls.push([method, ...params.slice(1)].join(' '))
      return { result: method }
    },
    () => clock.now,
  )
  return { call, calls, clock }
}

describe('a transaction', () => {
  test('is mined before the response', async () => {
    const { call, calls } = setUp()
    expect(await call('eth_sendRawTransaction', ['0x'])).toEqual({
      result: 'eth_sendRawTransaction',
    })
    expect(calls).toEqual(['eth_sendRawTransaction', 'evm_mine'])
  })

  test('is mined in one block with concurrent ones', async () => {
    const { call, calls } = setUp()
    await Promise.all([1, 2, 3].map(() => call('eth_sendRawTransaction', ['0x'])))
    expect(calls.filter((method) => method === 'evm_mine')).toHaveLength(1)
  })

  test('waits while automatic mining is off', async () => {
    const { call, calls } = setUp()
    await call('evm_setAutomine', [false])
    expect(await call('hardhat_getAutomine', [])).toEqual({ result: false })
    await call('eth_sendRawTransaction', ['0x'])
    await call('eth_call', CALL)
    expect(calls).toEqual(['eth_sendRawTransaction', 'eth_call latest'])
    await call('evm_setAutomine', [true])
    expect(calls.at(-1)).toBe('evm_mine')
  })
})

describe('a call', () => {
  test('mines a new block if the last one is old', async () => {
    const { call, calls, clock } = setUp()
    clock.now = 1_999
    await call('eth_call', CALL)
    clock.now = 2_000
    await Promise.all([call('eth_call', CALL), call('eth_call', CALL)])
    expect(calls).toEqual(['eth_call latest', 'evm_mine', 'eth_call latest', 'eth_call latest'])
  })

  test('estimates gas on the latest block, without pending transactions', async () => {
    const { call, calls } = setUp()
    await call('eth_estimateGas', [{ to: '0x01' }])
    expect(calls).toEqual(['eth_estimateGas latest'])
  })
})
