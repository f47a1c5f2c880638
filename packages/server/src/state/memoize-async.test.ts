import { expect, test } from 'vitest'
import { memoizeAsync } from './memoize-async.js'

function setUp(load: (count: number) => Promise<string>) {
  const clock = { now: 100 }
  let loads = 0
  const get = memoizeAsync(() => load(++loads), { ttlMs: 5_000, now: () => clock.now })
  return { clock, get }
}

test('caches a value until its TTL has passed, to the millisecond', async () => {
  const { clock, get } = setUp(async (count) => `value ${count}`)
  expect(await get()).toBe('value 1')
  clock.now = 5_099
  expect(await get()).toBe('value 1')
  clock.now = 5_100
  expect(await get()).toBe('value 2')
  clock.now = 10_099
  expect(await get()).toBe('value 2')
})

test('shares one load between concurrent callers', async () => {
  const { get } = setUp(async (count) => `value ${count}`)
  expect(await Promise.all([get(), get(), get()])).toEqual(['value 1', 'value 1', 'value 1'])
})

test('loads again if a load takes longer than the TTL', async () => {
  const { clock, get } = setUp(async (count) => `value ${count}`)
  const first = get()
  clock.now += 5_000
  expect(await get()).toBe('value 2')
  expect(await first).toBe('value 1')
})

test('does not cache a failure', async () => {
  const { get } = setUp(async (count) => {
    if (count === 1) throw new Error('down')
    return `value ${count}`
  })
  await expect(Promise.all([get(), get()])).rejects.toThrow('down')
  expect(await get()).toBe('value 2')
  expect(await get()).toBe('value 2')
})

test('keeps a value without a TTL, but not a failure', async () => {
  let loads = 0
  const get = memoizeAsync(async () => {
    if (++loads === 1) throw new Error('down')
    return `value ${loads}`
  })
  await expect(get()).rejects.toThrow('down')
  expect(await get()).toBe('value 2')
  expect(await get()).toBe('value 2')
})
