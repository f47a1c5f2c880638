/** What a well-formed message means for the question it answers. */

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

const answerTo = (parts: ResponseParts) =>
  decodeResponse(
    encodeResponse('A acme.test', parts),
    { name: 'acme.test', type: 'A' },
    'resolver.test',
  )

describe('absence', () => {
  test('NXDOMAIN: the name does not exist', () => {
    expect(answerTo({ rcode: NXDOMAIN, authorities: [soaRecord('test', 3_600, 300)] })).toEqual({
      kind: 'nxdomain',
      ttl: 300,
      authenticated: false,
      cnames: [],
      extendedError: null,
      resolver: 'resolver.test',
    })
  })

  test('NODATA: the name exists without such records', () => {
    expect(answerTo({ authorities: [soaRecord('test', 3_600, 300)] })).toEqual({
      kind: 'nodata',
      ttl: 300,
      authenticated: false,
      cnames: [],
      extendedError: null,
      resolver: 'resolver.test',
    })
  })

  test('it holds for the lesser of the SOA’s own TTL and its minimum', () => {
    expect(answerTo({ authorities: [soaRecord('test', 30, 300)] })).toMatchObject({ ttl: 30 })
    expect(answerTo({ authorities: [soaRecord('test', 300, 30)] })).toMatchObject({ ttl: 30 })
    expect(answerTo({ authorities: [soaRecord('test', 0, 30)] })).toMatchObject({ ttl: 0 })
  })

  test('without an SOA nobody knows how long it holds', () => {
    expect(answerTo({})).toMatchObject({ kind: 'nodata', ttl: null })
    expect(answerTo({ rcode: NXDOMAIN })).toMatchObject({ kind: 'nxdomain', ttl: null })
  })

  test('name servers beside an SOA are still NODATA', () => {
    expect(answerTo({ authorities: [ns, soaRecord('test', 60, 60)] })).toMatchObject({
      kind: 'nodata',
    })
  })

  test('name servers without an SOA are a referral, and a referral is no absence', () => {
    expect(answerTo({ authorities: [ns] })).toMatchObject({
      kind: 'failed',
      reason: 'refused',
      detail: 'the resolver sent a referral instead of an answer',
    })
  })

  test('an alias at whose end there is nothing is NODATA, if the server follows aliases', () => {
    const answers = [cnameRecord('acme.test', 'host.test')]
    expect(answerTo({ answers })).toMatchObject({ kind: 'nodata', cnames: ['host.test'] })
  })

  test('from a server that does not, it is no absence: the alias was not followed', () => {
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

  test('records of quite another name are no absence but nonsense', () => {
    expect(answerTo({ answers: [a('other.test')] })).toMatchObject({
      kind: 'failed',
      reason: 'malformed',
      detail: 'the resolver sent records of another name',
    })
  })

  test('NXDOMAIN beside records of the very name is a contradiction, not an absence', () => {
    expect(answerTo({ rcode: NXDOMAIN, answers: [a('acme.test')] })).toMatchObject({
      kind: 'failed',
      reason: 'malformed',
      detail: 'the resolver sent NXDOMAIN together with records of the name',
    })
  })

  test('name servers beside an answer are only that', () => {
    expect(answerTo({ answers: [a('acme.test')], authorities: [ns] }).kind).toBe('records')
  })
})

describe('aliases', () => {
  test('are followed in their order, whatever the order of the message', () => {
    const answers = [
      a('three.test'),
      cnameRecord('two.test', 'Three.test'),
      cnameRecord('acme.test', 'one.test'),
      cnameRecord('one.test', 'two.test'),
    ]
    expect(answerTo({ answers })).toMatchObject({
      kind: 'records',
      records: ['192.0.2.7'],
      cnames: ['one.test', 'two.test', 'three.test'],
    })
  })

  test.each([
    [[10, 200, 300], 10],
    [[200, 10, 300], 10],
    [[200, 300, 10], 10],
  ])('the shortest-lived link of %j decides the TTL', ([first, second, last], ttl) => {
    const answers = [
      cnameRecord('acme.test', 'one.test', first),
      cnameRecord('one.test', 'two.test', second),
      a('two.test', last),
    ]
    expect(answerTo({ answers })).toMatchObject({ ttl })
  })

  test('the shortest-lived of the records decides too', () => {
    expect(answerTo({ answers: [a('acme.test', 300), a('acme.test', 20)] })).toMatchObject({
      ttl: 20,
    })
  })

  test('a dangling alias is NXDOMAIN of its target, and says so (RFC 6604 §3)', () => {
    expect(
      answerTo({
        rcode: NXDOMAIN,
        answers: [cnameRecord('acme.test', 'gone.test')],
        authorities: [soaRecord('test', 60, 60)],
      }),
    ).toMatchObject({ kind: 'nxdomain', cnames: ['gone.test'], ttl: 60 })
  })

  test('an alias to a name without such records is NODATA', () => {
    expect(
      answerTo({
        answers: [cnameRecord('acme.test', 'host.test')],
        authorities: [soaRecord('test', 60, 60)],
      }),
    ).toMatchObject({ kind: 'nodata', cnames: ['host.test'] })
  })

  test('records of a name on the way are not the answer', () => {
    const answers = [a('acme.test'), cnameRecord('acme.test', 'host.test')]
    const authorities = [soaRecord('host.test', 300, 60)]
    expect(answerTo({ answers, authorities })).toMatchObject({
      kind: 'failed',
      reason: 'malformed',
      cnames: ['host.test'],
    })
  })

  test('other names’ aliases are passed over', () => {
    const answers = [cnameRecord('evil.test', 'acme.test'), a('acme.test')]
    expect(answerTo({ answers })).toMatchObject({ kind: 'records', cnames: [] })
  })

  test.each([
    ['itself', [cnameRecord('acme.test', 'acme.test')]],
    [
      'the name asked for',
      [cnameRecord('acme.test', 'one.test'), cnameRecord('one.test', 'acme.test')],
    ],
    [
      'a name on the way',
      [cnameRecord('acme.test', 'one.test'), cnameRecord('one.test', 'one.test')],
    ],
  ])('that lead back to %s are a loop, not an absence', (_, answers) => {
    const loop = { kind: 'failed', reason: 'cname-loop', resolver: 'resolver.test' }
    expect(answerTo({ answers })).toMatchObject(loop)
    // BIND reports SERVFAIL and shows the loop.
    expect(answerTo({ rcode: 2, answers })).toMatchObject(loop)
  })

  test('a loop elsewhere in the message does not concern us', () => {
    const answers = [
      a('acme.test'),
      cnameRecord('x.test', 'y.test'),
      cnameRecord('y.test', 'x.test'),
    ]
    expect(answerTo({ answers })).toMatchObject({ kind: 'records', cnames: [] })
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
    expect(answerTo({ rcode })).toEqual({
      kind: 'failed',
      reason,
      detail,
      cnames: [],
      extendedError: null,
      resolver: 'resolver.test',
    })
  })

  test('records beside a failure do not make it an answer', () => {
    expect(answerTo({ rcode: 2, answers: [a('acme.test')] })).toMatchObject({
      kind: 'failed',
      reason: 'servfail',
    })
  })

  test('SERVFAIL at the end of a chain shows the chain', () => {
    expect(answerTo({ rcode: 2, answers: [cnameRecord('acme.test', 'host.test')] })).toMatchObject({
      kind: 'failed',
      reason: 'servfail',
      cnames: ['host.test'],
    })
  })

  test.each([0, NXDOMAIN])(
    'upper bits of the response code turn %i into something else (RFC 6891 §6.1.3)',
    (rcode) => {
      const code = 16 + rcode
      expect(answerTo({ rcode, additionals: [optRecord(1)] })).toMatchObject({
        kind: 'failed',
        reason: 'refused',
        detail: `the resolver answered with response code ${code}`,
      })
    },
  )
})

describe('what else the resolver tells', () => {
  test('whether it validated: the AD flag, with records and with absence', () => {
    const flags = FLAG_AUTHENTIC_DATA
    expect(answerTo({ flags, answers: [a('acme.test')] })).toMatchObject({ authenticated: true })
    expect(answerTo({ flags })).toMatchObject({ kind: 'nodata', authenticated: true })
    expect(answerTo({ flags, rcode: NXDOMAIN })).toMatchObject({
      kind: 'nxdomain',
      authenticated: true,
    })
  })

  test('why it failed: the extended error (RFC 8914)', () => {
    const padding: [number, Buffer] = [12, Buffer.alloc(7)]
    const extendedError: [number, Buffer] = [
      15,
      Buffer.concat([encodeU16(22), Buffer.from('no reachable authority, naïvely')]),
    ]
    const additionals = [optRecord(0, padding, extendedError)]
    const told = { code: 22, text: 'no reachable authority, naïvely' }
    expect(answerTo({ rcode: 2, additionals })).toMatchObject({
      reason: 'servfail',
      extendedError: told,
    })
    expect(answerTo({ additionals })).toMatchObject({ kind: 'nodata', extendedError: told })
    expect(answerTo({ answers: [a('acme.test')], additionals })).toMatchObject({
      kind: 'records',
      extendedError: told,
    })
  })

  test('an extended error need not have a text', () => {
    expect(answerTo({ additionals: [optRecord(0, [15, encodeU16(3)])] })).toMatchObject({
      extendedError: { code: 3, text: '' },
    })
  })

  test('an extended error’s text is cut to size and cannot control anything', () => {
    const text = `line\r\n\u001b[31mred\u202e${'x'.repeat(60_000)}`
    const additionals = [optRecord(0, [15, Buffer.concat([encodeU16(3), Buffer.from(text)])])]
    const { extendedError } = answerTo({ additionals })
    expect(extendedError?.text).toMatch(/^line {3}\[31mred x{1,200}$/)
  })
})
