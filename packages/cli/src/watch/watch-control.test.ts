/** Changes of who controls a domain or its mail, and of what protects it on the way. */
import { readFileSync, writeFileSync } from 'node:fs'
import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { describe, expect, test } from 'vitest'
import { type RunOptions, runMailgrade } from '../../test/support/run-mailgrade.js'
import {
  createStatePath,
  dnsOf,
  key,
  toStrings,
  watch,
  zoneOf,
} from '../../test/support/watch-fixture.js'

const EXIT_CODES = { control: 4, weaker: 1, other: 0 }

/** `control: MX: 10 a → 10 b`, without verdicts, findings, and what follows from other lines. */
async function classify(
  runs: readonly (string | Partial<RunOptions>)[],
  state = createStatePath(),
) {
  const { exitCode, result, stderr } = await watch(runs, [], state)
  const lines = (result?.changes ?? [])
    .filter(({ subject }: Line) => !/^(?:Verdict|Finding |SPF lookups|SPF senders)/.test(subject))
    .map((change: Line) => `${change.class}: ${change.subject}: ${change.before} → ${change.after}`)
  return { exitCode, lines, result, stderr, state }
}

type Line = Record<'class' | 'subject' | 'before' | 'after', string>

const server = (name: string) => `good.test. NS ${name}.`
const txtKey = (selector: string, text = key(2048)) =>
  `${selector}._domainkey.good.test. TXT ${toStrings(text)}`
const cnameKey = (target: string, bits: 1024 | 2048 = 2048) => `
  s1._domainkey.good.test. CNAME ${target}.
  ${target}. TXT ${toStrings(key(bits))}`
const INCLUDED = `
  _spf.google.com. TXT "v=spf1 ip4:192.0.2.0/24 -all"
  _spf.good.test. TXT "v=spf1 ip4:198.51.100.0/24 -all"`
const SECOND_MX = 'mx2.other.test. A 192.0.2.2'

