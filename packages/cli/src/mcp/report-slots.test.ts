import { expect, test } from 'vitest'
import { createReportSlots } from './report-slots.js'

const never = new AbortController().signal

/** Acquires slots as calls would, and says which of them have one. */
function setUp(limit: number) {
  const acquire = createReportSlots(limit)
  const held: string[] = []
  const releases = new Map<string, () => void>()
  return {
    held,
    async call(name: string, signal = never) {
      const release = await acquire('caller', signal)
      if (!release) return 'none'
      held.push(name)
      releases.set(name, release)
      return 'slot'
    },
    async end(name: string) {
      held.splice(held.indexOf(name), 1)
      releases.get(name)?.()
      // A slot is passed on in a later turn.
      await new Promise(setImmediate)
    },
  }
}

test('as many calls as there are slots run at once; others wait for their turn', async () => {
  const { call, end, held } = setUp(2)
  const calls = ['a', 'b', 'c', 'd'].map((name) => call(name))
  await Promise.all(calls.slice(0, 2))
  expect(held).toEqual(['a', 'b'])
  await end('b')
  expect(held).toEqual(['a', 'c'])
  await end('a')
  expect(held).toEqual(['c', 'd'])
  await end('c')
  await end('d')
  expect(await Promise.all(calls)).toEqual(Array(4).fill('slot'))
  expect(await Promise.all([call('e'), call('f')])).toEqual(['slot', 'slot'])
})

test('a call that is cancelled while it waits gets no slot and takes none', async () => {
  const { call, end, held } = setUp(1)
  const cancelled = new AbortController()
  await call('a')
  const second = call('b', cancelled.signal)
  const third = call('c')
  cancelled.abort()
  expect(await second).toBe('none')
  await end('a')
  expect([held, await third]).toEqual([['c'], 'slot'])
})

test('a call that was cancelled before gets no slot', async () => {
  const { call } = setUp(1)
  expect(await call('a', AbortSignal.abort())).toBe('none')
  expect(await call('b')).toBe('slot')
})
