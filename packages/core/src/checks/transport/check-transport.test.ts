import type { FailureReason } from '@mailgrade/doh/dns'
import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { describe, expect, test } from 'vitest'
import type { DomainName } from '../../names/domain-name.js'
import { checkTransport } from './check-transport.js'
import { judgeBimiEnforcement } from './judge-transport.js'
import { transportReportSchema } from './transport-report.js'

const DOMAIN = 'acme.test' as DomainName

async function check(zone: string, failing: Record<string, FailureReason> = {}, domain = DOMAIN) {
  const dns = zoneDns(zone, failing)
  const report = await checkTransport(dns, domain)
  transportReportSchema.strict().parse(report)
  const ids = report.issues.map(({ id }) => id)
  return { ...report, ids, queries: dns.queries }
}

/** The report on one record, at its usual name. */
async function checkRecords(label: keyof typeof PARTS, ...records: readonly string[]) {
  const lines = records.map((text) => `${label}.acme.test. TXT "${text.replace(/"/g, '\\"')}"`)
  const report = await check(['acme.test. MX 0 .', ...lines].join('\n'))
  return { ...report[PARTS[label]], issues: report.issues, ids: report.ids }
}

const PARTS = { '_mta-sts': 'mtaSts', '_smtp._tls': 'tlsRpt', 'default._bimi': 'bimi' } as const

test('shows all three records, with all queries at once', async () => {
  const { queries, ids, issues, ...report } = await check(`
    acme.test.               MX 0 .
    _mta-sts.acme.test.      TXT "v=STSv1; id=20260901T000000;"
    _smtp._tls.acme.test.    TXT "v=TLSRPTv1; rua=mailto:tls@acme.test,https://acme.test/tls"
    default._bimi.acme.test. TXT "v=BIMI1; l=https://acme.test/logo.svg; a="
  `)
  expect(report).toEqual({
    mtaSts: {
      name: '_mta-sts.acme.test',
      present: true,
      record: 'v=STSv1; id=20260901T000000;',
      valid: true,
    },
    tlsRpt: {
      name: '_smtp._tls.acme.test',
      present: true,
      record: 'v=TLSRPTv1; rua=mailto:tls@acme.test,https://acme.test/tls',
      valid: true,
      rua: ['mailto:tls@acme.test', 'https://acme.test/tls'],
    },
    bimi: {
      name: 'default._bimi.acme.test',
      present: true,
      record: 'v=BIMI1; l=https://acme.test/logo.svg; a=',
      valid: true,
      inherited: false,
    },
    dane: { present: false, hosts: [] },
    dnssec: { validated: false },
  })
  expect(ids).toEqual(['transport.mta-sts-policy-not-checked'])
  expect(issues[0]).toMatchObject({
    severity: 'info',
    fix: expect.stringContaining('https://mta-sts.acme.test/.well-known/mta-sts.txt'),
  })
  expect(queries).toEqual([
    'TXT _mta-sts.acme.test',
    'TXT _smtp._tls.acme.test',
    'TXT default._bimi.acme.test',
    'MX acme.test',
    'MX acme.test',
    'TXT acme.test',
  ])
})

test.each([
  [
    'several fields',
    'v=TLSRPTv1; rua=mailto:a@acme.test; rua=https://acme.test/tls;',
    ['mailto:a@acme.test', 'https://acme.test/tls'],
  ],
  [
    'fields and lists',
    'v=TLSRPTv1;rua=mailto:a@acme.test , mailto:b@acme.test;x=1;rua=mailto:a@acme.test,mailto:c@acme.test',
    ['mailto:a@acme.test', 'mailto:b@acme.test', 'mailto:c@acme.test'],
  ],
  ['an invalid field', 'v=TLSRPTv1; rua=mailto:a@acme.test; rua=b@acme.test', []],
])('reads the TLS-RPT addresses of %s', async (_, record, rua) => {
  const { tlsRpt } = await check(`acme.test. MX 0 .\n_smtp._tls.acme.test. TXT "${record}"`)
  expect(tlsRpt).toMatchObject({ valid: rua.length > 0, rua })
})

