import { describe, expect, test } from 'vitest'
import { type DohResult, PendingResponse } from './doh-connection.js'

function setUp() {
  const replies: DohResult[] = []
  return { replies, pending: new PendingResponse((reply) => replies.push(reply)) }
}

describe('a reply on its way', () => {
  test('is its chunks put together, handed on once', () => {
    const { replies, pending } = setUp()
    expect(pending.append(Buffer.from('one '))).toBe(true)
    expect(pending.append(Buffer.from('two'))).toBe(true)
    pending.complete(200, 'text/plain', undefined)
    pending.complete(500, undefined, undefined)
    expect(replies).toEqual([
      {
        kind: 'response',
        status: 200,
        contentType: 'text/plain',
        retryAfter: undefined,
        body: Buffer.from('one two'),
      },
    ])
  })

  test('may have 65,536 bytes and not one more', () => {
    const { replies, pending } = setUp()
    expect(pending.append(Buffer.alloc(65_536))).toBe(true)
    expect(pending.append(Buffer.alloc(1))).toBe(false)
    expect(replies).toMatchObject([{ kind: 'failure', reason: 'malformed' }])
  })

  test('takes nothing in once nobody waits for it, however much still comes', () => {
    const { replies, pending } = setUp()
    pending.append(Buffer.from('early'))
    pending.cancel()
    expect(pending.append(Buffer.from('late'))).toBe(false)
    expect(pending.size).toBe(5)
    expect(replies).toEqual([])
  })
})
