import { describe, expect, test } from 'vitest'
import type { RecordType } from '../dns.js'
import { createZoneDns } from './zone-dns.js'

/** The answer as text: kind, records or reason, CNAME targets. */
async function query(zone: string, text: string) {
  const [type, name] = text.split(' ') as [RecordType, string]
  const answer = await createZoneDns('demo', zone).query(name, type)
  const said =
    answer.kind === 'records' ? answer.records : answer.kind === 'failed' ? [answer.reason] : []
  const way = answer.cnames.map((target) => `→ ${target}`)
  const words = said.map((data) =>
    typeof data === 'string' ? data : Object.values(data).join(' '),
  )
  return [answer.kind, ...words, ...way].join(' ')
}

describe('names', () => {
  const zone = `
$ORIGIN acme.test.
@ 300 A 192.0.2.7
@ 60  A 192.0.2.8
@     TXT "one" "two"
a.deep.name TXT "x"
`

  test('a full answer', async () => {
    expect(await createZoneDns('demo', zone).query('acme.test', 'A')).toEqual({
      kind: 'records',
      records: ['192.0.2.7', '192.0.2.8'],
      ttl: 60,
      authenticated: false,
      cnames: [],
      extendedError: null,
      resolver: 'demo',
    })
  })

  test.each([
    ['TXT acme.test', 'records one two'],
    ['MX acme.test', 'nodata'],
    ['A other.test', 'nxdomain'],
    ['A www.acme.test', 'nxdomain'],
    // RFC 8020: a name exists when one below it does.
    ['TXT deep.name.acme.test', 'nodata'],
    ['TXT name.acme.test', 'nodata'],
    ['A test', 'nodata'],
    ['NS .', 'nodata'],
    // Other spellings.
    ['A ACME.Test.', 'records 192.0.2.7 192.0.2.8'],
    ['A \\097cme.test', 'records 192.0.2.7 192.0.2.8'],
    ['A acme\\.test', 'nxdomain'],
    ['A acme..test', 'failed bad-name'],
    [`A ${'x'.repeat(64)}.acme.test`, 'failed bad-name'],
  ])('%s: %s', async (text, answer) => {
    expect(await query(zone, text)).toBe(answer)
  })

  test('an empty zone has only the root', async () => {
    expect(await query('', 'A acme.test')).toBe('nxdomain')
    expect(await query('', 'NS .')).toBe('nodata')
  })

  test('several zones are combined', async () => {
    const dns = createZoneDns(
      'demo',
      'a.test. A 192.0.2.1',
      'a.test. TXT "x"\nb.test. CNAME a.test.',
    )
    expect(await dns.query('b.test', 'TXT')).toMatchObject({ records: [['x']], cnames: ['a.test'] })
    expect(await dns.query('b.test', 'A')).toMatchObject({ records: ['192.0.2.1'] })
  })
})

describe('wildcards (RFC 4592)', () => {
  // The example of §2.2.1, with our record types.
  const zone = `
$ORIGIN example.
@            NS  ns.example.com.
*            TXT "this is a wildcard"
*            MX  10 host1
sub.*        TXT "this is not a wildcard"
host1        A   192.0.2.1
_ssh._tcp.host1 TXT "srv"
_ssh._tcp.host2 TXT "srv"
`

  test.each([
    ['MX host3.example', 'records 10 host1.example'],
    ['TXT foo.bar.example', 'records this is a wildcard'],
    // Synthesized, but the wildcard has no such data.
    ['A host3.example', 'nodata'],
    // The name exists, so no wildcard applies.
    ['MX host1.example', 'nodata'],
    ['MX sub.*.example', 'nodata'],
    ['TXT sub.*.example', 'records this is not a wildcard'],
    // `_tcp.host1` exists without data, and is the closest encloser.
    ['TXT _telnet._tcp.host1.example', 'nxdomain'],
    // An empty non-terminal blocks the wildcard above it.
    ['MX host2.example', 'nodata'],
    ['TXT _tcp.host2.example', 'nodata'],
    ['TXT other.host2.example', 'nxdomain'],
    // The wildcard can be queried by its own name.
    ['TXT *.example', 'records this is a wildcard'],
    // The closest encloser is `*.example`, so the wildcard does not apply.
    ['TXT ghost.*.example', 'nxdomain'],
    ['TXT example', 'nodata'],
  ])('%s: %s', async (text, answer) => {
    expect(await query(zone, text)).toBe(answer)
  })

  test('a wildcard that is an empty non-terminal returns nodata', async () => {
    expect(await query('a.*.acme.test. A 192.0.2.7', 'A b.acme.test')).toBe('nodata')
  })

  test('a wildcard may be below the root', async () => {
    expect(await query('*. A 192.0.2.7', 'A any.name.test')).toBe('records 192.0.2.7')
    expect(await query('*.undefined. A 192.0.2.7', 'A any.name.test')).toBe('nxdomain')
  })

  test('a wildcard may be a CNAME record', async () => {
    const zone = '*.acme.test. CNAME host.test.\nhost.test. A 192.0.2.7'
    expect(await query(zone, 'A www.acme.test')).toBe('records 192.0.2.7 → host.test')
  })
})

describe('CNAME records', () => {
  const zone = `
one.test.   300 CNAME two.test.
two.test.   20  CNAME three.test.
three.test. 100 A     192.0.2.7
gone.test.      CNAME nowhere.test.
self.test.      CNAME self.test.
ping.test.      CNAME pong.test.
pong.test.      CNAME ping.test.
way.test.       CNAME ping.test.
`

  test.each([
    ['A one.test', 'records 192.0.2.7 → two.test → three.test'],
    ['MX one.test', 'nodata → two.test → three.test'],
    ['CNAME one.test', 'records two.test'],
    ['CNAME three.test', 'nodata'],
    ['A gone.test', 'nxdomain → nowhere.test'],
    ['A self.test', 'failed cname-loop'],
    ['A ping.test', 'failed cname-loop'],
    ['A way.test', 'failed cname-loop'],
    ['CNAME self.test', 'records self.test'],
  ])('%s: %s', async (text, answer) => {
    expect(await query(zone, text)).toBe(answer)
  })

  test('the lowest TTL of the chain applies', async () => {
    expect(await createZoneDns('demo', zone).query('one.test', 'A')).toMatchObject({ ttl: 20 })
    expect(await createZoneDns('demo', zone).query('three.test', 'A')).toMatchObject({ ttl: 100 })
  })
})

test('hasName covers names, their ancestors and wildcards', () => {
  const dns = createZoneDns('demo', 'www.acme.test. A 192.0.2.7\n*.wild.test. A 192.0.2.8')
  const names = ['www.acme.test', 'acme.test', 'test', 'any.wild.test', 'WWW.acme.test.', '.']
  expect(names.filter((name) => !dns.hasName(name))).toEqual([])
  const strangers = ['mail.acme.test', 'x.www.acme.test', 'com', 'undefined', '', 'a..test']
  expect(strangers.filter((name) => dns.hasName(name))).toEqual([])
})
