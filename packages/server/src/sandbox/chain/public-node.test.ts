import { describe, expect, test } from 'vitest'
import { createHold } from '../../../test/support/hold.js'
import type { NodeRpcResponse } from './edr.js'
import { createPublicNode, withGasLimit } from './public-node.js'

const TOKEN = '0x036CbD53842c5426634e7929541eC2318f3dCF7e'
const CODE = '0x5b600056'

describe.each(['eth_call', 'eth_estimateGas'])('%s', (method) => {
  test.each([
    ['code to deploy', [{ data: CODE }, 'latest']],
    ['code to deploy, for nobody', [{ to: null, data: CODE }]],
    ['code in place of that of a contract', [{ to: TOKEN }, 'latest', { [TOKEN]: { code: CODE } }]],
    ['no parameters', []],
  ])('rejects %s', async (_, params) => {
    const node = createPublicNode(() => Promise.reject(new Error('not the node')))
    expect(await node(method, params)).toMatchObject({ error: { code: -32_000 } })
  })
})

test('calls run one at a time, and other methods meanwhile', async () => {
  const hold = createHold()
  const started: string[] = []
  const node = createPublicNode(async (method) => {
    started.push(method)
    if (started.length === 1) await hold.wait()
    return { result: method }
  })
  const calls = [node('eth_call', [{ to: TOKEN }]), node('eth_estimateGas', [{ to: TOKEN }])]
  await hold.reached
  expect(await node('eth_chainId', [])).toEqual({ result: 'eth_chainId' })
  expect(started).toEqual(['eth_call', 'eth_chainId'])
  hold.release()
  expect(await Promise.all(calls)).toEqual([{ result: 'eth_call' }, { result: 'eth_estimateGas' }])
})

test('at most 100 calls wait', async () => {
  const hold = createHold()
  const node = createPublicNode(async () => {
    await hold.wait()
    return { result: '0x' }
  })
  const calls = Array.from({ length: 100 }, () => node('eth_call', [{ to: TOKEN }]))
  const above = { error: { code: -32_005, message: 'too many requests at once: try again' } }
  expect(await node('eth_call', [{ to: TOKEN }])).toEqual(above)
  hold.release()
  expect(await Promise.all(calls)).toEqual(Array(100).fill({ result: '0x' }))
  expect(await node('eth_call', [{ to: TOKEN }])).toEqual({ result: '0x' })
})

describe('a gas limit', () => {
  /** A node that records its calls. */
  function limit(response: NodeRpcResponse = { result: '0x' }) {
    const calls: [string, ...unknown[]][] = []
    const node = withGasLimit(async (method, params) => {
      calls.push([method, ...params])
      return response
    }, 500_000n)
    return { node, calls }
  }

  test.each([
    ['no gas', undefined, '0x7a120'],
    ['more gas', '0x3938700', '0x7a120'],
    ['gas that is no number', '0x', '0x7a120'],
    ['less gas', '0x5208', '0x5208'],
  ])('replaces %s', async (_, gas, expected) => {
    const { node, calls } = limit()
    await node('eth_call', [{ to: TOKEN, gas }, 'latest'])
    expect(calls).toEqual([['eth_call', { to: TOKEN, gas: expected }, 'latest']])
  })

  test('estimates what a call has shown to succeed', async () => {
    const { node, calls } = limit()
    await node('eth_estimateGas', [{ to: TOKEN }, '0x1'])
    const params = [{ to: TOKEN, gas: '0x7a120' }, '0x1']
    expect(calls).toEqual([
      ['eth_call', ...params],
      ['eth_estimateGas', ...params],
    ])
  })

  test('estimates nothing that fails', async () => {
    const failed = { error: { code: 3, message: 'execution reverted' } }
    const { node, calls } = limit(failed)
    expect(await node('eth_estimateGas', [{ to: TOKEN }])).toEqual(failed)
    expect(calls.map(([method]) => method)).toEqual(['eth_call'])
  })

  test('changes no other method', async () => {
    const { node, calls } = limit()
    await node('eth_getCode', [{ gas: '0x3938700' }])
    expect(calls).toEqual([['eth_getCode', { gas: '0x3938700' }]])
  })
})
