import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { describe, expect, test } from 'vitest'
import type { DomainName } from '../../names/domain-name.js'
import { checkTransport } from './check-transport.js'
import { transportReportSchema } from './transport-report.js'

const DOMAIN = 'acme.test' as DomainName

async function check(zone: string) {
  const dns = zoneDns(zone)
  const checked = await checkTransport(dns, DOMAIN)
  if (checked.kind !== 'report') throw new Error(`no report but ${checked.kind}`)
  transportReportSchema.parse(checked.report)
  return { ...checked.report, queries: dns.queries }
}

test('shows all three records, with all queries at once', async () => {
  const { queries, ...report } = await check(`
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
    },
    bimi: {
      name: 'default._bimi.acme.test',
      present: true,
      record: 'v=BIMI1; l=https://acme.test/logo.svg; a=',
      valid: true,
    },
    dnssec: { validated: false },
    issues: [],
  })
  expect(queries).toEqual([
    'TXT _mta-sts.acme.test',
    'TXT _smtp._tls.acme.test',
    'TXT default._bimi.acme.test',
    'MX acme.test',
    'TXT acme.test',
  ])
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

describe('invalid record', () => {
  test.each([
    [
      '_mta-sts',
      'v=STSv1; id=',
      'transport.mta-sts-invalid',
      'the id must be 1 to 32 letters and digits',
    ],
    [
      '_mta-sts',
      'v=STSv1',
      'transport.mta-sts-invalid',
      'the id must be 1 to 32 letters and digits',
    ],
    [
      '_mta-sts',
      'v=STSv1; id=2026-01-01',
      'transport.mta-sts-invalid',
      'the id must be 1 to 32 letters and digits',
    ],
    [
      '_mta-sts',
      'v=STSv2; id=1',
      'transport.mta-sts-invalid',
      'it must start with exactly "v=STSv1;"',
    ],
    [
      '_mta-sts',
      'v=stsv1; id=1',
      'transport.mta-sts-invalid',
      'it must start with exactly "v=STSv1;"',
    ],
    [
      '_smtp._tls',
      'v=TLSRPTv1',
      'transport.tls-rpt-invalid',
      'rua must list mailto: or https: URIs',
    ],
    [
      '_smtp._tls',
      'v=TLSRPTv1; rua=tls@acme.test',
      'transport.tls-rpt-invalid',
      'rua must list mailto: or https: URIs',
    ],
    [
      '_smtp._tls',
      'v=TLSRPTv1; rua=http://acme.test',
      'transport.tls-rpt-invalid',
      'rua must list mailto: or https: URIs',
    ],
    ['default._bimi', 'v=BIMI1', 'transport.bimi-invalid', 'the URL of the logo (l=) is missing'],
    [
      'default._bimi',
      'v=BIMI1; l=http://acme.test/a.svg',
      'transport.bimi-invalid',
      'the logo (l=) must have an https: URL',
    ],
    [
      'default._bimi',
      'v=BIMI1; l=; a=logo.pem',
      'transport.bimi-invalid',
      'the evidence document (a=) must have an https: URL',
    ],
  ])('%s %j', async (label, record, id, problem) => {
    const { issues } = await check(`acme.test. MX 0 .\n${label}.acme.test. TXT "${record}"`)
    expect(issues).toMatchObject([
      {
        id,
        severity: 'info',
        detail: `It is ignored: ${problem}.`,
        evidence: [{ name: `${label}.acme.test`, type: 'TXT', value: record }],
      },
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
  test.each([
    ['_mta-sts', 'v=STSv1', 'v=STSv1; id=20260101'],
    ['_smtp._tls', 'v=TLSRPTv1', 'v=TLSRPTv1; rua=mailto:tls@acme.test'],
    [
      'default._bimi',
      'v=BIMI1',
      'v=BIMI1; l=https://acme.test/logo.svg; a=https://acme.test/logo.pem',
    ],
  ])('for %s names the record and an example', async (label, record, example) => {
    const { issues } = await check(`acme.test. MX 0 .\n${label}.acme.test. TXT "${record}"`)
    expect(issues[0]?.fix).toBe(
      `Publish exactly one TXT record at ${label}.acme.test, such as "${example}", or delete the existing records.`,
    )
    const repaired = await check(`acme.test. MX 0 .\n${label}.acme.test. TXT "${example}"`)
    expect(repaired.issues).toEqual([])
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
      detail: 'It is ignored: there are 300 records, so senders use none.',
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

test('reports DNSSEC validation', async () => {
  const plain = zoneDns('acme.test. MX 0 .\nacme.test. TXT "hello"')
  const validating = {
    query: async (name: string, type: 'TXT') => ({
      ...(await plain.query(name, type)),
      authenticated: true,
    }),
  }
  const checked = await checkTransport(validating as typeof plain, DOMAIN)
  expect(checked).toMatchObject({ report: { dnssec: { validated: true } } })
})

test.each(['TXT _mta-sts.acme.test', 'TXT _smtp._tls.acme.test', 'TXT default._bimi.acme.test'])(
  'when %s fails there is no report',
  async (question) => {
    const dns = zoneDns('acme.test. MX 0 .', { [question]: 'servfail' })
    expect(await checkTransport(dns, DOMAIN)).toMatchObject({
      kind: 'unavailable',
      query: { name: question.slice(4), type: 'TXT' },
    })
  },
)
