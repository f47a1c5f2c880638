import { expect, test } from 'vitest'
import { limitConcurrentCalls } from './in-process-facilitator.js'

/** Works that end when they are told to. */
function setUp(limit: number, count: number) {
  const limited = limitConcurrentCalls(limit)
  const begun: number[] = []
  const works = Array.from({ length: count }, (_, index) => {
    let end: (error?: Error) => void = () => {}
    const ended = new Promise<void>((resolve, reject) => {
      end = (error) => (error ? reject(error) : resolve())
    })
    const done = limited(async () => {
      begun.push(index)
      await ended
      return index
    })
    return { end, done }
  })
  return { begun, works }
}

test('no more than so many go on at once, and those who wait keep their order', async () => {
  const { begun, works } = setUp(2, 5)
  expect(begun).toEqual([0, 1])
  works[1]?.end()
  expect(await works[1]?.done).toBe(1)
  expect(begun).toEqual([0, 1, 2])
  works[0]?.end()
  works[2]?.end()
  await Promise.all([works[0]?.done, works[2]?.done])
  expect(begun).toEqual([0, 1, 2, 3, 4])
})

test('one that fails makes room as well, and fails alone', async () => {
  const { begun, works } = setUp(1, 2)
  works[0]?.end(new Error('broken'))
  await expect(works[0]?.done).rejects.toThrow('broken')
  expect(begun).toEqual([0, 1])
  works[1]?.end()
  expect(await works[1]?.done).toBe(1)
})

test('whoever comes when nobody waits need not wait', async () => {
  const limited = limitConcurrentCalls(1)
  expect(await limited(async () => 'first')).toBe('first')
  expect(await limited(async () => 'second')).toBe('second')
})
