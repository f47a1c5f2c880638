import { stat } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import { ErrorReply } from '@redis/client'
import { describe, expect, test } from 'vitest'
import { openRedisStore } from './redis-store.js'
import { toStoreUnavailable, withTimeout } from './store-unavailable.js'

test.each(['http://user:hunter2@host', 'redis://user:hunter2@host:port', 'hunter2'])(
  'the address %s is refused without repeating it',
  (url) => {
    const open = () => openRedisStore({ url, now: () => 0 })
    expect(open).toThrow(new Error('the store URL is not a valid redis:// or rediss:// URL'))
  },
)

describe('what operators are told', () => {
  test('is the code of an error reply, and not what it repeats', () => {
    const reply = new ErrorReply("ERR unknown command 'AUTH', with args beginning with: 'hunter2'")
    expect(toStoreUnavailable(reply).message).toBe('the store says ERR')
    expect(toStoreUnavailable(new ErrorReply('@weird')).message).toBe('the store says ERR')
  })

  test('is the code of the system, or else the kind of error', () => {
    const refused = Object.assign(new Error('connect 192.0.2.1'), { code: 'ECONNREFUSED' })
    expect(toStoreUnavailable(refused).message).toBe('the connection failed: ECONNREFUSED')
    expect(toStoreUnavailable(new TypeError('?')).message).toBe('the connection failed: TypeError')
  })
})

describe('a timeout', () => {
  test('is for those who do not answer', async () => {
    const answer = withTimeout(5, new Promise(() => {}))
    await expect(answer).rejects.toThrow('no answer within 5 ms')
  })

  test('is not for an answer that came while this process was held up', async () => {
    // Where timers are looked at before what has arrived.
    await setImmediate()
    const answer = withTimeout(20, stat('.'))
    const busyUntil = performance.now() + 60
    while (performance.now() < busyUntil);
    expect((await answer).isDirectory()).toBe(true)
  })
})
