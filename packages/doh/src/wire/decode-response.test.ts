/** The meaning of a well-formed response for its query. */

import {
  cnameRecord,
  encodeResponse,
  encodeU16,
  FLAG_AUTHENTIC_DATA,
  optRecord,
  type ResponseParts,
  soaRecord,
} from '@mailgrade/testing/dns-message'
import type { Answer as PacketAnswer } from 'dns-packet'
import { describe, expect, test } from 'vitest'
import { decodeResponse } from './decode-response.js'

const NXDOMAIN = 3
const ns: PacketAnswer = { type: 'NS', name: 'test', ttl: 60, data: 'ns1.test' }
const a = (name: string, ttl = 300): PacketAnswer => ({ type: 'A', name, ttl, data: '192.0.2.7' })

const decode = (parts: ResponseParts) =>
  decodeResponse(
    encodeResponse('A acme.test', parts),
    { name: 'acme.test', type: 'A' },
    'resolver.test',
  )

describe('absence', () => {
  test('NXDOMAIN returns nxdomain', () => {
    expect(decode({ rcode: NXDOMAIN, authorities: [soaRecord('test', 3_600, 300)] })).toEqual({
      kind: 'nxdomain',
      ttl: 300,
      authenticated: false,
      cnames: [],
      extendedError: null,
      resolver: 'resolver.test',
    })
  })

  test('NOERROR without records returns nodata', () => {
    expect(decode({ authorities: [soaRecord('test', 3_600, 300)] })).toEqual({
      kind: 'nodata',
      ttl: 300,
      authenticated: false,
      cnames: [],
      extendedError: null,
      resolver: 'resolver.test',
    })
  })

  test('has the lower of the SOA’s TTL and its minimum', () => {
    expect(decode({ authorities: [soaRecord('test', 30, 300)] })).toMatchObject({ ttl: 30 })
    expect(decode({ authorities: [soaRecord('test', 300, 30)] })).toMatchObject({ ttl: 30 })
    expect(decode({ authorities: [soaRecord('test', 0, 30)] })).toMatchObject({ ttl: 0 })
  })

  test('has no TTL without an SOA', () => {
    expect(decode({})).toMatchObject({ kind: 'nodata', ttl: null })
    expect(decode({ rcode: NXDOMAIN })).toMatchObject({ kind: 'nxdomain', ttl: null })
  })

  test('NS records with an SOA are nodata', () => {
    expect(decode({ authorities: [ns, soaRecord('test', 60, 60)] })).toMatchObject({
      kind: 'nodata',
    })
  })

  test('NS records without an SOA are a referral, not an absence', () => {
    expect(decode({ authorities: [ns] })).toMatchObject({
      kind: 'failed',
      reason: 'refused',
      detail: 'the resolver sent a referral instead of an answer',
    })
  })

  test('a CNAME without a target record is nodata when the server has recursion', () => {
    const answers = [cnameRecord('acme.test', 'host.test')]
    expect(decode({ answers })).toMatchObject({ kind: 'nodata', cnames: ['host.test'] })
  })

  test('a CNAME without a target record is a failure without recursion', () => {
    const packet = encodeResponse('A acme.test', {
      answers: [cnameRecord('acme.test', 'host.test')],
    })
    const recursionAvailable = 0x80
    packet.writeUInt8(packet.readUInt8(3) & ~recursionAvailable, 3)
    expect(decodeResponse(packet, { name: 'acme.test', type: 'A' }, 'r.test')).toMatchObject({
      kind: 'failed',
      reason: 'refused',
      cnames: ['host.test'],
    })
  })

  test('records of another name are malformed, not an absence', () => {
    expect(decode({ answers: [a('other.test')] })).toMatchObject({
      kind: 'failed',
      reason: 'malformed',
      detail: 'the resolver sent records of another name',
    })
  })

  test('NXDOMAIN with records of the name is malformed, not an absence', () => {
    expect(decode({ rcode: NXDOMAIN, answers: [a('acme.test')] })).toMatchObject({
      kind: 'failed',
      reason: 'malformed',
      detail: 'the resolver sent NXDOMAIN together with records of the name',
    })
  })

  test('NS records beside an answer are ignored', () => {
    expect(decode({ answers: [a('acme.test')], authorities: [ns] }).kind).toBe('records')
  })
})

