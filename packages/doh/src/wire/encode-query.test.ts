import { decode } from 'dns-packet'
import { expect, test } from 'vitest'
import type { DnsQuery, RecordType } from '../dns.js'
import { encodeQuery } from './encode-query.js'

const octets = (question: DnsQuery) =>
  Buffer.from(encodeQuery(question)?.dnsParameter ?? '', 'base64url')

test('a question is these very octets', () => {
  const header = '0000' + '0120' + '0001' + '0000' + '0000' + '0001'
  const question = '0461636d65047465737400' + '000f' + '0001'
  const opt = '00' + '0029' + '1000' + '00000000' + '0000'
  expect(octets({ name: 'acme.test', type: 'MX' }).toString('hex')).toBe(header + question + opt)
})

test('the root can be asked about', () => {
  expect(octets({ name: '.', type: 'NS' }).subarray(12, 17).toString('hex')).toBe(
    '00' + '0002' + '0001',
  )
})

test.each<RecordType>(['A', 'AAAA', 'CNAME', 'MX', 'NS', 'SOA', 'SPF', 'TXT'])(
  'another decoder reads a question for %s as we mean it',
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

test('a name that no message can carry is not asked for', () => {
  expect(encodeQuery({ name: `${'x'.repeat(64)}.test`, type: 'TXT' })).toBeNull()
})

test('a short question after a long one has nothing of it', () => {
  const short = octets({ name: 'a.test', type: 'A' })
  octets({ name: 'a.very.long.name.that.was.asked.before.test', type: 'MX' })
  expect(octets({ name: 'a.test', type: 'A' })).toEqual(short)
})
