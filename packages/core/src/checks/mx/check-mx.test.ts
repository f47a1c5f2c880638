import type { FailureReason } from '@mailgrade/doh/dns'
import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { describe, expect, test } from 'vitest'
import type { DomainName } from '../../names/domain-name.js'
import { checkMx } from './check-mx.js'
import { mxReportSchema } from './mx-report.js'

async function check(
  zone: string,
  domain = 'acme.test',
  failing: Record<string, FailureReason> = {},
) {
  const dns = zoneDns(zone, failing)
  const checked = await checkMx(dns, domain as DomainName)
  if (checked.kind !== 'report') throw new Error(`no report but ${checked.kind}`)
  mxReportSchema.parse(checked.report)
  const { issues, ...report } = checked.report
  return { report, issues, ids: issues.map((issue) => issue.id), queries: dns.queries }
}

describe('domain with mail servers', () => {
  test('lists servers by preference, with addresses and provider', async () => {
    const { report, issues, queries } = await check(`
      acme.test.            MX 20 mx2.acme.test.
      acme.test.            MX 5  in1-smtp.messagingengine.com.
      mx2.acme.test.        A    192.0.2.2
      in1-smtp.messagingengine.com. A    192.0.2.1
      in1-smtp.messagingengine.com. AAAA 2001:db8::1
    `)
    expect(report).toEqual({
      domain: 'acme.test',
      status: 'pass',
      records: [
        {
          preference: 5,
          exchange: 'in1-smtp.messagingengine.com',
          addresses: ['192.0.2.1', '2001:db8::1'],
        },
        { preference: 20, exchange: 'mx2.acme.test', addresses: ['192.0.2.2'] },
      ],
      nullMx: false,
      implicitMx: false,
      provider: { id: 'fastmail', name: 'Fastmail', kind: 'mailbox' },
      providers: [{ id: 'fastmail', name: 'Fastmail', kind: 'mailbox' }],
    })
    expect(issues).toEqual([])
    expect(queries).toEqual([
      'MX acme.test',
      'A in1-smtp.messagingengine.com',
      'AAAA in1-smtp.messagingengine.com',
      'A mx2.acme.test',
      'AAAA mx2.acme.test',
    ])
  })

  test.each([
    ['gmail.com', 'gmail-smtp-in.l.google.com', 'gmail'],
    ['outlook.com', 'outlook-com.olc.protection.outlook.com', 'outlook'],
    ['icloud.com', 'mx01.mail.icloud.com', 'icloud-mail'],
    ['acme.test', 'mx01.mail.icloud.com', 'icloud'],
  ])('names the provider of %s at %s', async (domain, exchange, id) => {
    const zone = `${domain}. MX 10 ${exchange}.\n${exchange}. A 192.0.2.1`
    const { report, ids } = await check(zone, domain)
    expect([report.provider?.id, ids]).toEqual([id, []])
  })

  test('names every provider once, most preferred first', async () => {
    const { report } = await check(`
      acme.test. MX 5 mx.acme.test.
      acme.test. MX 10 acme-test.mail.protection.outlook.com.
      acme.test. MX 20 smtp.google.com.
      acme.test. MX 30 aspmx.l.google.com.
    `)
    expect(report.provider?.id).toBe('microsoft365')
    expect(report.providers.map(({ id }) => id)).toEqual(['microsoft365', 'google'])
  })

  test('has no provider for an unknown server', async () => {
    const { report } = await check('acme.test. MX 10 mx.acme.test.\nmx.acme.test. A 192.0.2.1')
    expect(report.provider).toBeNull()
  })

  test('follows a CNAME at the domain', async () => {
    const { report, ids } = await check(`
      acme.test.  CNAME other.test.
      other.test. MX 10 mx.other.test.
      mx.other.test. A 192.0.2.1
    `)
    expect(report.records.map((record) => record.exchange)).toEqual(['mx.other.test'])
    expect(ids).toEqual([])
  })

  test('shows an internationalized name in Unicode', async () => {
    const { report } = await check('xn--mller-kva.test. MX 0 .', 'xn--mller-kva.test')
    expect(report).toMatchObject({ domain: 'xn--mller-kva.test', unicodeDomain: 'müller.test' })
  })
})