describe('CNAME records', () => {
  test('are followed in any order of the message', () => {
    const answers = [
      a('three.test'),
      cnameRecord('two.test', 'Three.test'),
      cnameRecord('acme.test', 'one.test'),
      cnameRecord('one.test', 'two.test'),
    ]
    expect(decode({ answers })).toMatchObject({
      kind: 'records',
      records: ['192.0.2.7'],
      cnames: ['one.test', 'two.test', 'three.test'],
    })
  })

  test.each([
    [[10, 200, 300], 10],
    [[200, 10, 300], 10],
    [[200, 300, 10], 10],
  ])('the lowest TTL of %j applies', ([first, second, last], ttl) => {
    const answers = [
      cnameRecord('acme.test', 'one.test', first),
      cnameRecord('one.test', 'two.test', second),
      a('two.test', last),
    ]
    expect(decode({ answers })).toMatchObject({ ttl })
  })

  test('the lowest TTL of the records applies too', () => {
    expect(decode({ answers: [a('acme.test', 300), a('acme.test', 20)] })).toMatchObject({
      ttl: 20,
    })
  })

  test('a missing target is nxdomain with the chain (RFC 6604 §3)', () => {
    expect(
      decode({
        rcode: NXDOMAIN,
        answers: [cnameRecord('acme.test', 'gone.test')],
        authorities: [soaRecord('test', 60, 60)],
      }),
    ).toMatchObject({ kind: 'nxdomain', cnames: ['gone.test'], ttl: 60 })
  })

  test('a target without such records is nodata', () => {
    expect(
      decode({
        answers: [cnameRecord('acme.test', 'host.test')],
        authorities: [soaRecord('test', 60, 60)],
      }),
    ).toMatchObject({ kind: 'nodata', cnames: ['host.test'] })
  })

  test('records of an intermediate name are not the answer', () => {
    const answers = [a('acme.test'), cnameRecord('acme.test', 'host.test')]
    const authorities = [soaRecord('host.test', 300, 60)]
    expect(decode({ answers, authorities })).toMatchObject({
      kind: 'failed',
      reason: 'malformed',
      cnames: ['host.test'],
    })
  })

  const chain = (links: number) => [
    ...Array.from({ length: links }, (_, at) =>
      cnameRecord(at === 0 ? 'acme.test' : `c${at}.test`, `c${at + 1}.test`),
    ),
    a(`c${links}.test`),
  ]

  test('are followed 32 times', () => {
    expect(decode({ answers: chain(32) })).toMatchObject({
      kind: 'records',
      cnames: { length: 32 },
    })
  })

  test('of more than 32 links are a failure, not an absence', () => {
    const failure = {
      kind: 'failed',
      reason: 'cname-loop',
      detail: 'there are more than 32 CNAME records',
      cnames: [],
    }
    expect(decode({ answers: chain(33) })).toMatchObject(failure)
    expect(decode({ answers: chain(300) })).toMatchObject(failure)
  })

  test('CNAME records of other names are ignored', () => {
    const answers = [cnameRecord('evil.test', 'acme.test'), a('acme.test')]
    expect(decode({ answers })).toMatchObject({ kind: 'records', cnames: [] })
  })

  test.each([
    ['itself', [cnameRecord('acme.test', 'acme.test')]],
    [
      'the queried name',
      [cnameRecord('acme.test', 'one.test'), cnameRecord('one.test', 'acme.test')],
    ],
    [
      'an intermediate name',
      [cnameRecord('acme.test', 'one.test'), cnameRecord('one.test', 'one.test')],
    ],
  ])('that point back to %s are a loop, not an absence', (_, answers) => {
    const loop = { kind: 'failed', reason: 'cname-loop', resolver: 'resolver.test' }
    expect(decode({ answers })).toMatchObject(loop)
    // BIND returns SERVFAIL with the loop.
    expect(decode({ rcode: 2, answers })).toMatchObject(loop)
  })

  test('a loop of other names is ignored', () => {
    const answers = [
      a('acme.test'),
      cnameRecord('x.test', 'y.test'),
      cnameRecord('y.test', 'x.test'),
    ]
    expect(decode({ answers })).toMatchObject({ kind: 'records', cnames: [] })
  })
})