test('has no findings without any of the records', async () => {
  const { mtaSts, tlsRpt, bimi, issues } = await check(
    'acme.test. MX 0 .\n_mta-sts.acme.test. TXT "hello"',
  )
  expect(
    [mtaSts, tlsRpt, bimi].map(({ present, record, valid }) => [present, record, valid]),
  ).toEqual(Array(3).fill([false, null, null]))
  expect(issues).toEqual([])
})

describe('other versions', () => {
  test.each([
    ['_mta-sts', 'v=STSv1; id=1', 'v=STSv2; id=2'],
    ['_mta-sts', 'v=STSv1; id=1', 'v=STSv10; id=2'],
    ['_mta-sts', 'v=STSv1; id=1', 'v = STSv1; id=2'],
    ['_smtp._tls', 'v=TLSRPTv1; rua=mailto:a@acme.test', 'v=TLSRPTv2; rua=mailto:b@acme.test'],
    ['default._bimi', 'v=BIMI1; l=', 'v=BIMI2; l='],
  ] as const)('at %s are discarded beside %j', async (label, current, other) => {
    for (const records of [
      [current, other],
      [other, current],
    ]) {
      const { present, record, valid } = await checkRecords(label, ...records)
      expect({ present, record, valid }).toEqual({ present: true, record: current, valid: true })
    }
  })

  test.each([
    ['_mta-sts', 'v=STSv2; id=1'],
    ['_mta-sts', 'v=STSv11; id=1'],
    ['_smtp._tls', 'v=TLSRPTv2; rua=mailto:a@acme.test'],
    ['default._bimi', 'v=BIMI2; l='],
    ['default._bimi', 'v=spf1 -all'],
  ] as const)('at %s alone are no record: %j', async (label, other) => {
    const { present, record, valid, issues } = await checkRecords(label, other)
    expect({ present, record, valid }).toEqual({ present: false, record: null, valid: null })
    expect(issues).toEqual([])
  })
})

describe('valid record', () => {
  test.each([
    ['_mta-sts', 'v=STSv1;id=1'],
    ['_mta-sts', 'v=STSv1 ;\tid=abcDEF123 ; '],
    ['_mta-sts', 'v=STSv1; x.y-z_0=a,b/c; id=1'],
    ['_mta-sts', `v=STSv1; id=${'9'.repeat(32)}`],
    ['_smtp._tls', 'v=TLSRPTv1;rua=mailto:a@acme.test'],
    ['_smtp._tls', 'v=TLSRPTv1; rua=mailto:a@acme.test , https://acme.test/r?x=1;'],
    ['_smtp._tls', 'v=TLSRPTv1; ext=1; rua=MAILTO:a@acme.test'],
    ['default._bimi', 'v = BIMI1 ; l = https://acme.test/a.svg?x=1;'],
    ['default._bimi', 'v=BIMI1; l=; a=; lps=true;'],
  ] as const)('%s %j', async (label, record) => {
    const { present, valid } = await checkRecords(label, record)
    expect({ present, valid }).toEqual({ present: true, valid: true })
  })
})