describe('domain without mail servers', () => {
  test('passes with a null MX', async () => {
    const { report, ids, queries } = await check('acme.test. MX 0 .')
    expect(report).toMatchObject({
      status: 'pass',
      nullMx: true,
      implicitMx: false,
      provider: null,
      records: [{ preference: 0, exchange: '.', addresses: [] }],
    })
    expect(ids).toEqual([])
    expect(queries).toEqual(['MX acme.test'])
  })

  test('without a null MX is advised to publish one', async () => {
    const { report, issues, queries } = await check('acme.test. TXT "hello"')
    expect(report).toMatchObject({ status: 'warn', nullMx: false, implicitMx: false, records: [] })
    expect(issues).toEqual([
      {
        id: 'mx.missing',
        severity: 'medium',
        title: 'acme.test has no mail server and no address',
        detail: expect.stringContaining('acme.test'),
        fix: expect.stringMatching(/neither sends nor receives mail.*"acme\.test MX 0 \."/),
        evidence: [],
        reference: 'RFC 5321 §5.1',
      },
    ])
    expect(queries).toEqual(['MX acme.test', 'A acme.test', 'AAAA acme.test'])
  })

  test('with a dangling CNAME exists', async () => {
    const { ids } = await check('acme.test. CNAME gone.test.')
    expect(ids).toEqual(['mx.missing'])
  })
})

test('reports an implicit MX for a domain with only an address', async () => {
  const { report, issues } = await check('acme.test. A 192.0.2.7\nacme.test. AAAA 2001:db8::7')
  expect(report).toMatchObject({ status: 'warn', implicitMx: true, records: [] })
  expect(issues).toMatchObject([
    {
      id: 'mx.implicit',
      severity: 'low',
      fix: expect.stringMatching(
        /arrives.*"acme\.test MX 10 acme\.test".*neither sends nor receives.*"acme\.test MX 0 \."/,
      ),
      evidence: [
        { name: 'acme.test', type: 'A', value: '192.0.2.7' },
        { name: 'acme.test', type: 'AAAA', value: '2001:db8::7' },
      ],
    },
  ])
})