describe.each([
  [
    'a name server',
    zoneOf({ zone: server('ns1.host.test') }),
    zoneOf({ zone: `${server('ns1.host.test')}\n${server('ns.evil.test')}` }),
    'Name servers: ns1.host.test → ns.evil.test, ns1.host.test',
  ],
  [
    'name servers of _domainkey',
    zoneOf(),
    zoneOf({ google: '', zone: `_domainkey.good.test. NS ns.evil.test.\n${txtKey('google')}` }),
    'Name servers of _domainkey.good.test: null → ns.evil.test',
  ],
  [
    'a CNAME of the DMARC record',
    zoneOf({
      dmarc: '',
      zone: `_dmarc.good.test. CNAME a.test.
        a.test. TXT "v=DMARC1; p=reject; rua=mailto:d@good.test"
        b.test. TXT "v=DMARC1; p=reject; rua=mailto:d@good.test"`,
    }),
    zoneOf({
      dmarc: '',
      zone: `_dmarc.good.test. CNAME b.test.
        b.test. TXT "v=DMARC1; p=reject; rua=mailto:d@good.test"`,
    }),
    'DMARC CNAME: a.test → b.test',
  ],
  [
    'where reports go',
    zoneOf(),
    zoneOf({ dmarc: 'v=DMARC1; p=reject; rua=mailto:d@good.test,mailto:x@good.test' }),
    'DMARC reports: mailto:d@good.test → mailto:d@good.test, mailto:x@good.test',
  ],
  [
    'where failure reports go',
    zoneOf(),
    zoneOf({ dmarc: 'v=DMARC1; p=reject; rua=mailto:d@good.test; ruf=mailto:x@good.test' }),
    'DMARC failure reports: null → mailto:x@good.test',
  ],
  [
    'a mail server',
    zoneOf({ zone: SECOND_MX }),
    zoneOf({ zone: `${SECOND_MX}\ngood.test. MX 20 mx2.other.test.` }),
    'MX: 10 mail.good.test → 10 mail.good.test, 20 mx2.other.test',
  ],
  [
    'an SPF include',
    zoneOf({ zone: INCLUDED }),
    zoneOf({ zone: INCLUDED, spf: 'v=spf1 mx include:_spf.google.com -all' }),
    'SPF record: v=spf1 mx -all → v=spf1 mx include:_spf.google.com -all',
  ],
  [
    'an SPF address',
    zoneOf(),
    zoneOf({ spf: 'v=spf1 mx ip4:203.0.113.7 -all' }),
    'SPF record: v=spf1 mx -all → v=spf1 mx ip4:203.0.113.7 -all',
  ],
  [
    'an SPF address in an included record of the same organization',
    zoneOf({ spf: 'v=spf1 include:_spf.good.test -all', zone: INCLUDED }),
    zoneOf({
      spf: 'v=spf1 include:_spf.good.test -all',
      zone: INCLUDED.replace('198.51.100.0/24', '198.51.100.0/24 ip4:203.0.113.7'),
    }),
    'SPF record of _spf.good.test: v=spf1 ip4:198.51.100.0/24 -all → v=spf1 ip4:198.51.100.0/24 ip4:203.0.113.7 -all',
  ],
  [
    'a record at a name that an include pointed to in vain',
    zoneOf({ spf: 'v=spf1 mx include:gone.test -all' }),
    zoneOf({
      spf: 'v=spf1 mx include:gone.test -all',
      zone: 'gone.test. TXT "v=spf1 ip4:203.0.113.7 -all"',
    }),
    'SPF record of gone.test: null → published',
  ],
  ['a DKIM key', zoneOf(), zoneOf({ zone: txtKey('s1') }), `DKIM key s1: null → ${key(2048)}`],
  [
    'the text of a DKIM key',
    zoneOf({ google: key(1024) }),
    zoneOf(),
    `DKIM key google: ${key(1024)} → ${key(2048)}`,
  ],
  [
    'the CNAME of a DKIM key',
    zoneOf({ zone: cnameKey('a.signer.test') }),
    zoneOf({ zone: cnameKey('b.evil.test') }),
    'DKIM CNAME s1: a.signer.test → b.evil.test',
  ],
  [
    'a valid key behind a CNAME that led to a revoked one',
    zoneOf({
      zone: `s1._domainkey.good.test. CNAME a.signer.test.
        a.signer.test. TXT "v=DKIM1; p="`,
    }),
    zoneOf({ zone: cnameKey('a.signer.test') }),
    `DKIM key s1: v=DKIM1; p= → ${key(2048)}`,
  ],
])('%s', (_, before, after, line) => {
  test('that is new is a change of control', async () => {
    const { exitCode, lines } = await classify([before, after])
    expect(lines).toContain(`control: ${line}`)
    expect(exitCode).toBe(EXIT_CODES.control)
  })

  test('that an older state does not know raises no alarm for new facts', async () => {
    const { state } = await classify([before])
    toOlderState(state)
    const { result, lines } = await classify([before], state)
    expect(result.changes).toEqual([])
    expect(lines).toEqual([])
    // Once learned, it is compared.
    expect((await classify([after], state)).exitCode).toBe(EXIT_CODES.control)
  })
})

/** As version 0.4.0 before these facts wrote it. */
function toOlderState(path: string): void {
  const content = JSON.parse(readFileSync(path, 'utf8'))
  const { facts } = content.domains['good.test']
  for (const name of [
    ...['ruf', 'mxServices', 'nameServers', 'dmarcCname'],
    ...['mtaSts', 'tlsRpt', 'dane', 'answeredSelectors'],
  ]) {
    delete facts[name]
  }
  delete facts.spf.services
  delete facts.spf.below
  for (const each of facts.keys) {
    delete each.cname
    delete each.service
  }
  writeFileSync(path, JSON.stringify(content))
}

test('an older state does not know which selectors were tried, so a new key is no alarm', async () => {
  const { state } = await classify([zoneOf()])
  toOlderState(state)
  const { lines, exitCode } = await classify([zoneOf({ zone: txtKey('s1') })], state)
  expect(lines).toEqual([`other: DKIM key s1: null → ${key(2048)}`])
  expect(exitCode).toBe(EXIT_CODES.other)
})

