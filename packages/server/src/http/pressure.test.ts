import { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import { createPressure, PRESSURE_LIMITS, type PressureLimits } from './pressure.js'

/** Requests of named callers, at a time that the test sets. */
function setUp(limits: Partial<PressureLimits>) {
  const clock = { ms: 0 }
  const pressure = createPressure({
    limits: { ...PRESSURE_LIMITS, ...limits },
    readCaller: ({ url }) => url ?? '',
    readPeer: null,
    now: () => clock.ms,
  })
  /** Not answered until the test does. */
  const hold = (caller: string, headers: IncomingMessage['headers'] = {}) => {
    const socket = Object.assign(new EventEmitter(), { destroyed: false })
    const response = new EventEmitter()
    const admission = pressure.admit(
      { socket, url: caller, headers } as unknown as IncomingMessage,
      response as ServerResponse,
    )
    return { admission, answer: () => response.emit('close') }
  }
  const request = (caller: string, headers?: IncomingMessage['headers']) => {
    const { admission, answer } = hold(caller, headers)
    answer()
    return admission
  }
  return { clock, hold, request }
}

test('requests a second are limited for each caller, in bursts of ten seconds', () => {
  const { clock, request } = setUp({ requestsPerSecond: 2 })
  const burst = () => Array.from({ length: 20 }, () => request('a'))
  expect(burst()).toEqual(Array(20).fill('admitted'))
  expect(request('a')).toBe('tooManyOfCaller')
  expect(request('b')).toBe('admitted')
  clock.ms = 499
  expect(request('a')).toBe('tooManyOfCaller')
  clock.ms = 500
  expect([request('a'), request('a')]).toEqual(['admitted', 'tooManyOfCaller'])
  clock.ms = 60_000
  expect(burst()).toEqual(Array(20).fill('admitted'))
})

test('0 a second is no limit', () => {
  const { request } = setUp({ requestsPerSecond: 0 })
  const admissions = Array.from({ length: 1_000 }, () => request('a'))
  expect(new Set(admissions)).toEqual(new Set(['admitted']))
})

describe('bodies of unanswered requests', () => {
  const octets = (length: number) => ({ 'content-length': String(length) })

  test('of one caller are limited, until they are answered', () => {
    const { hold, request } = setUp({ bodyBytesPerCaller: 100 })
    const first = hold('a', octets(60))
    expect(first.admission).toBe('admitted')
    expect(request('a', octets(41))).toBe('tooManyOfCaller')
    expect(request('a', octets(40))).toBe('admitted')
    expect(request('a')).toBe('admitted')
    expect(request('b', octets(100))).toBe('admitted')
    first.answer()
    expect(request('a', octets(100))).toBe('admitted')
  })

  test('of all callers are limited, too', () => {
    const { hold, request } = setUp({ bodyBytes: 100 })
    const held = [hold('a', octets(50)), hold('b', octets(50))]
    expect(request('c', octets(1))).toBe('tooMany')
    expect(request('c')).toBe('admitted')
    held[0]?.answer()
    expect(request('c', octets(50))).toBe('admitted')
  })

  test('count as the longest that is read if their length is larger or unknown', () => {
    const { hold, request } = setUp({ bodyBytes: 65_537 })
    for (const headers of [octets(1e12), { 'transfer-encoding': 'chunked' }]) {
      const first = hold('a', headers)
      expect(request('b', octets(2))).toBe('tooMany')
      expect(request('b', octets(1))).toBe('admitted')
      first.answer()
    }
  })
})