describe('faulty mail servers', () => {
  const good = 'acme.test. MX 10 mx.acme.test.\nmx.acme.test. A 192.0.2.1\n'

  test('reports a null MX beside others', async () => {
    const { report, issues } = await check(`${good} acme.test. MX 0 .`)
    expect(report).toMatchObject({ status: 'fail', nullMx: false })
    expect(issues).toMatchObject([
      {
        id: 'mx.null-and-others',
        severity: 'high',
        evidence: [{ name: 'acme.test', type: 'MX', value: '0 .' }],
        reference: 'RFC 7505 §3',
      },
    ])
  })

  test('reports servers without an address', async () => {
    const { report, issues } = await check(
      `${good} acme.test. MX 20 gone.test.\nacme.test. MX 30 txt.test.\ntxt.test. TXT "x"`,
    )
    expect(report).toMatchObject({ status: 'fail' })
    expect(issues).toMatchObject([
      {
        id: 'mx.dangling',
        title: 'gone.test and txt.test have no address',
        evidence: [{ value: '20 gone.test' }, { value: '30 txt.test' }],
      },
    ])
  })

  test('follows and reports a CNAME', async () => {
    const { report, issues } = await check(
      'acme.test. MX 10 alias.test.\nalias.test. CNAME mx.acme.test.\nmx.acme.test. A 192.0.2.1',
    )
    expect(report).toMatchObject({ status: 'warn', records: [{ addresses: ['192.0.2.1'] }] })
    expect(issues).toMatchObject([{ id: 'mx.cname', reference: 'RFC 2181 §10.3' }])
  })

  test('reports a dangling CNAME as both', async () => {
    const { ids } = await check('acme.test. MX 10 alias.test.\nalias.test. CNAME gone.test.')
    expect(ids).toEqual(['mx.dangling', 'mx.cname'])
  })

  test('reports an IP address and does not query it', async () => {
    const { issues, queries } = await check('acme.test. MX 10 192.0.2.1.')
    expect(issues).toMatchObject([
      {
        id: 'mx.ip-literal',
        severity: 'high',
        title: expect.stringMatching(/^192\.0\.2\.1 is an IP address/),
      },
    ])
    expect(queries).toEqual(['MX acme.test'])
  })

  test.each([
    '10.1.2.3',
    '127.0.0.1',
    '172.31.0.1',
    '192.168.0.9',
    '169.254.1.1',
    '100.64.0.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
  ])('reports the private address %s', async (address) => {
    const { ids } = await check(`acme.test. MX 10 mx.test.\nmx.test. A ${address}`)
    expect(ids).toEqual(['mx.private-address'])
  })

  test.each(['::1', 'fd00::1', 'fe80::1', 'ff02::1'])(
    'reports the private address %s',
    async (address) => {
      const { ids } = await check(`acme.test. MX 10 mx.test.\nmx.test. AAAA ${address}`)
      expect(ids).toEqual(['mx.private-address'])
    },
  )

  test('accepts a private address beside a public one', async () => {
    const { ids } = await check(
      'acme.test. MX 10 mx.test.\nmx.test. A 10.0.0.1\nmx.test. A 192.0.2.1',
    )
    expect(ids).toEqual([])
  })

  test('looks up only the first twenty of hundreds', async () => {
    const many = Array.from({ length: 300 }, (_, index) => `acme.test. MX ${index} mx.acme.test.`)
    const { report, issues, ids, queries } = await check(
      `${many.join('\n')}\nmx.acme.test. A 192.0.2.1`,
    )
    expect(ids).toEqual(['mx.too-many'])
    expect(issues[0]).toMatchObject({
      title: expect.stringContaining('300'),
      evidence: [{ value: '20 mx.acme.test' }],
    })
    expect(queries.length).toBeLessThanOrEqual(41)
    expect(report.records.map((record) => record.addresses)).toEqual([
      ...Array.from({ length: 20 }, () => ['192.0.2.1']),
      null,
    ])
  })

  test('shows only the first twenty addresses of a host', async () => {
    const many = Array.from({ length: 300 }, (_, index) => `mx.acme.test. A 192.0.2.${index % 256}`)
    const { report, issues } = await check(`acme.test. MX 10 mx.acme.test.\n${many.join('\n')}`)
    expect(report.records).toMatchObject([{ addresses: { length: 20 } }])
    expect(issues).toMatchObject([
      {
        id: 'mx.too-many-addresses',
        title: expect.stringMatching(/^mx\.acme\.test has more addresses/),
      },
    ])
  })
})

