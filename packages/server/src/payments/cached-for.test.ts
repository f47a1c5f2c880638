import { expect, test } from 'vitest'
import { cachedFor } from './cached-for.js'

function setUp(ask: (time: number) => Promise<string>) {
  const clock = { now: 100 }
  let asked = 0
  const answer = cachedFor(() => ask(++asked), { ttlMs: 5_000, now: () => clock.now })
  return { clock, answer }
}

test('an answer is good until its time is over, to the millisecond', async () => {
  const { clock, answer } = setUp(async (time) => `answer ${time}`)
  expect(await answer()).toBe('answer 1')
  clock.now = 5_099
  expect(await answer()).toBe('answer 1')
  clock.now = 5_100
  expect(await answer()).toBe('answer 2')
  clock.now = 10_099
  expect(await answer()).toBe('answer 2')
})

test('those who come while it is looked for share the answer', async () => {
  const { answer } = setUp(async (time) => `answer ${time}`)
  expect(await Promise.all([answer(), answer(), answer()])).toEqual([
    'answer 1',
    'answer 1',
    'answer 1',
  ])
})

test('one that takes longer than it is good for is looked for again', async () => {
  const { clock, answer } = setUp(async (time) => `answer ${time}`)
  const first = answer()
  clock.now += 5_000
  expect(await answer()).toBe('answer 2')
  expect(await first).toBe('answer 1')
})

test('a failure is not remembered', async () => {
  const { answer } = setUp(async (time) => {
    if (time === 1) throw new Error('down')
    return `answer ${time}`
  })
  await expect(Promise.all([answer(), answer()])).rejects.toThrow('down')
  expect(await answer()).toBe('answer 2')
  expect(await answer()).toBe('answer 2')
})
