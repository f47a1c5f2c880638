/** One message at a time; the openspf suite covers the rest of RFC 7208. */
import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { describe, expect, test } from 'vitest'
import { evaluateSpf } from './evaluate-spf.js'

const GOOGLE = `
  acme.test.             TXT "v=spf1 include:_spf.google.com ip4:198.51.100.7 -all exp=why.acme.test"
  why.acme.test.         TXT "%{i} may not send as %{o} (%{s}, %{h}, %{t})"
  _spf.google.com.       TXT "v=spf1 include:_netblocks.google.com ~all"
  _netblocks.google.com. TXT "v=spf1 ip4:192.0.2.0/24 ip6:2001:db8::/32 ~all"
`

const evaluate = (ip: string, zone = GOOGLE, more: { sender?: string; helo?: string } = {}) =>
  evaluateSpf(zoneDns(zone), 'acme.test', {
    ip,
    sender: more.sender ?? 'ann@acme.test',
    helo: more.helo ?? null,
    timestamp: 1_794_787_200,
  })

describe('result', () => {
  test('names the term that decides, and the records that lead to the match', async () => {
    expect(await evaluate('192.0.2.9')).toEqual({
      ip: '192.0.2.9',
      sender: 'ann@acme.test',
      helo: null,
      result: 'pass',
      matched: {
        term: 'include:_spf.google.com',
        record: 'acme.test',
        path: ['acme.test', '_spf.google.com', '_netblocks.google.com'],
        innerTerm: 'ip4:192.0.2.0/24',
      },
      explanation: null,
      lookups: 2,
      voidLookups: 0,
    })
  })

  test('of a fail has the explanation of the domain', async () => {
    expect(await evaluate('203.0.113.5', GOOGLE, { helo: 'mx.sender.test' })).toMatchObject({
      result: 'fail',
      matched: { term: '-all', record: 'acme.test', path: ['acme.test'], innerTerm: '-all' },
      explanation:
        '203.0.113.5 may not send as acme.test (ann@acme.test, mx.sender.test, 1794787200)',
      lookups: 2,
    })
  })

  test.each([
    ['2001:db8::25', 'pass'],
    ['::ffff:192.0.2.9', 'pass'],
    ['198.51.100.7', 'pass'],
    ['2001:dead::1', 'fail'],
  ])('for %s is %s', async (ip, result) => {
    expect((await evaluate(ip)).result).toBe(result)
  })

  test('of a redirect belongs to the record that it leads to', async () => {
    const zone = `
      acme.test. TXT "v=spf1 redirect=b.test"
      b.test.    TXT "v=spf1 a:h.test ~all"
      h.test.    A 192.0.2.1
    `
    expect(await evaluate('192.0.2.1', zone)).toMatchObject({
      result: 'pass',
      matched: { term: 'a:h.test', record: 'b.test', path: ['acme.test', 'b.test'] },
    })
    expect(await evaluate('192.0.2.2', zone)).toMatchObject({
      result: 'softfail',
      matched: { term: '~all', record: 'b.test' },
    })
  })

  test.each([
    ['no record', 'acme.test. A 192.0.2.1', 'none'],
    ['two records', 'acme.test. TXT "v=spf1 -all"\nacme.test. TXT "v=spf1 +all"', 'permerror'],
    ['an invalid term after a match', 'acme.test. TXT "v=spf1 ip4:192.0.2.1 foo"', 'permerror'],
    ['no match and no all', 'acme.test. TXT "v=spf1 ip4:192.0.2.2"', 'neutral'],
    ['an include without a record', 'acme.test. TXT "v=spf1 include:gone.test -all"', 'permerror'],
  ])('with %s', async (_, zone, result) => {
    expect(await evaluate('192.0.2.1', zone)).toMatchObject({ result, matched: null })
  })

  test('is a temporary error when a lookup fails', async () => {
    const dns = zoneDns(GOOGLE, { 'TXT _netblocks.google.com': 'servfail' })
    const message = { ip: '198.51.100.7', sender: 'ann@acme.test', helo: null, timestamp: 0 }
    expect(await evaluateSpf(dns, 'acme.test', message)).toMatchObject({ result: 'temperror' })
  })
})