describe('invalid record', () => {
  const STS_START = 'it has to start with exactly "v=STSv1;"'
  const RPT_START = 'it has to start with exactly "v=TLSRPTv1;"'
  const BIMI_START = 'it has to start with exactly "v=BIMI1;"'
  const STS_ID = 'the id has to be 1 to 32 letters and digits'
  const RPT_URI = 'rua has to list mailto: or https: URIs'
  const STS = ['_mta-sts', 'transport.mta-sts-invalid'] as const
  const RPT = ['_smtp._tls', 'transport.tls-rpt-invalid'] as const
  const BIMI = ['default._bimi', 'transport.bimi-invalid'] as const

  test.each([
    [STS, 'v=STSv1; id=', STS_ID],
    [STS, 'v=STSv1; id=2026-01-01', STS_ID],
    [STS, `v=STSv1; id=${'9'.repeat(33)}`, STS_ID],
    [STS, 'v=STSv1', 'the tag id= is missing'],
    [STS, 'v=STSv1;', 'the tag id= is missing'],
    [STS, 'v=STSv1; ID=1', 'the tag id= is missing'],
    [STS, 'v=stsv1; id=1', STS_START],
    [STS, 'V=STSv1; id=1', STS_START],
    [STS, 'v = STSv1; id=1', STS_START],
    [STS, ' v=STSv1; id=1', STS_START],
    [STS, 'v=STSv1 id=1', STS_START],
    [STS, 'id=1; v=STSv1', STS_START],
    [STS, '"v=STSv1; id=1"', STS_START],
    [STS, 'v=STSv1; id = 1', 'there’s white space next to the equals sign in “id = 1”'],
    [STS, 'v=STSv1; id=1; garbage', '“garbage” has no equals sign'],
    [STS, 'v=STSv1;; id=1', 'there’s nothing between two semicolons'],
    [STS, 'v=STSv1; id=1; id=2', 'the tag id= appears more than once'],
    [STS, 'v=STSv1; id=1; v=STSv1', 'the tag v= appears more than once'],
    [STS, 'v=STSv1; id=1; x=', 'the tag x= has no value'],
    [STS, 'v=STSv1; id=1; x=a=b', 'the value of x= contains a character that isn’t allowed'],
    [STS, 'v=STSv1; id=1; -x=1', '“-x” isn’t a tag name'],
    [STS, 'v=STSv1; id=1 ', 'it ends in white space'],
    [STS, 'v=STSv1; id=1; x=é', 'it contains a character that isn’t printable ASCII'],
    [RPT, 'v=TLSRPTv1', 'the tag rua= is missing'],
    [RPT, 'v=TLSRPTv1; rua=', RPT_URI],
    [RPT, 'v=TLSRPTv1; rua=tls@acme.test', RPT_URI],
    [RPT, 'v=TLSRPTv1; rua=http://acme.test', RPT_URI],
    [RPT, 'v=TLSRPTv1; rua=mailto:a@acme.test,', RPT_URI],
    [RPT, 'v=TLSRPTv1; rua=mailto:a@acme.test!10m', RPT_URI],
    [RPT, 'v = TLSRPTv1; rua=mailto:a@acme.test', RPT_START],
    [
      RPT,
      'v=TLSRPTv1; rua = mailto:a@acme.test',
      'there’s white space next to the equals sign in “rua = mailto:a@acme.test”',
    ],
    [RPT, 'v=TLSRPTv1; rua=mailto:a@acme.test; rua=b@acme.test', RPT_URI],
    [RPT, 'v=TLSRPTv1; rua=mailto:a@acme.test; v=TLSRPTv1', 'the tag v= appears more than once'],
    [BIMI, 'v=BIMI1', 'the URL of the logo (l=) is missing'],
    [BIMI, 'v=bimi1; l=', BIMI_START],
    [BIMI, 'V=BIMI1; l=', BIMI_START],
    [BIMI, 'l=; v=BIMI1', BIMI_START],
    [BIMI, 'v=BIMI1; l=; l=', 'the tag l= appears more than once'],
    [BIMI, 'v=BIMI1; l=; invalidpart;', '“invalidpart” isn’t a tag=value pair'],
    [BIMI, 'v=BIMI1;; l=', 'there’s nothing between two semicolons'],
    [BIMI, 'v=BIMI1; l=http://acme.test/a.svg', 'the logo (l=) needs an https: URL'],
    [BIMI, 'v=BIMI1; l=https://acme.test/a b.svg', 'the logo (l=) needs an https: URL'],
    [BIMI, 'v=BIMI1; l=; a=logo.pem', 'the evidence document (a=) needs an https: URL'],
  ])('%s %j', async ([label, id], record, problem) => {
    const { present, valid, issues } = await checkRecords(label, record)
    expect({ present, valid }).toEqual({ present: true, valid: false })
    expect(issues).toMatchObject([
      {
        id,
        severity: 'info',
        detail: expect.stringContaining(`Here’s what’s wrong: ${problem}.`),
        evidence: [{ name: `${label}.acme.test`, type: 'TXT', value: record }],
      },
    ])
  })

  test('two near misses are shown with their fault', async () => {
    const { present, record, valid, issues } = await checkRecords(
      '_mta-sts',
      'v=stsv1; id=1',
      'V=STSv1; id=2',
    )
    expect({ present, record, valid }).toEqual({ present: true, record: null, valid: false })
    expect(issues).toMatchObject([
      { detail: expect.stringContaining(`: ${STS_START}.`), evidence: { length: 2 } },
    ])
  })

  test('two records of one kind are invalid', async () => {
    const { mtaSts, issues } = await check(`
      acme.test.          MX 0 .
      _mta-sts.acme.test. TXT "v=STSv1; id=1"
      _mta-sts.acme.test. TXT "v=STSv1; id=2"
    `)
    expect(mtaSts).toMatchObject({ present: true, record: null, valid: false })
    expect(issues[0]?.evidence.map(({ value }) => value)).toEqual([
      'v=STSv1; id=1',
      'v=STSv1; id=2',
    ])
  })
})

