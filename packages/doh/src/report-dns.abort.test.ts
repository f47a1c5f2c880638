import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { toAbortSignal } from './dns.js'
import { QueryAbort } from './report-dns.js'

test('abort sets the reason, then calls every listener once', () => {
  const abort = new QueryAbort()
  const seen: unknown[] = []
  abort.addEventListener('abort', () => seen.push(['one', abort.aborted, abort.reason]))
  abort.addEventListener('abort', () => seen.push(['two', abort.aborted, abort.reason]))
  abort.abort('enough')
  abort.abort('again')
  expect(seen).toEqual([
    ['one', true, 'enough'],
    ['two', true, 'enough'],
  ])
  expect(abort.reason).toBe('enough')
})

test('a listener that was removed is not called', () => {
  const abort = new QueryAbort()
  const seen: string[] = []
  const removed = () => seen.push('removed')
  abort.addEventListener('abort', removed)
  abort.addEventListener('abort', () => seen.push('kept'))
  abort.removeEventListener('abort', removed)
  abort.removeEventListener('abort', removed)
  expect(getEventListeners(abort as unknown as EventTarget, 'abort')).toHaveLength(1)
  abort.abort('enough')
  expect(seen).toEqual(['kept'])
})

test('an AbortSignal made from it is aborted with it', () => {
  const abort = new QueryAbort()
  const signal = toAbortSignal(abort)
  expect(toAbortSignal(abort)).toBe(signal)
  expect(signal.aborted).toBe(false)
  abort.abort('enough')
  expect([signal.aborted, signal.reason]).toEqual([true, 'enough'])
})

test('an AbortSignal made after the abort is aborted too', () => {
  const abort = new QueryAbort()
  abort.abort('enough')
  expect(toAbortSignal(abort).reason).toBe('enough')
})

test('an AbortSignal stays the same', () => {
  const { signal } = new AbortController()
  expect(toAbortSignal(signal)).toBe(signal)
})
