import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createTurnTimers } from './turn-timers.js'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

function setUp() {
  const timers = createTurnTimers(100)
  const expired: string[] = []
  const add = (name: string, then = () => {}) =>
    timers.add({
      onExpiry() {
        expired.push(name)
        then()
      },
    })
  return { add, expired }
}

test('waiters of one turn share a timer, in order', () => {
  const { add, expired } = setUp()
  add('one')
  add('two')
  expect(vi.getTimerCount()).toBe(1)
  vi.advanceTimersByTime(99)
  expect(expired).toEqual([])
  vi.advanceTimersByTime(1)
  expect(expired).toEqual(['one', 'two'])
  expect(vi.getTimerCount()).toBe(0)
})

test('a waiter of the next turn waits for its whole time', async () => {
  const { add, expired } = setUp()
  add('one')
  await nextTurn()
  vi.advanceTimersByTime(60)
  add('two')
  expect(vi.getTimerCount()).toBe(2)
  vi.advanceTimersByTime(40)
  expect(expired).toEqual(['one'])
  vi.advanceTimersByTime(60)
  expect(expired).toEqual(['one', 'two'])
})

test('a waiter that starts when the time is over waits for its whole time', () => {
  const { add, expired } = setUp()
  add('one', () => add('two'))
  vi.advanceTimersByTime(100)
  expect(expired).toEqual(['one'])
  vi.advanceTimersByTime(100)
  expect(expired).toEqual(['one', 'two'])
})

test('the timer stops when no one waits, and the next waiter gets another', () => {
  const { add, expired } = setUp()
  const groups = [add('one'), add('two')]
  groups[0]?.remove()
  expect(vi.getTimerCount()).toBe(1)
  groups[1]?.remove()
  expect(vi.getTimerCount()).toBe(0)
  vi.advanceTimersByTime(60)
  add('three')
  vi.advanceTimersByTime(99)
  expect(expired).toEqual([])
  vi.advanceTimersByTime(1)
  expect(expired).toEqual(['three'])
})