describe('failure', () => {
  test.each([
    [1, 'refused', 'the resolver answered with response code 1'],
    [2, 'servfail', 'the resolver could not get an answer (SERVFAIL)'],
    [4, 'refused', 'the resolver answered with response code 4'],
    [5, 'refused', 'the resolver refused the query (REFUSED)'],
    [9, 'refused', 'the resolver answered with response code 9'],
  ])('response code %i is a failure: %s', (rcode, reason, detail) => {
    expect(decode({ rcode })).toEqual({
      kind: 'failed',
      reason,
      detail,
      cnames: [],
      extendedError: null,
      resolver: 'resolver.test',
    })
  })

  test('records beside an error code are not an answer', () => {
    expect(decode({ rcode: 2, answers: [a('acme.test')] })).toMatchObject({
      kind: 'failed',
      reason: 'servfail',
    })
  })

  test('SERVFAIL at the end of a chain keeps the chain', () => {
    expect(decode({ rcode: 2, answers: [cnameRecord('acme.test', 'host.test')] })).toMatchObject({
      kind: 'failed',
      reason: 'servfail',
      cnames: ['host.test'],
    })
  })

  test.each([0, NXDOMAIN])(
    'the extended response code changes %i to a failure (RFC 6891 §6.1.3)',
    (rcode) => {
      const code = 16 + rcode
      expect(decode({ rcode, additionals: [optRecord(1)] })).toMatchObject({
        kind: 'failed',
        reason: 'refused',
        detail: `the resolver answered with response code ${code}`,
      })
    },
  )
})

describe('context', () => {
  test('has the AD flag, with records and with an absence', () => {
    const flags = FLAG_AUTHENTIC_DATA
    expect(decode({ flags, answers: [a('acme.test')] })).toMatchObject({ authenticated: true })
    expect(decode({ flags })).toMatchObject({ kind: 'nodata', authenticated: true })
    expect(decode({ flags, rcode: NXDOMAIN })).toMatchObject({
      kind: 'nxdomain',
      authenticated: true,
    })
  })

  test('has the extended error (RFC 8914)', () => {
    const padding: [number, Buffer] = [12, Buffer.alloc(7)]
    const option: [number, Buffer] = [
      15,
      Buffer.concat([encodeU16(22), Buffer.from('no reachable authority, naïvely')]),
    ]
    const additionals = [optRecord(0, padding, option)]
    const extendedError = { code: 22, text: 'no reachable authority, naïvely' }
    expect(decode({ rcode: 2, additionals })).toMatchObject({
      reason: 'servfail',
      extendedError,
    })
    expect(decode({ additionals })).toMatchObject({ kind: 'nodata', extendedError })
    expect(decode({ answers: [a('acme.test')], additionals })).toMatchObject({
      kind: 'records',
      extendedError,
    })
  })

  test('has an extended error without text', () => {
    expect(decode({ additionals: [optRecord(0, [15, encodeU16(3)])] })).toMatchObject({
      extendedError: { code: 3, text: '' },
    })
  })

  test('truncates the extended error’s text and removes control characters', () => {
    const text = `line\r\n\u001b[31mred\u202e${'x'.repeat(60_000)}`
    const additionals = [optRecord(0, [15, Buffer.concat([encodeU16(3), Buffer.from(text)])])]
    const { extendedError } = decode({ additionals })
    expect(extendedError?.text).toMatch(/^line {3}\[31mred x{1,200}$/)
  })
})
