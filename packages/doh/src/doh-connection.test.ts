import { describe, expect, test } from 'vitest'
import { type DohResult, PendingResponse } from './doh-connection.js'

function setUp() {
  const results: DohResult[] = []
  return { results, pending: new PendingResponse({ onResult: (result) => results.push(result) }) }
}

describe('PendingResponse', () => {
  test('joins its chunks and delivers once', () => {
    const { results, pending } = setUp()
    expect(pending.append(Buffer.from('one '))).toBe(true)
    expect(pending.append(Buffer.from('two'))).toBe(true)
    pending.complete(200, 'text/plain', undefined)
    pending.complete(500, undefined, undefined)
    expect(results).toEqual([
      {
        kind: 'response',
        status: 200,
        contentType: 'text/plain',
        retryAfter: undefined,
        body: Buffer.from('one two'),
      },
    ])
  })

  test('accepts at most 65,536 bytes', () => {
    const { results, pending } = setUp()
    expect(pending.append(Buffer.alloc(65_536))).toBe(true)
    expect(pending.append(Buffer.alloc(1))).toBe(false)
    expect(results).toMatchObject([{ kind: 'failure', reason: 'malformed' }])
  })

  test('ignores chunks after a cancel', () => {
    const { results, pending } = setUp()
    pending.append(Buffer.from('early'))
    pending.drop()
    expect(pending.append(Buffer.from('late'))).toBe(false)
    expect(pending.size).toBe(5)
    expect(results).toEqual([])
  })
})
