import { decode } from 'dns-packet'
import { expect, test } from 'vitest'
import type { DnsQuery, RecordType } from '../dns.js'
import { encodeQuery, ROOT_NS_QUERY } from './encode-query.js'

const octets = (query: DnsQuery) => Buffer.from(encodeQuery(query)?.dnsParameter ?? '', 'base64url')

test('encodes a query octet by octet', () => {
  const header = '0000' + '0120' + '0001' + '0000' + '0000' + '0001'
  const question = '0461636d65047465737400' + '000f' + '0001'
  const opt = '00' + '0029' + '1000' + '00000000' + '0000'
  expect(octets({ name: 'acme.test', type: 'MX' }).toString('hex')).toBe(header + question + opt)
})

test('encodes the root', () => {
  expect(octets({ name: '.', type: 'NS' }).subarray(12, 17).toString('hex')).toBe(
    '00' + '0002' + '0001',
  )
})

test.each<RecordType>(['A', 'AAAA', 'CNAME', 'MX', 'NS', 'PTR', 'SOA', 'SPF', 'TXT'])(
  'dns-packet decodes a query for %s',
  (type) => {
    const query = decode(octets({ name: '_dmarc.acme.test', type }))
    expect(query.type).toBe('query')
    expect(query.id).toBe(0)
    expect(query.questions).toEqual([{ name: '_dmarc.acme.test', type, class: 'IN' }])
    expect(query.additionals).toMatchObject([
      { type: 'OPT', udpPayloadSize: 4096, ednsVersion: 0, flag_do: false },
    ])
  },
)

test.each(['ACME.test', 'acme.test.', '\\097cme.test'])('makes %j canonical', (name) => {
  const query = encodeQuery({ name, type: 'A' })
  expect(query).toEqual(encodeQuery({ name: 'acme.test', type: 'A' }))
  expect(query?.name).toBe('acme.test')
})

test('returns null for an invalid name', () => {
  expect(encodeQuery({ name: `${'x'.repeat(64)}.test`, type: 'TXT' })).toBeNull()
})

test('a short query after a long one contains nothing of it', () => {
  const short = octets({ name: 'a.test', type: 'A' })
  octets({ name: 'a.very.long.name.that.was.asked.before.test', type: 'MX' })
  expect(octets({ name: 'a.test', type: 'A' })).toEqual(short)
})

test('ROOT_NS_QUERY is the encoded query for the root’s name servers', () => {
  expect(encodeQuery({ name: '.', type: 'NS' })).toEqual(ROOT_NS_QUERY)
})