describe('fix', () => {
  test('for _mta-sts starts with the policy file, which a valid record puts into effect', async () => {
    const { issues } = await check('acme.test. MX 0 .\n_mta-sts.acme.test. TXT "v=STSv1"')
    expect(issues[0]?.fix).toMatch(
      /^Open "https:\/\/mta-sts.acme.test\/.well-known\/mta-sts.txt" .*If there’s no file, delete the record and stop here\. .*set "mode: testing" in it\. Then publish exactly one TXT record at _mta-sts.acme.test, with a new id, such as: "v=STSv1; id=20260101"\.$/,
    )
    const repaired = await check(
      'acme.test. MX 0 .\n_mta-sts.acme.test. TXT "v=STSv1; id=20260101"',
    )
    expect(repaired.ids).toEqual(['transport.mta-sts-policy-not-checked'])
  })

  test.each([
    ['_smtp._tls', 'v=TLSRPTv1', 'v=TLSRPTv1; rua=mailto:tls@acme.test'],
    [
      'default._bimi',
      'v=BIMI1',
      'v=BIMI1; l=https://acme.test/logo.svg; a=https://acme.test/logo.pem',
    ],
  ])('for %s names the record and an example', async (label, record, example) => {
    const { issues } = await check(`acme.test. MX 0 .\n${label}.acme.test. TXT "${record}"`)
    expect(issues[0]?.fix).toContain(`publish exactly one TXT record at ${label}.acme.test`)
    expect(issues[0]?.fix).toContain(`: "${example}"`)
    expect(issues[0]?.fix).toContain('delete the existing records')
    const repaired = await check(`acme.test. MX 0 .\n${label}.acme.test. TXT "${example}"`)
    expect(repaired.ids.filter((id) => id.endsWith('-invalid'))).toEqual([])
    expect(repaired.issues.filter(({ severity }) => severity !== 'info')).toEqual([])
  })
})

test('shows a few of very many records and their count', async () => {
  const records = Array.from(
    { length: 300 },
    (_, at) => `_mta-sts.acme.test. TXT "v=STSv1; id=${at}"`,
  )
  const { issues } = await check(`acme.test. MX 0 .\n${records.join('\n')}`)
  expect(issues).toMatchObject([
    {
      detail: expect.stringContaining(': there are 300 records, so senders ignore them all.'),
      evidence: { length: 4 },
    },
  ])
})

test('accepts an empty BIMI logo', async () => {
  const { bimi, issues } = await check(
    'acme.test. MX 0 .\ndefault._bimi.acme.test. TXT "v=BIMI1; l=; a=;"',
  )
  expect(bimi.valid).toBe(true)
  expect(issues).toEqual([])
})