test('an older state with a key at a CNAME learns the target, without alarm', async () => {
  const { state } = await classify([zoneOf({ zone: cnameKey('a.signer.test', 1024) })])
  toOlderState(state)
  const rotated = await classify([zoneOf({ zone: cnameKey('b.signer.test') })], state)
  expect(rotated.lines).toEqual([`other: DKIM key s1: ${key(1024)} → ${key(2048)}`])
  const moved = await classify([zoneOf({ zone: cnameKey('c.signer.test') })], state)
  expect(moved.lines).toEqual(['control: DKIM CNAME s1: b.signer.test → c.signer.test'])
})

describe('is no change of control', () => {
  test.each([
    [
      'a name server that is gone',
      zoneOf({ zone: `${server('ns1.host.test')}\n${server('ns2.host.test')}` }),
      zoneOf({ zone: server('ns1.host.test') }),
      ['other: Name servers: ns1.host.test, ns2.host.test → ns1.host.test'],
    ],
    [
      'a mail server that is gone',
      zoneOf({ zone: `${SECOND_MX}\ngood.test. MX 20 mx2.other.test.` }),
      zoneOf(),
      ['other: MX: 10 mail.good.test, 20 mx2.other.test → 10 mail.good.test'],
    ],
    [
      'a preference',
      zoneOf(),
      zoneOf({ mx: '5 mail.good.test.' }),
      ['other: MX: 10 mail.good.test → 5 mail.good.test'],
    ],
    [
      'an include that is gone',
      zoneOf({ zone: INCLUDED, spf: 'v=spf1 mx include:_spf.google.com -all' }),
      zoneOf({ zone: INCLUDED }),
      ['other: SPF record: v=spf1 mx include:_spf.google.com -all → v=spf1 mx -all'],
    ],
    [
      'a term that lets no mail pass',
      zoneOf(),
      zoneOf({ spf: 'v=spf1 -ip4:203.0.113.7 +mx -all' }),
      ['other: SPF record: v=spf1 mx -all → v=spf1 -ip4:203.0.113.7 +mx -all'],
    ],
    [
      'the record of an included service',
      zoneOf({ zone: INCLUDED, spf: 'v=spf1 mx include:_spf.google.com -all' }),
      zoneOf({
        zone: INCLUDED.replace('192.0.2.0/24', '192.0.2.0/24 ip4:203.0.113.7'),
        spf: 'v=spf1 mx include:_spf.google.com -all',
      }),
      [],
    ],
    [
      'a key that a service replaces behind its CNAME',
      zoneOf({ zone: cnameKey('a.signer.test', 1024) }),
      zoneOf({ zone: cnameKey('a.signer.test') }),
      [`other: DKIM key s1: ${key(1024)} → ${key(2048)}`],
    ],
    [
      'a report address that is gone',
      zoneOf({ dmarc: 'v=DMARC1; p=reject; rua=mailto:d@good.test,mailto:x@good.test' }),
      zoneOf(),
      ['other: DMARC reports: mailto:d@good.test, mailto:x@good.test → mailto:d@good.test'],
    ],
  ])('%s', async (_, before, after, lines) => {
    const result = await classify([before, after])
    expect(result.lines).toEqual(lines)
    expect(result.exitCode).not.toBe(EXIT_CODES.control)
  })

  test('a key that is gone, which still fails the run because mail may be lost', async () => {
    const { exitCode, lines, result } = await classify([zoneOf(), zoneOf({ google: '' })])
    expect(lines).toEqual([`other: DKIM key google: ${key(2048)} → null`])
    expect(result.changes).toContainEqual(
      expect.objectContaining({ subject: 'DKIM key google', direction: 'worse' }),
    )
    expect(exitCode).toBe(1)
  })
})

