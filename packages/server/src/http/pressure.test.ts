import { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { createPressure, PRESSURE_LIMITS } from './pressure.js'

/** Requests of named callers, each answered at once, at a time that the test sets. */
function setUp(requestsPerSecond: number) {
  const clock = { ms: 0 }
  const pressure = createPressure({
    limits: { ...PRESSURE_LIMITS, requestsPerSecond },
    readCaller: ({ url }) => url ?? '',
    readPeer: null,
    now: () => clock.ms,
  })
  const request = (caller: string) => {
    const socket = Object.assign(new EventEmitter(), { destroyed: false })
    const response = new EventEmitter()
    const admission = pressure.admit(
      { socket, url: caller } as unknown as IncomingMessage,
      response as ServerResponse,
    )
    response.emit('close')
    return admission
  }
  return { clock, request }
}

test('requests a second are limited for each caller, in bursts of ten seconds', () => {
  const { clock, request } = setUp(2)
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
  const { request } = setUp(0)
  const admissions = Array.from({ length: 1_000 }, () => request('a'))
  expect(new Set(admissions)).toEqual(new Set(['admitted']))
})