describe('failed query for the address of a host', () => {
  const zone = `
    acme.test.     MX 10 mx.acme.test.
    acme.test.     MX 20 backup.test.
    mx.acme.test.  A 192.0.2.1
    mx.acme.test.  AAAA 2001:db8::1
    backup.test.   A 192.0.2.2
  `
  const addressesWith = async (...queries: readonly string[]) => {
    const failing = Object.fromEntries(queries.map((query) => [query, 'servfail' as const]))
    const { report, ids, issues } = await check(zone, 'acme.test', failing)
    return { addresses: report.records.map(({ addresses }) => addresses), ids, issues, report }
  }

  test('keeps the addresses of the other family', async () => {
    const found = await addressesWith('AAAA mx.acme.test')
    expect(found.addresses).toEqual([['192.0.2.1'], ['192.0.2.2']])
    expect(found.report.status).toBe('pass')
    expect(found.issues).toMatchObject([
      {
        id: 'mx.host-unavailable',
        severity: 'info',
        title: 'We couldn’t look up mx.acme.test',
      },
    ])
    const other = await addressesWith('A mx.acme.test')
    expect(other.addresses).toEqual([['2001:db8::1'], ['192.0.2.2']])
    expect(other.ids).toEqual(['mx.host-unavailable'])
  })

  test('leaves the addresses of a lame backup unknown', async () => {
    for (const queries of [['A backup.test', 'AAAA backup.test'], ['A backup.test']]) {
      const { addresses, ids, report } = await addressesWith(...queries)
      expect(addresses).toEqual([['192.0.2.1', '2001:db8::1'], null])
      expect(ids).toEqual(['mx.host-unavailable'])
      expect(report.status).toBe('pass')
    }
  })

  test('names every host once', async () => {
    const { issues } = await addressesWith('A mx.acme.test', 'AAAA mx.acme.test', 'A backup.test')
    expect(issues).toMatchObject([{ title: 'We couldn’t look up mx.acme.test and backup.test' }])
  })

  test('does not make an address private that may have a public one beside it', async () => {
    const { ids } = await check('acme.test. MX 10 mx.test.\nmx.test. A 10.0.0.1', 'acme.test', {
      'AAAA mx.test': 'timeout',
    })
    expect(ids).toEqual(['mx.host-unavailable'])
  })

  test('says that the limit of a report is used up', async () => {
    const { issues } = await check('acme.test. MX 10 mx.test.\nmx.test. A 192.0.2.1', 'acme.test', {
      'AAAA mx.test': 'budget',
    })
    expect(issues).toMatchObject([
      {
        id: 'mx.host-unavailable',
        detail: expect.stringMatching(/more lookups than .* addresses for mx\.test/),
        fix: expect.stringContaining('Remove records'),
      },
    ])
  })

  test('keeps the CNAME that the other family shows', async () => {
    const { ids } = await check(
      'acme.test. MX 10 mx.test.\nmx.test. CNAME host.test.\nhost.test. AAAA 2001:db8::1',
      'acme.test',
      { 'A mx.test': 'timeout' },
    )
    expect(ids).toEqual(['mx.cname', 'mx.host-unavailable'])
  })
})

describe('failed query for the domain', () => {
  test('for MX returns unavailable', async () => {
    const dns = zoneDns('acme.test. MX 0 .', { 'MX acme.test': 'servfail' })
    expect(await checkMx(dns, 'acme.test' as DomainName)).toMatchObject({
      kind: 'unavailable',
      failure: { reason: 'servfail', detail: 'MX acme.test fails in this test' },
    })
  })

  test.each(['A', 'AAAA'])('for %s returns unavailable if it has no address', async (type) => {
    const dns = zoneDns('acme.test. TXT "x"', { [`${type} acme.test`]: 'timeout' })
    expect(await checkMx(dns, 'acme.test' as DomainName)).toMatchObject({
      kind: 'unavailable',
      query: { name: 'acme.test', type },
      failure: { reason: 'timeout' },
    })
  })

  test('for AAAA is enough to report an implicit MX', async () => {
    const { report, ids } = await check('acme.test. A 192.0.2.7', 'acme.test', {
      'AAAA acme.test': 'timeout',
    })
    expect(report).toMatchObject({ implicitMx: true })
    expect(ids).toEqual(['mx.implicit', 'mx.host-unavailable'])
  })
})

test('returns unknown-domain after one query', async () => {
  const dns = zoneDns('other.test. A 192.0.2.1')
  expect(await checkMx(dns, 'acme.test' as DomainName)).toEqual({ kind: 'unknown-domain' })
  expect(dns.queries).toEqual(['MX acme.test'])
})