describe('BIMI of a subdomain', () => {
  const shop = 'shop.acme.test' as DomainName
  const OWN = 'default._bimi.shop.acme.test'
  const PARENT = 'default._bimi.acme.test'
  const LOGO = 'v=BIMI1; l=https://acme.test/logo.svg'
  const bimiOf = async (zone: string, failing: Record<string, FailureReason> = {}) =>
    (await check(`shop.acme.test. MX 0 .\n${zone}`, failing, shop)).bimi

  test('is that of the organizational domain', async () => {
    const { bimi, queries } = await check(
      `shop.acme.test. MX 0 .\n${PARENT}. TXT "${LOGO}"`,
      {},
      shop,
    )
    expect(bimi).toEqual({
      name: PARENT,
      present: true,
      record: LOGO,
      valid: true,
      inherited: true,
    })
    expect(queries).toContain(`TXT ${OWN}`)
  })

  test('is its own if it has one', async () => {
    const zone = `${OWN}. TXT "v=BIMI1; l="\n${PARENT}. TXT "${LOGO}"`
    expect(await bimiOf(zone)).toMatchObject({ name: OWN, record: 'v=BIMI1; l=', inherited: false })
  })

  test('is its own even if it is invalid', async () => {
    const zone = `${OWN}. TXT "v=BIMI1"\n${PARENT}. TXT "${LOGO}"`
    expect(await bimiOf(zone)).toMatchObject({ name: OWN, valid: false, inherited: false })
  })

  test('of another version does not count', async () => {
    for (const other of ['v=BIMI2; l=', 'v=bimi1; l=']) {
      const zone = `${OWN}. TXT "${other}"\n${PARENT}. TXT "${LOGO}"`
      expect(await bimiOf(zone)).toMatchObject({ name: PARENT, valid: true, inherited: true })
    }
  })

  test('is absent at its own name if neither has one', async () => {
    expect(await bimiOf('')).toEqual({
      name: OWN,
      present: false,
      record: null,
      valid: null,
      inherited: false,
    })
  })

  test('is invalid at the name that must be fixed', async () => {
    const { issues } = await check(`shop.acme.test. MX 0 .\n${PARENT}. TXT "v=BIMI1"`, {}, shop)
    expect(issues).toMatchObject([
      { id: 'transport.bimi-invalid', fix: expect.stringContaining(`TXT record at ${PARENT}.`) },
    ])
  })

  test('is unknown if the name that decides fails', async () => {
    const both = `${OWN}. TXT "v=BIMI1; l="\n${PARENT}. TXT "${LOGO}"`
    const unknown = { present: null, record: null, valid: null }
    expect(await bimiOf(both, { [`TXT ${OWN}`]: 'timeout' })).toMatchObject({
      name: OWN,
      ...unknown,
    })
    expect(await bimiOf('', { [`TXT ${PARENT}`]: 'timeout' })).toMatchObject({
      name: PARENT,
      ...unknown,
    })
    expect(await bimiOf(both, { [`TXT ${PARENT}`]: 'timeout' })).toMatchObject({ valid: true })
  })
})

describe('DNSSEC', () => {
  const zone = zoneDns('acme.test. MX 0 .\nacme.test. TXT "hello"', { 'TXT acme.test': 'timeout' })
  const validated = async (isAuthenticated: (type: string) => boolean, failing: boolean) => {
    const plain = failing ? zone : zoneDns('acme.test. MX 0 .\nacme.test. TXT "hello"')
    const query = async (name: string, type: 'TXT') => ({
      ...(await plain.query(name, type)),
      authenticated: isAuthenticated(type),
    })
    const report = await checkTransport({ query } as typeof plain, DOMAIN)
    return { validated: report.dnssec.validated, ids: report.issues.map(({ id }) => id) }
  }

  test('is validated if the resolver validated both answers', async () => {
    expect(await validated(() => true, false)).toEqual({ validated: true, ids: [] })
    expect(await validated((type) => type === 'MX', false)).toEqual({ validated: false, ids: [] })
  })

  test('is unknown if one answer is missing and the other was validated', async () => {
    const ids = ['transport.lookup-unavailable']
    expect(await validated(() => true, true)).toEqual({ validated: null, ids })
    expect(await validated(() => false, true)).toEqual({ validated: false, ids: [] })
  })
})

