import { describe, expect, test } from 'vitest'
import { createHpackDecoder } from './hpack.js'

/** Decodes blocks in order with one table, like a connection. */
function decoder() {
  const { decode } = createHpackDecoder()
  return (hex: string): string[] => {
    const bytes = Buffer.from(hex.replaceAll(' ', ''), 'hex')
    const fields: string[] = []
    decode(bytes, 0, bytes.length, {
      onField: ({ name, value }) => {
        fields.push(`${name}: ${value}`)
      },
    })
    return fields
  }
}

const ONE_TO_THREE = [
  [':method: GET', ':scheme: http', ':path: /', ':authority: www.example.com'],
  [
    ':method: GET',
    ':scheme: http',
    ':path: /',
    ':authority: www.example.com',
    'cache-control: no-cache',
  ],
  [
    ':method: GET',
    ':scheme: https',
    ':path: /index.html',
    ':authority: www.example.com',
    'custom-key: custom-value',
  ],
]

const DATE = (second: number) => `date: Mon, 21 Oct 2013 20:13:${second} GMT`
const RESPONSES = [
  [':status: 302', 'cache-control: private', DATE(21), 'location: https://www.example.com'],
  [':status: 307', 'cache-control: private', DATE(21), 'location: https://www.example.com'],
  [
    ':status: 200',
    'cache-control: private',
    DATE(22),
    'location: https://www.example.com',
    'content-encoding: gzip',
    'set-cookie: foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1',
  ],
]
/** RFC 7541 appendix C.5 and C.6 use a table of 256 octets. */
const TABLE_OF_256 = '3fe101'

describe('the examples of RFC 7541 appendix C', () => {
  test.each([
    ['C.2.1', '400a637573746f6d2d6b65790d637573746f6d2d686561646572', 'custom-key: custom-header'],
    ['C.2.2', '040c2f73616d706c652f70617468', ':path: /sample/path'],
    ['C.2.3', '100870617373776f726406736563726574', 'password: secret'],
    ['C.2.4', '82', ':method: GET'],
  ])('%s', (_, hex, field) => {
    expect(decoder()(hex)).toEqual([field])
  })

  test.each([
    [
      'C.3, requests',
      '828684410f7777772e6578616d706c652e636f6d',
      '828684be58086e6f2d6361636865',
      '828785bf400a637573746f6d2d6b65790c637573746f6d2d76616c7565',
      ONE_TO_THREE,
    ],
    [
      'C.4, requests in Huffman code',
      '828684418cf1e3c2e5f23a6ba0ab90f4ff',
      '828684be5886a8eb10649cbf',
      '828785bf408825a849e95ba97d7f8925a849e95bb8e8b4bf',
      ONE_TO_THREE,
    ],
    [
      'C.5, responses with eviction',
      `${TABLE_OF_256}4803333032580770726976617465611d4d6f6e2c203231204f637420323031332032303a31333a323120474d546e1768747470733a2f2f7777772e6578616d706c652e636f6d`,
      '4803333037c1c0bf',
      '88c1611d4d6f6e2c203231204f637420323031332032303a31333a323220474d54c05a04677a69707738666f6f3d4153444a4b48514b425a584f5157454f50495541585157454f49553b206d61782d6167653d333630303b2076657273696f6e3d31',
      RESPONSES,
    ],
    [
      'C.6, responses with eviction in Huffman code',
      `${TABLE_OF_256}488264025885aec3771a4b6196d07abe941054d444a8200595040b8166e082a62d1bff6e919d29ad171863c78f0b97c8e9ae82ae43d3`,
      '4883640effc1c0bf',
      '88c16196d07abe941054d444a8200595040b8166e084a62d1bffc05a839bd9ab77ad94e7821dd7f2e6c7b335dfdfcd5b3960d5af27087f3672c1ab270fb5291f9587316065c003ed4ee5b1063d5007',
      RESPONSES,
    ],
  ])('%s', (_, first, second, third, expected) => {
    const decode = decoder()
    expect([decode(first), decode(second), decode(third)]).toEqual(expected)
  })
})

