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

  test('keeps no chunk after the first, however small they are', () => {
    const { results, pending } = setUp()
    const octets = Buffer.from(Array.from({ length: 65_536 }, (_, at) => at % 251))
    for (const octet of octets) {
      const chunk = Buffer.of(octet)
      expect(pending.append(chunk)).toBe(true)
      if (pending.size > 1) chunk.fill(255)
    }
    pending.append(Buffer.alloc(0))
    pending.complete(200, undefined, undefined)
    expect(results).toMatchObject([{ kind: 'response', body: octets }])
  })

  test('leaves its first chunk as it is', () => {
    const { results, pending } = setUp()
    const first = Buffer.from('one')
    pending.append(Buffer.alloc(0))
    pending.append(first)
    pending.append(Buffer.from(' two'))
    pending.complete(200, undefined, undefined)
    expect(first.toString()).toBe('one')
    expect(results).toMatchObject([{ body: Buffer.from('one two') }])
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
