import { describe, expect, test } from 'vitest'
import { withAutoMining } from './miner.js'

const CALL = [{ to: '0x01' }, 'latest']

/** A chain that takes note of what it is asked, and a clock that stands still unless it is set. */
function story() {
  const asked: string[] = []
  const clock = { now: 0 }
  const ask = withAutoMining(
    async (method, params) => {
      await Promise.resolve()
      asked.push([method, ...params.slice(1)].join(' '))
      return { result: method }
    },
    () => clock.now,
  )
  return { ask, asked, clock }
}

describe('what is sent', () => {
  test('is mined before its sender hears of it', async () => {
    const { ask, asked } = story()
    expect(await ask('eth_sendRawTransaction', ['0x'])).toEqual({
      result: 'eth_sendRawTransaction',
    })
    expect(asked).toEqual(['eth_sendRawTransaction', 'evm_mine'])
  })

  test('together is mined together', async () => {
    const { ask, asked } = story()
    await Promise.all([1, 2, 3].map(() => ask('eth_sendRawTransaction', ['0x'])))
    expect(asked.filter((method) => method === 'evm_mine')).toHaveLength(1)
  })

  test('while mining is held waits until it is not', async () => {
    const { ask, asked } = story()
    await ask('evm_setAutomine', [false])
    expect(await ask('hardhat_getAutomine', [])).toEqual({ result: false })
    await ask('eth_sendRawTransaction', ['0x'])
    await ask('eth_call', CALL)
    expect(asked).toEqual(['eth_sendRawTransaction', 'eth_call latest'])
    await ask('evm_setAutomine', [true])
    expect(asked.at(-1)).toBe('evm_mine')
  })
})

describe('a call', () => {
  test('sees a block of now when the last one is old', async () => {
    const { ask, asked, clock } = story()
    clock.now = 1_999
    await ask('eth_call', CALL)
    clock.now = 2_000
    await Promise.all([ask('eth_call', CALL), ask('eth_call', CALL)])
    expect(asked).toEqual(['eth_call latest', 'evm_mine', 'eth_call latest', 'eth_call latest'])
  })

  test('to estimate gas is about what has happened, not what is held', async () => {
    const { ask, asked } = story()
    await ask('eth_estimateGas', [{ to: '0x01' }])
    expect(asked).toEqual(['eth_estimateGas latest'])
  })
})
