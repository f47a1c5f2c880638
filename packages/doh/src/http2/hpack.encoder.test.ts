import { describe, expect, test } from 'vitest'
import { createHpackEncoder } from './hpack.js'

function setUp() {
  const encoder = createHpackEncoder('a.test', 'text/plain')
  const block = (path: string) => {
    const target = Buffer.alloc(1_000)
    return target.subarray(0, encoder.write(path, target, 0)).toString('hex')
  }
  return { encoder, block }
}

const hex = (text: string) => Buffer.from(text).toString('hex')

const GET_HTTPS = '8287'
const FIRST = `${GET_HTTPS}4106${hex('a.test')}0402${hex('/1')}530a${hex('text/plain')}`
const LATER = `${GET_HTTPS}bf0402${hex('/2')}be`
const BARE = `${GET_HTTPS}0106${hex('a.test')}0402${hex('/2')}0f040a${hex('text/plain')}`

describe('header block of a request', () => {
  test('is its path and four octets after the first request', () => {
    const { block } = setUp()
    expect([block('/1'), block('/2')]).toEqual([FIRST, LATER])
  })

  test('encodes the length of a long path', () => {
    const { block } = setUp()
    block('/1')
    expect(block('x'.repeat(126))).toBe(`${GET_HTTPS}bf047e${hex('x'.repeat(126))}be`)
    expect(block('x'.repeat(127))).toBe(`${GET_HTTPS}bf047f00${hex('x'.repeat(127))}be`)
    expect(block('x'.repeat(400))).toBe(`${GET_HTTPS}bf047f9102${hex('x'.repeat(400))}be`)
  })

  test('is never longer than overheadOctets allows', () => {
    const { encoder, block } = setUp()
    encoder.limitTableSize(0)
    expect(block('/2').length / 2).toBeLessThanOrEqual('/2'.length + encoder.overheadOctets)
  })
})

describe('server with a smaller table', () => {
  test('gets one table size update', () => {
    const { encoder, block } = setUp()
    block('/1')
    encoder.limitTableSize(1_000)
    // 31 and 969 in groups of seven bits.
    expect([block('/2'), block('/2')]).toEqual([`3fc907${LATER}`, LATER])
  })

  test('gets indexed fields when they fit', () => {
    const { encoder, block } = setUp()
    // 10 + 6 + 32 octets for :authority, 6 + 10 + 32 for accept.
    encoder.limitTableSize(96)
    expect([block('/1'), block('/2')]).toEqual([`3f41${FIRST}`, LATER])
  })

  test('gets literal fields when they do not fit', () => {
    const { encoder, block } = setUp()
    block('/1')
    encoder.limitTableSize(95)
    expect([block('/2'), block('/2')]).toEqual([`3f40${BARE}`, BARE])
  })

  test('gets no update when its table grows again', () => {
    const { encoder, block } = setUp()
    encoder.limitTableSize(0)
    encoder.limitTableSize(4_096)
    expect([block('/2'), block('/2')]).toEqual([`20${BARE}`, BARE])
  })
})