describe('protection on the way', () => {
  const sts = (record: string) => `_mta-sts.good.test. TXT "${record}"`
  const TLSA = `_25._tcp.mail.good.test. TLSA 3 1 1 ${'00'.repeat(32)}`

  /** The resolver validates every answer. */
  function signed(zone: string): Partial<RunOptions> {
    const dns = zoneDns(zone)
    const query = async (name: string, type: 'TXT') => ({
      ...(await dns.query(name, type)),
      authenticated: true,
    })
    return { openDns: () => ({ query, close() {} }) as never }
  }

  test.each([
    ['MTA-STS is gone', sts('v=STSv1; id=1'), '', 'weaker: MTA-STS: v=STSv1; id=1 → null'],
    [
      'MTA-STS is broken',
      sts('v=STSv1; id=1'),
      sts('v=STSv1; id='),
      'weaker: MTA-STS: v=STSv1; id=1 → v=STSv1; id=',
    ],
    ['MTA-STS is new', '', sts('v=STSv1; id=1'), 'other: MTA-STS: null → v=STSv1; id=1'],
    [
      'MTA-STS has a new policy file',
      sts('v=STSv1; id=1'),
      sts('v=STSv1; id=2'),
      'other: MTA-STS: v=STSv1; id=1 → v=STSv1; id=2',
    ],
    [
      'TLS reports go elsewhere',
      '_smtp._tls.good.test. TXT "v=TLSRPTv1; rua=mailto:a@good.test"',
      '_smtp._tls.good.test. TXT "v=TLSRPTv1; rua=mailto:a@good.test; rua=mailto:b@good.test"',
      'other: TLS-RPT reports: mailto:a@good.test → mailto:a@good.test, mailto:b@good.test',
    ],
    ['DANE is gone', TLSA, '', 'weaker: DANE: mail.good.test → null'],
    ['DANE is new', '', TLSA, 'other: DANE: null → mail.good.test'],
  ])('%s', async (_, before, after, line) => {
    const [old, current] = [before, after].map((zone) => signed(zoneOf({ zone })))
    if (!old || !current) throw new Error('two runs')
    const { exitCode, lines } = await classify([old, current])
    expect(lines).toEqual([line])
    expect(exitCode).toBe(line.startsWith('weaker') ? EXIT_CODES.weaker : EXIT_CODES.other)
  })
})

describe('a lookup that fails', () => {
  const zone = `${server('ns1.host.test')}
    _mta-sts.good.test. TXT "v=STSv1; id=1"
    _smtp._tls.good.test. TXT "v=TLSRPTv1; rua=mailto:d@good.test"`
  const changed = zoneOf({ zone: server('ns.evil.test') })

  test.each([
    ['NS good.test', 'name-servers'],
    ['NS _dmarc.good.test', 'name-servers'],
    ['TXT _mta-sts.good.test', 'mta-sts'],
    ['TXT _smtp._tls.good.test', 'tls-rpt'],
    ['TLSA _25._tcp.mail.good.test', 'dane'],
  ])('of %s is no change, and keeps what was known', async (query, part) => {
    const failing = { [query]: 'servfail' } as const
    const first = await classify([zoneOf({ zone }), dnsOf(zoneOf({ zone }), failing)])
    expect(first).toMatchObject({ exitCode: 0, lines: [], result: { unknown: [part] } })
    const back = await classify([zoneOf({ zone })], first.state)
    expect(back.result).toMatchObject({ changes: [], unknown: [] })
    const after = await classify([changed], first.state)
    expect(after.lines).toEqual([
      'control: Name servers: ns1.host.test → ns.evil.test',
      'weaker: MTA-STS: v=STSv1; id=1 → null',
      'other: TLS-RPT reports: mailto:d@good.test → null',
    ])
  })

  test('hides no change that comes later', async () => {
    const failing = { 'NS good.test': 'servfail' } as const
    const { lines } = await classify([
      zoneOf({ zone: server('ns1.host.test') }),
      dnsOf(zoneOf({ zone: server('ns1.host.test') }), failing),
      zoneOf({ zone: server('ns.evil.test') }),
    ])
    expect(lines).toEqual(['control: Name servers: ns1.host.test → ns.evil.test'])
  })

  test('at the first run is learned in the next, without alarm', async () => {
    const failing = { 'NS good.test': 'servfail', 'TXT _mta-sts.good.test': 'timeout' } as const
    const { result } = await classify([dnsOf(zoneOf({ zone }), failing), zoneOf({ zone })])
    expect(result).toMatchObject({ changes: [], unknown: [] })
  })

  test('of a selector at the first run makes its key no new one', async () => {
    const failing = { 'TXT s1._domainkey.good.test': 'servfail' } as const
    const withKey = zoneOf({ zone: txtKey('s1') })
    const { result, state } = await classify([dnsOf(withKey, failing), withKey])
    expect(result.changes).toEqual([])
    const gone = await classify([zoneOf()], state)
    expect(gone.lines).toEqual([`other: DKIM key s1: ${key(2048)} → null`])
  })

  test('of a selector in a later run hides no key that is new', async () => {
    const failing = { 'TXT s1._domainkey.good.test': 'servfail' } as const
    const runs = [zoneOf(), dnsOf(zoneOf(), failing), zoneOf({ zone: txtKey('s1') })]
    expect((await classify(runs)).lines).toEqual([`control: DKIM key s1: null → ${key(2048)}`])
  })

  test('is said in words', async () => {
    const state = createStatePath()
    await watch([zoneOf({ zone })], [], state)
    const failing = { 'NS good.test': 'servfail' } as const
    const line = ['watch', 'good.test', '--state', state]
    const { stdout } = await runMailgrade(line, dnsOf(zoneOf({ zone }), failing))
    expect(stdout).toContain(
      '  Name servers: a lookup failed, so we couldn’t compare everything.\n',
    )
  })
})