describe('dynamic table', () => {
  test('evicts what no longer fits', () => {
    const decode = decoder()
    decode('400161 0131')
    expect(decode('be')).toEqual(['a: 1'])
    // Resized to zero and back.
    expect(decode('20 3fe11f')).toEqual([])
    expect(() => decode('be')).toThrow('an index is not in the table')
  })

  test('is emptied by a field that is larger than the table', () => {
    const decode = decoder()
    decode('400161 0131')
    const large = Buffer.alloc(4_090, 'x').toString('hex')
    expect(decode(`400162 7ffb1e${large}`)).toEqual([`b: ${'x'.repeat(4_090)}`])
    expect(() => decode('be')).toThrow('an index is not in the table')
  })

  test('holds at most 4,096 octets, the latest field first', () => {
    const decode = decoder()
    for (let count = 0; count < 200; count++) decode('400161 0131')
    // Each field counts 34 octets, so 120 fit: index 62 to 181.
    expect(decode('ff36')).toEqual(['a: 1'])
    expect(() => decode('ff37')).toThrow('an index is not in the table')
  })
})

describe('rejects', () => {
  test.each([
    ['index zero', '80', 'an index is not in the table'],
    ['an index beyond the tables', 'be', 'an index is not in the table'],
    ['a name index beyond the tables', '7f00 0131', 'an index is not in the table'],
    ['a block that ends inside an integer', 'ff', 'a header block ends too early'],
    ['a block that ends before a value', '04', 'a header block ends too early'],
    ['an endless integer', `ff${'80'.repeat(20)}`, 'is too large'],
    ['a string longer than the block', '04 05 2f', 'longer than its header block'],
    ['a string of a billion octets', '04 7fffffff7f', 'longer than its header block'],
    ['a table size above the limit', '3fe21f', 'exceeds the limit'],
    ['a table size update after a field', '82 20', 'follows a header field'],
    ['an invalid Huffman code', '04 81 00', 'invalid padding'],
  ])('%s', (_, hex, problem) => {
    expect(() => decoder()(hex)).toThrow(problem)
  })

  test('a block that expands to more than 64 KiB', () => {
    const decode = decoder()
    const large = Buffer.alloc(4_000, 'x').toString('hex')
    decode(`400162 7fa11e${large}`)
    expect(decode('be'.repeat(16))).toHaveLength(16)
    expect(() => decode('be'.repeat(17))).toThrow('a header is too large')
  })
})

describe('a literal field that was sent before', () => {
  /** Without indexing, `cache-control` (24). */
  const literal = (value: string) =>
    `0f09 ${value.length.toString(16).padStart(2, '0')} ${Buffer.from(value).toString('hex')}`

  test('is read again, and so is another value of the same name', () => {
    const decode = decoder()
    const values = ['max-age=300', 'max-age=300', 'max-age=30', 'max-age=3000', 'max-age=300']
    const fields = values.map((value) => decode(literal(value)))
    expect(fields).toEqual(values.map((value) => [`cache-control: ${value}`]))
  })

  test('does not hide that the block ends too early', () => {
    const decode = decoder()
    decode(literal('max-age=300'))
    expect(() => decode(literal('max-age=300').slice(0, -2))).toThrow(
      'a string is longer than its header block',
    )
  })

  test('is entered into the table when it is sent with indexing', () => {
    const decode = decoder()
    const indexing = literal('no-cache').replace('0f09', '58')
    expect(decode(indexing)).toEqual(['cache-control: no-cache'])
    expect(decode(indexing)).toEqual(['cache-control: no-cache'])
    expect(decode('be bf')).toEqual(['cache-control: no-cache', 'cache-control: no-cache'])
    expect(() => decode('c0')).toThrow('an index is not in the table')
  })
})