describe('failed lookup', () => {
  test.each([
    ['TXT _mta-sts.acme.test', 'mtaSts'],
    ['TXT _smtp._tls.acme.test', 'tlsRpt'],
    ['TXT default._bimi.acme.test', 'bimi'],
  ] as const)('of %s makes only this part unknown', async (query, part) => {
    const report = await check('acme.test. MX 0 .', { [query]: 'servfail' })
    expect(report[part]).toMatchObject({ present: null, record: null, valid: null })
    const parts = [report.mtaSts, report.tlsRpt, report.bimi]
    expect(parts.filter(({ present }) => present === false)).toHaveLength(2)
    expect(report.ids).toEqual(['transport.lookup-unavailable'])
  })

  test('is one finding that names everything unknown', async () => {
    const { issues } = await check('acme.test. MX 0 .', {
      'TXT _mta-sts.acme.test': 'timeout',
      'TXT _smtp._tls.acme.test': 'servfail',
    })
    expect(issues).toMatchObject([
      {
        id: 'transport.lookup-unavailable',
        severity: 'info',
        title: 'We couldn’t look up _mta-sts.acme.test and _smtp._tls.acme.test',
      },
    ])
  })
})

describe('DANE', () => {
  const ZONE = `
    acme.test.              MX 20 mx2.mail.test.
    acme.test.              MX 10 mx1.mail.test.
    _25._tcp.mx1.mail.test. TLSA 3 1 1 ${'00'.repeat(32)}
    _25._tcp.mx1.mail.test. TLSA 3 1 1 ${'ff'.repeat(32)}`

  test('counts the TLSA records of each mail server, most preferred first', async () => {
    const { dane, ids, queries } = await check(ZONE)
    expect(dane).toEqual({
      present: true,
      hosts: [
        { host: 'mx1.mail.test', tlsa: 2, secure: false },
        { host: 'mx2.mail.test', tlsa: 0, secure: false },
      ],
    })
    expect(ids).toEqual([])
    expect(queries.slice(-2)).toEqual([
      'TLSA _25._tcp.mx1.mail.test',
      'TLSA _25._tcp.mx2.mail.test',
    ])
  })

  test('is secure if the resolver validated the answer', async () => {
    const zone = zoneDns(ZONE)
    const query = async (name: string, type: 'TXT') => ({
      ...(await zone.query(name, type)),
      authenticated: name === '_25._tcp.mx1.mail.test',
    })
    const { dane } = await checkTransport({ query } as typeof zone, DOMAIN)
    expect(dane.hosts.map(({ secure }) => secure)).toEqual([true, false])
  })

  test.each([
    ['the server without records', 'mx2', true, [2, null]],
    ['the server with records', 'mx1', null, [null, 0]],
  ])('stays unknown for %s if its lookup fails', async (_, host, present, tlsa) => {
    const { dane, issues } = await check(ZONE, {
      [`TLSA _25._tcp.${host}.mail.test`]: 'servfail',
    })
    expect(dane.present).toBe(present)
    expect(dane.hosts.map((each) => each.tlsa)).toEqual(tlsa)
    expect(dane.hosts.map((each) => each.secure)).toEqual(
      tlsa.map((count) => (count === null ? null : false)),
    )
    expect(issues).toMatchObject([
      {
        id: 'transport.dane-unavailable',
        severity: 'info',
        title: `We couldn’t look up _25._tcp.${host}.mail.test`,
      },
    ])
  })

  test('is looked up once for a mail server with two preferences', async () => {
    const { dane } = await check('acme.test. MX 1 mx.test.\nacme.test. MX 2 mx.test.')
    expect(dane.hosts.map(({ host }) => host)).toEqual(['mx.test'])
  })

  test('is looked up for the five most preferred mail servers only', async () => {
    const records = Array.from({ length: 8 }, (_, at) => `acme.test. MX ${9 - at} mx${at}.test.`)
    const { dane, queries } = await check(records.join('\n'))
    expect(dane.hosts.map(({ host }) => host)).toEqual(
      ['mx7', 'mx6', 'mx5', 'mx4', 'mx3'].map((label) => `${label}.test`),
    )
    expect(queries.filter((query) => query.startsWith('TLSA'))).toHaveLength(5)
  })

  test.each([
    ['a null MX', 'acme.test. MX 0 .'],
    ['an address as MX', 'acme.test. MX 0 192.0.2.1.'],
    ['no MX', 'acme.test. A 192.0.2.1'],
  ])('is not looked up with %s', async (_, zone) => {
    const { dane, queries } = await check(zone)
    expect(dane).toEqual({ present: false, hosts: [] })
    expect(queries.filter((query) => query.startsWith('TLSA'))).toEqual([])
  })

  test('is absent from a host whose name has no room for the labels', async () => {
    const host = `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(56)}.test`
    const { dane, ids } = await check(`acme.test. MX 0 ${host}.`)
    expect(dane).toEqual({ present: false, hosts: [{ host, tlsa: 0, secure: false }] })
    expect(ids).toEqual([])
  })

  test('is unknown without the MX records', async () => {
    const { dane } = await check('acme.test. MX 0 .', { 'MX acme.test': 'timeout' })
    expect(dane).toEqual({ present: null, hosts: [] })
  })
})

