/** Zones that automatic checkers often judge wrongly, each with the verdict of an expert. */
import type { FailureReason } from '@mailgrade/doh/dns'
import { SPKI } from '@mailgrade/testing/dkim-keys'
import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { describe, expect, test } from 'vitest'
import { keyZoneLine } from '../../../test/support/dkim-fixture.js'
import type { DomainName } from '../../names/domain-name.js'
import { checkDomain } from './check-domain.js'

const GOOGLE = `acme.test. MX 1 smtp.google.com.
smtp.google.com. A 192.0.2.101
smtp.google.com. AAAA 2001:db8::101
_spf.google.com. TXT "v=spf1 ip4:192.0.2.96/28 ip6:2001:db8:1::/48 ~all"
`
const OWN_SERVER = `acme.test. MX 10 mx.acme.test.
mx.acme.test. A 192.0.2.1
mx.acme.test. AAAA 2001:db8::1
`
const REJECT = '_dmarc.acme.test. TXT "v=DMARC1; p=reject; rua=mailto:d@acme.test"\n'

const spf = (terms: string) => `acme.test. TXT "v=spf1 ${terms}"\n`

async function check(
  zone: string,
  failing: Record<string, FailureReason> = {},
  domain = 'acme.test',
) {
  let count = 0
  const checked = await checkDomain(zoneDns(zone, failing), domain as DomainName, {
    randomLabel: () => `random${count++}`,
  })
  if (checked.kind !== 'report') throw new Error(`no report but ${checked.kind}`)
  const { report } = checked
  const checks = [report.mx, report.spf, report.dmarc, report.dkim, report.transport]
  const findings = checks.flatMap(({ issues }) => issues)
  return { report, findings, ids: findings.map(({ id }) => id) }
}

describe('a domain whose mail is rejected is not one that sends none', () => {
  test.each([
    ['a mistyped host', 'a:mial.acme.test -all'],
    ['mail servers of a name that is gone', 'mx:gone.test -all'],
    ['a neutral include', '?include:_spf.google.com -all'],
  ])('%s: nothing passes', async (_, terms) => {
    const { report, ids } = await check(GOOGLE + spf(terms) + REJECT)
    expect(report).toMatchObject({ profile: 'sending', status: 'fail' })
    expect(ids).toContain('spf.names-nobody')
  })

  test('a mailbox provider that is not authorized', async () => {
    const { report, ids } = await check(GOOGLE + spf('mx -all') + keyZoneLine('google') + REJECT)
    expect(report.profile).toBe('sending')
    expect(ids).toContain('spf.mailbox-provider-missing')
    expect(ids).not.toContain('spf.names-nobody')
  })
})

describe('void lookups', () => {
  test('three for every sender are a permanent error', async () => {
    const { report } = await check(
      `${OWN_SERVER}${spf('a:a1.test a:a2.test a:a3.test include:s.test -all')}
      s.test. TXT "v=spf1 ip4:192.0.2.1 -all"`,
    )
    expect(report.spf.valid).toBe(false)
  })

  test('three for IPv6 senders only are a small fault', async () => {
    const { report } = await check(`acme.test. MX 1 m1.test.
      acme.test. MX 2 m2.test.
      m1.test. A 192.0.2.1
      m2.test. A 192.0.2.2
      h.test. A 192.0.2.3
      ${spf('mx a:h.test -all')}`)
    expect(report.spf.valid).toBe(true)
    expect(report.spf.issues).toMatchObject([
      { id: 'spf.void-lookups-one-family', severity: 'low' },
    ])
  })
})

test.each(['ip4:198.51.100.1 foo -all', 'include:gone.example -all', 'a/33 ~all'])(
  'an unusable SPF record has no "all": %s',
  async (terms) => {
    const { report } = await check(OWN_SERVER + spf(terms))
    expect(report.spf).toMatchObject({ valid: false, allQualifier: null, allResult: null })
  },
)

test.each([
  ['-ip4:0.0.0.0/0 -ip6:::/0 +all', false],
  ['ip6:::/1 ip6:8000::/1 -all', true],
])('open only if an address passes: %s', async (terms, isOpen) => {
  const { ids } = await check(OWN_SERVER + spf(terms))
  expect(ids.includes('spf.allows-everyone')).toBe(isOpen)
})