test('a selector that was never tried is no new key', async () => {
  const state = createStatePath()
  const zone = zoneOf({ zone: txtKey('x7q9') })
  await watch([zone], [], state)
  expect(await watch([zone], ['--selector', 'x7q9'], state)).toMatchObject({
    exitCode: 0,
    changes: [],
  })
  expect((await watch([zoneOf()], [], state)).changes).toEqual([
    `worse: DKIM key x7q9: ${key(2048)} → null`,
  ])
})

describe('the services that a change is about', () => {
  const GOOGLE = { id: 'google', name: 'Google Workspace' }
  const googleMx = 'smtp.google.com. A 192.0.2.5'

  async function streamsOf(before: string, after: string, subject: string) {
    const { result } = await watch([before, after])
    return result.changes.find((change: Line) => change.subject === subject)?.streams
  }

  test('are named for keys, mail servers and SPF', async () => {
    const other = zoneOf({ zone: `${googleMx}\n${INCLUDED}` })
    const moved = zoneOf({
      mx: '1 smtp.google.com.',
      spf: 'v=spf1 include:_spf.google.com -all',
      zone: `${googleMx}\n${INCLUDED}`,
    })
    expect(await streamsOf(other, moved, 'MX')).toEqual([GOOGLE])
    expect(await streamsOf(other, moved, 'SPF record')).toEqual([GOOGLE])
    expect(await streamsOf(moved, zoneOf({ google: '' }), 'DKIM key google')).toEqual([GOOGLE])
  })

  test('are printed, with what a change of control means', async () => {
    const state = createStatePath()
    await watch([zoneOf({ zone: googleMx })], [], state)
    const after = zoneOf({ mx: '1 smtp.google.com.', zone: googleMx })
    const line = ['watch', 'good.test', '--state', state]
    const { stdout, exitCode } = await runMailgrade(line, { zone: after })
    expect(exitCode).toBe(4)
    expect(stdout.split('\n').slice(1)).toEqual(
      expect.arrayContaining([
        '  ✕ control  MX (Google Workspace): 10 mail.good.test → 1 smtp.google.com',
        '  With a change marked “control”, someone new can send or receive mail as this',
      ]),
    )
  })
})

test('control decides the exit code, even if something else got worse', async () => {
  const dmarc = 'v=DMARC1; p=none; rua=mailto:d@good.test'
  const { exitCode, lines } = await classify([zoneOf(), zoneOf({ zone: txtKey('s1'), dmarc })])
  expect(exitCode).toBe(4)
  expect(lines).toEqual([
    `control: DKIM key s1: null → ${key(2048)}`,
    'weaker: DMARC policy: reject → none',
  ])
})
