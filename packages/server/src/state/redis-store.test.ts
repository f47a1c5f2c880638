import { setImmediate } from 'node:timers/promises'
import { ErrorReply } from '@redis/client'
import { describe, expect, test } from 'vitest'
import { toStoreUnavailable, withTimeout } from './redis-connection.js'
import { openRedisStore } from './redis-store.js'

test.each(['http://user:hunter2@host', 'redis://user:hunter2@host:port', 'hunter2'])(
  'rejects the URL %s without repeating it',
  (url) => {
    const open = () => openRedisStore({ url, now: () => 0 })
    expect(open).toThrow(new Error('the store URL is not a valid redis:// or rediss:// URL'))
  },
)

describe('the error for operators', () => {
  test('contains the code of an error reply, not its text', () => {
    const reply = new ErrorReply("ERR unknown command 'AUTH', with args beginning with: 'hunter2'")
    expect(toStoreUnavailable(reply).message).toBe('the store says ERR')
    expect(toStoreUnavailable(new ErrorReply('@weird')).message).toBe('the store says ERR')
  })

  test('contains the system error code, or the class of the error', () => {
    const refused = Object.assign(new Error('connect 192.0.2.1'), { code: 'ECONNREFUSED' })
    expect(toStoreUnavailable(refused).message).toBe('the connection failed: ECONNREFUSED')
    expect(toStoreUnavailable(new TypeError('?')).message).toBe('the connection failed: TypeError')
  })
})

describe('withTimeout', () => {
  test('rejects if there is no answer', async () => {
    const answer = withTimeout(5, new Promise(() => {}))
    await expect(answer).rejects.toThrow('no answer within 5 ms')
  })

  test('accepts an answer that arrived while this process was blocked', async () => {
    // A blocked event loop runs timers before it reads replies.
    await setImmediate()
    const answer = withTimeout(1, setImmediate('answer'))
    const busyUntil = performance.now() + 5
    while (performance.now() < busyUntil);
    expect(await answer).toBe('answer')
  })
})