describe('BIMI and the DMARC policy', () => {
  const bimi = {
    name: 'default._bimi.acme.test',
    present: true,
    record: 'v=BIMI1; l=https://acme.test/logo.svg',
    valid: true,
    inherited: false,
  }
  const ids = (
    changes: Partial<typeof bimi>,
    treatment: 'none' | 'quarantine' | 'reject',
    percent = 100,
  ) =>
    judgeBimiEnforcement({ bimi: { ...bimi, ...changes } }, { treatment, percent }).map(
      ({ id }) => id,
    )

  test('a logo needs enforcement', () => {
    expect(ids({}, 'none')).toEqual(['transport.bimi-without-enforcement'])
    expect(ids({}, 'quarantine', 50)).toEqual(['transport.bimi-without-enforcement'])
    expect(ids({}, 'quarantine')).toEqual([])
    expect(ids({}, 'reject', 50)).toEqual([])
  })

  test('a record without a logo needs none', () => {
    expect(ids({ record: 'v=BIMI1; l=; a=' }, 'none')).toEqual([])
    expect(ids({ valid: false }, 'none')).toEqual([])
  })
})

test('a record of more than 8,192 characters is read in part, and said to be', async () => {
  const text = `v=STSv1; ${'x=1; '.repeat(9_000)}id=1;`
  const strings = (text.match(/.{1,255}/g) ?? []).map((part) => `"${part}"`).join(' ')
  const { mtaSts, issues } = await check(`acme.test. MX 0 .\n_mta-sts.acme.test. TXT ${strings}`)
  expect(mtaSts).toMatchObject({ valid: false, record: text.slice(0, 8_193) })
  expect(issues[0]).toMatchObject({
    id: 'transport.mta-sts-invalid',
    detail: expect.stringContaining(
      ': it has more than 8192 characters, and we didn’t read the rest.',
    ),
  })
})

test('a limit that is used up is not reported as an unanswered query', async () => {
  const { mtaSts, issues } = await check('acme.test. MX 0 .', {
    'TXT _mta-sts.acme.test': 'budget',
  })
  expect(mtaSts).toMatchObject({ present: null })
  expect(issues).toMatchObject([
    {
      id: 'transport.lookup-unavailable',
      detail: expect.stringContaining(
        'DNS returned more data than we read for one report, so we don’t know',
      ),
    },
  ])
})