describe('macros', () => {
  test('expand the sender and the address', async () => {
    const zone = `
      acme.test. TXT "v=spf1 exists:%{ir}.%{l1r+}.%{v}.%{d2} -all"
      5.113.0.203.ann.in-addr.acme.test. A 127.0.0.2
    `
    const listed = await evaluate('203.0.113.5', zone, { sender: 'ann+news@acme.test' })
    expect(listed).toMatchObject({ result: 'pass', lookups: 1 })
    const other = await evaluate('203.0.113.5', zone, { sender: 'bob@acme.test' })
    expect(other).toMatchObject({ result: 'fail', voidLookups: 1 })
  })

  test('validate the name of the address for ptr and %{p}', async () => {
    const zone = `
      acme.test. TXT "v=spf1 ptr exists:%{p}.names.test -all"
      1.2.0.192.in-addr.arpa. PTR mail.acme.test.
      2.2.0.192.in-addr.arpa. PTR fake.acme.test.
      mail.acme.test. A 192.0.2.1
      fake.acme.test. A 192.0.2.99
      unknown.names.test. A 127.0.0.2
    `
    expect(await evaluate('192.0.2.1', zone)).toMatchObject({ matched: { term: 'ptr' } })
    // The name does not lead back to the address, so it is not its name.
    expect(await evaluate('192.0.2.2', zone)).toMatchObject({
      matched: { term: 'exists:%{p}.names.test' },
    })
  })
})

describe('limits', () => {
  test('an eleventh lookup is a permanent error, unless a term matched before', async () => {
    const terms = Array.from({ length: 11 }, (_, index) => `a:h${index}.test`).join(' ')
    const hosts = Array.from({ length: 11 }, (_, index) => `h${index}.test. A 192.0.2.${index}`)
    const zone = `acme.test. TXT "v=spf1 ${terms} -all"\n${hosts.join('\n')}`
    expect(await evaluate('192.0.2.9', zone)).toMatchObject({ result: 'pass', lookups: 10 })
    expect(await evaluate('192.0.2.10', zone)).toMatchObject({ result: 'permerror', lookups: 11 })
  })

  test('a third void lookup is a permanent error', async () => {
    const zone = 'acme.test. TXT "v=spf1 a:x.test a:y.test a:z.test ip4:192.0.2.1 -all"'
    expect(await evaluate('192.0.2.1', zone)).toMatchObject({ result: 'permerror', voidLookups: 3 })
    const two = 'acme.test. TXT "v=spf1 a:x.test a:y.test ip4:192.0.2.1 -all"'
    expect(await evaluate('192.0.2.1', two)).toMatchObject({ result: 'pass', voidLookups: 2 })
  })

  test('more than ten mail servers are a permanent error', async () => {
    const servers = Array.from({ length: 11 }, (_, index) => `acme.test. MX ${index} h.test.`)
    const zone = `acme.test. TXT "v=spf1 mx -all"\nh.test. A 192.0.2.1\n${servers.join('\n')}`
    expect((await evaluate('192.0.2.1', zone)).result).toBe('permerror')
    expect((await evaluate('192.0.2.1', zone.replace(/\n.*MX 10 .*/, ''))).result).toBe('pass')
  })

  test('only ten names of an address are looked at', async () => {
    const names = Array.from({ length: 11 }, (_, index) => {
      const name = index === 10 ? 'mail.acme.test' : `n${index}.other.test`
      return `1.2.0.192.in-addr.arpa. PTR ${name}.\n${name}. A 192.0.2.1`
    })
    const zone = `acme.test. TXT "v=spf1 ptr -all"\n${names.join('\n')}`
    expect((await evaluate('192.0.2.1', zone)).result).toBe('fail')
  })
})
