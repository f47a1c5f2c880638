import { expect, test } from 'vitest'
import { limitConcurrentCalls } from './payee-transfers.js'

/** Limited calls that end when the test says so. */
function setUp(limit: number, count: number) {
  const limited = limitConcurrentCalls(limit)
  const started: number[] = []
  const calls = Array.from({ length: count }, (_, index) => {
    let end: (error?: Error) => void = () => {}
    const ended = new Promise<void>((resolve, reject) => {
      end = (error) => (error ? reject(error) : resolve())
    })
    const done = limited(async () => {
      started.push(index)
      await ended
      return index
    })
    return { end, done }
  })
  return { started, calls }
}

test('runs at most the given number of calls at once, in order', async () => {
  const { started, calls } = setUp(2, 5)
  expect(started).toEqual([0, 1])
  calls[1]?.end()
  expect(await calls[1]?.done).toBe(1)
  expect(started).toEqual([0, 1, 2])
  calls[0]?.end()
  calls[2]?.end()
  await Promise.all([calls[0]?.done, calls[2]?.done])
  expect(started).toEqual([0, 1, 2, 3, 4])
})

test('frees the place of a failed call and fails only that call', async () => {
  const { started, calls } = setUp(1, 2)
  calls[0]?.end(new Error('broken'))
  await expect(calls[0]?.done).rejects.toThrow('broken')
  expect(started).toEqual([0, 1])
  calls[1]?.end()
  expect(await calls[1]?.done).toBe(1)
})

test('runs a call at once if none is waiting', async () => {
  const limited = limitConcurrentCalls(1)
  expect(await limited(async () => 'first')).toBe('first')
  expect(await limited(async () => 'second')).toBe('second')
})