describe('MTA-STS, TLS-RPT and BIMI', () => {
  test.each([
    ['_mta-sts', 'v=STSv1; id=1', 'v=STSv2; id=2', 'mtaSts'],
    ['_smtp._tls', 'v=TLSRPTv1; rua=mailto:a@b.test', 'v=TLSRPTv2; rua=mailto:a@b.test', 'tlsRpt'],
    ['default._bimi', 'v=BIMI1; l=https://a.test/l.svg', 'v=BIMI2; l=x', 'bimi'],
  ] as const)('%s: another version does not count', async (label, record, other, kind) => {
    const { report } = await check(`${OWN_SERVER}
      ${label}.acme.test. TXT "${record}"
      ${label}.acme.test. TXT "${other}"`)
    expect(report.transport[kind]).toMatchObject({ present: true, valid: true })
  })

  test.each([
    ['_mta-sts', 'v = STSv1; id=1', 'mtaSts'],
    ['_mta-sts', 'v=STSv1; id = 1', 'mtaSts'],
    ['_mta-sts', 'v=STSv1; id=1; garbage', 'mtaSts'],
    ['_smtp._tls', 'v = TLSRPTv1; rua=mailto:a@b.test', 'tlsRpt'],
    ['_smtp._tls', 'v=TLSRPTv1; rua = mailto:a@b.test', 'tlsRpt'],
    ['default._bimi', 'v=BIMI1; l=https://a.test/l.svg; l=https://b.test/l.svg', 'bimi'],
    ['default._bimi', 'v=BIMI1; invalidpart; l=https://a.test/l.svg', 'bimi'],
  ] as const)('%s: not in the grammar: %s', async (label, record, kind) => {
    const { report } = await check(`${OWN_SERVER}${label}.acme.test. TXT "${record}"`)
    expect(report.transport[kind].valid).toBe(false)
  })

  test('a subdomain shows the logo of its organization', async () => {
    const { report } = await check(
      `${OWN_SERVER}sub.acme.test. A 192.0.2.1
      default._bimi.acme.test. TXT "v=BIMI1; l=https://acme.test/l.svg"`,
      {},
      'sub.acme.test',
    )
    expect(report.transport.bimi).toMatchObject({ present: true, inherited: true })
  })

  test('a logo is not shown under p=none', async () => {
    const { ids } = await check(`${OWN_SERVER}
      _dmarc.acme.test. TXT "v=DMARC1; p=none; rua=mailto:d@acme.test"
      default._bimi.acme.test. TXT "v=BIMI1; l=https://acme.test/l.svg"`)
    expect(ids).toContain('transport.bimi-without-enforcement')
  })
})

test.each([
  ['under 1024 bits', `v=DKIM1; k=rsa; p=${SPKI[512]}`],
  ['for SHA-1 only', `v=DKIM1; h=sha1; k=rsa; p=${SPKI[2048]}`],
])('a key that receivers must refuse is no DKIM: %s', async (_, record) => {
  const { report } = await check(OWN_SERVER + spf('mx -all') + keyZoneLine('default', record))
  expect(report.dkim.presence).toBe('unknown')
})

describe('DMARC', () => {
  test('fo=d:d is an error', async () => {
    const { ids } = await check(
      `${OWN_SERVER}_dmarc.acme.test. TXT "v=DMARC1; p=reject; rua=mailto:d@acme.test; fo=d:d"`,
    )
    expect(ids).toContain('dmarc.bad-tags')
  })

  test('a correction of curly quotes keeps every tag', async () => {
    const { findings } = await check(
      `${OWN_SERVER}_dmarc.acme.test. TXT "\\226\\128\\156v=DMARC1; p=none; rua=mailto:d@acme.test\\226\\128\\157"`,
    )
    expect(findings.find(({ id }) => id === 'dmarc.near-miss')?.fix).toContain(
      '"v=DMARC1; p=none; rua=mailto:d@acme.test"',
    )
  })

  test('two policies are none that can be relied on', async () => {
    const { report } = await check(
      `${OWN_SERVER}_dmarc.acme.test. TXT "v=DMARC1; p=none; p=reject; rua=mailto:d@acme.test"`,
    )
    expect(report.dmarc.policy).toBe('none')
  })

  test.each([
    ['at the domain itself', 'acme.test.', 'dmarc.record-at-domain'],
    ['at the doubled name', '_dmarc.acme.test.acme.test.', 'dmarc.record-at-doubled-name'],
  ])('a record %s is found there', async (_, owner, id) => {
    const { report, ids } = await check(`${OWN_SERVER}${owner} TXT "v=DMARC1; p=reject"`)
    expect(report.dmarc.policy).toBe(null)
    expect(ids).toContain(id)
  })
})

test.each([
  ['TXT include.test', 'spf.lookup-unavailable'],
  ['AAAA mx.acme.test', 'mx.host-unavailable'],
  ['A mx2.acme.test', 'mx.host-unavailable'],
  ['MX reports.test', 'dmarc.report-destination-unavailable'],
  ['TXT acme.test._report._dmarc.reports.test', 'dmarc.report-destination-unavailable'],
  ['TXT _mta-sts.acme.test', 'transport.lookup-unavailable'],
  ['TXT _smtp._tls.acme.test', 'transport.lookup-unavailable'],
  ['TXT default._bimi.acme.test', 'transport.lookup-unavailable'],
])('without an answer for %s there is still a report', async (query, id) => {
  const { report, findings } = await check(
    `${OWN_SERVER}acme.test. MX 20 mx2.acme.test.
    mx2.acme.test. A 192.0.2.2
    ${spf('include:include.test -all')}
    include.test. TXT "v=spf1 ip4:192.0.2.9 -all"
    _dmarc.acme.test. TXT "v=DMARC1; p=reject; rua=mailto:d@reports.test"
    reports.test. MX 1 mx.acme.test.
    acme.test._report._dmarc.reports.test. TXT "v=DMARC1"`,
    { [query]: 'servfail' },
  )
  expect(report.dmarc.policy).toBe('reject')
  expect(findings).toContainEqual(expect.objectContaining({ id, severity: 'info' }))
})
