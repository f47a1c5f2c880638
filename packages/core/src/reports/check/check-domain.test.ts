import { createReportDns } from '@mailgrade/doh'
import { type TestZoneDns, zoneDns } from '@mailgrade/testing/test-zone-dns'
import { describe, expect, test } from 'vitest'
import type { DomainName } from '../../names/domain-name.js'
import { checkDomain } from './check-domain.js'
import { domainReportSchema } from './domain-report.js'

const DOMAIN = 'acme.test' as DomainName
const createTestRandom = () => {
  let count = 0
  return { randomLabel: () => `random${count++}` }
}

async function check(dns: TestZoneDns) {
  const lookup = createReportDns(dns, { deadlineMs: 600_000 })
  const checked = await checkDomain(lookup, DOMAIN, createTestRandom())
  lookup.close()
  if (checked.kind !== 'report') throw new Error(`no report but ${checked.kind}`)
  domainReportSchema.parse(checked.report)
  const { mx, spf, dmarc, dkim } = checked.report
  const ids = [mx, spf, dmarc, dkim].flatMap(({ issues }) => issues.map(({ id }) => id))
  return { report: checked.report, ids }
}

/** A domain without findings; tests change single lines. */
const PASSING_ZONE = {
  mx: 'acme.test. MX 10 mx.acme.test.\nmx.acme.test. A 192.0.2.1',
  spf: 'acme.test. TXT "v=spf1 ip4:192.0.2.1 -all"',
  dkim: 'default._domainkey.acme.test. TXT "v=DKIM1; k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="',
  dmarc: '_dmarc.acme.test. TXT "v=DMARC1; p=reject; rua=mailto:d@in.acme.test"',
  reports: 'in.acme.test. MX 10 mx.in.acme.test.\nmx.in.acme.test. A 192.0.2.9',
}
const zone = (changes: Partial<typeof PASSING_ZONE>) =>
  zoneDns(Object.values({ ...PASSING_ZONE, ...changes }).join('\n'))

const REJECT = 'v=DMARC1; p=reject; rua=mailto:d@in.acme.test'

describe('checkDomain', () => {
  test('returns each report as its check does, with the worst status', async () => {
    const { report } = await check(zone({ mx: 'acme.test. MX 10 gone.acme.test.' }))
    expect(report.mx).toMatchObject({ status: 'fail', issues: [{ id: 'mx.dangling' }] })
    expect(report.spf).toMatchObject({ status: 'pass', record: 'v=spf1 ip4:192.0.2.1 -all' })
    expect(report.dmarc).toMatchObject({ status: 'pass', policy: 'reject', record: REJECT })
    expect(report.dkim).toMatchObject({
      status: 'warn',
      presence: 'present',
      keys: [{ selector: 'default', keyType: 'ed25519' }],
      issues: [{ id: 'dkim.ed25519-only' }],
    })
    expect(report.status).toBe('fail')
    expect(report.profile).toBe('sending')
    expect(report.summary).toBe(
      'acme.test: receivers refuse forged mail. Fix first: A mail server has no address. 1 more finding needs a fix.',
    )
  })

  test('sends no DNS query twice', async () => {
    const dns = zone({})
    await check(dns)
    expect(dns.queries.length).toBe(new Set(dns.queries).size)
  })

  test('returns the Unicode form of an internationalized domain', async () => {
    const dns = zoneDns('xn--mller-kva.test. MX 0 .')
    const checked = await checkDomain(dns, 'xn--mller-kva.test' as DomainName, createTestRandom())
    expect(checked).toMatchObject({ report: { unicodeDomain: 'müller.test' } })
  })
})

describe('findings across checks', () => {
  test('reports a soft fail without an enforced DMARC policy', async () => {
    const softfail = { spf: 'acme.test. TXT "v=spf1 ip4:192.0.2.1 ~all"' }
    const withPolicy = (tags: string) => ({
      ...softfail,
      dmarc: `_dmarc.acme.test. TXT "v=DMARC1; ${tags}; rua=mailto:d@in.acme.test"`,
    })
    const id = 'spf.softfail-without-dmarc'
    expect((await check(zone({ ...softfail, dmarc: '' }))).ids).toContain(id)
    expect((await check(zone(withPolicy('p=none')))).ids).toContain(id)
    expect((await check(zone(withPolicy('p=quarantine; t=y')))).ids).toContain(id)
    expect((await check(zone(withPolicy('p=quarantine')))).ids).not.toContain(id)
    expect((await check(zone(withPolicy('p=reject; t=y')))).ids).not.toContain(id)
    expect((await check(zone({ dmarc: '' }))).ids).not.toContain(id)
  })

  test('adds the soft fail finding to the SPF report for information', async () => {
    const { report } = await check(
      zone({ spf: 'acme.test. TXT "v=spf1 ip4:192.0.2.1 ~all"', dmarc: '' }),
    )
    expect(report.spf).toMatchObject({
      status: 'pass',
      issues: [
        {
          id: 'spf.softfail-without-dmarc',
          severity: 'info',
          evidence: [{ name: 'acme.test', type: 'TXT', value: 'v=spf1 ip4:192.0.2.1 ~all' }],
        },
      ],
    })
  })

  test('reports a null MX beside SPF that authorizes a sender', async () => {
    const { report } = await check(zone({ mx: 'acme.test. MX 0 .' }))
    expect(report.profile).toBe('sending')
    expect(report.mx).toMatchObject({
      status: 'warn',
      issues: [
        {
          id: 'mx.null-but-sending',
          evidence: [
            { name: 'acme.test', type: 'MX', value: '0 .' },
            { name: 'acme.test', type: 'TXT', value: 'v=spf1 ip4:192.0.2.1 -all' },
          ],
        },
      ],
    })
  })

  test('reports p=reject without DKIM', async () => {
    const { report } = await check(zone({ dkim: '' }))
    expect(report.dkim).toMatchObject({ presence: 'absent', issues: [{ id: 'dkim.missing' }] })
    expect(report.dmarc.issues).toMatchObject([
      {
        id: 'dmarc.reject-without-dkim',
        evidence: [{ name: '_dmarc.acme.test', type: 'TXT', value: REJECT }],
      },
    ])
  })

  test.each([
    ['works', 'v=spf1 ip4:192.0.2.1 -all', true],
    ['is broken', 'v=spf1 ip4:192.0.2.1 include:gone.test -all', false],
    ['names no server', 'v=spf1 a:gone.acme.test -all', false],
  ])('without DKIM, proposes p=quarantine only if SPF %s', async (_, spf, isProposed) => {
    const { report } = await check(
      zone({
        dkim: '',
        spf: `acme.test. TXT "${spf}"`,
        dmarc: '_dmarc.acme.test. TXT "v=DMARC1; p=none; rua=mailto:d@in.acme.test"',
      }),
    )
    const none = report.dmarc.issues.find(({ id }) => id === 'dmarc.policy-none')
    expect(none?.record?.value.includes('p=quarantine') ?? false).toBe(isProposed)
  })

  test('keeps a proposal with the policy that applies already', async () => {
    const { report } = await check(
      zone({
        dkim: '',
        spf: 'acme.test. TXT "v=spf1 a:gone.acme.test -all"',
        dmarc: '_dmarc.acme.test. TXT "v=DMARC1; p=quarantine"',
      }),
    )
    const noReports = report.dmarc.issues.find(({ id }) => id === 'dmarc.no-reports')
    expect(noReports?.record?.value).toMatch(/^v=DMARC1; p=quarantine; rua=/)
  })

  test('does not report p=reject while DKIM is unknown', async () => {
    const { report } = await check(zone({ dkim: 'own._domainkey.acme.test. TXT "something"' }))
    expect(report.dkim.presence).toBe('unknown')
    expect(report.dmarc.issues).toEqual([])
  })
})

test('says that a BIMI logo needs an enforced DMARC policy', async () => {
  const logo = 'default._bimi.acme.test. TXT "v=BIMI1; l=https://acme.test/logo.svg"'
  const idsUnder = async (tags: string) => {
    const dmarc = `_dmarc.acme.test. TXT "v=DMARC1; ${tags}; rua=mailto:d@in.acme.test"\n${logo}`
    return (await check(zone({ dmarc }))).report.transport.issues.map(({ id }) => id)
  }
  expect(await idsUnder('p=none')).toEqual(['transport.bimi-without-enforcement'])
  expect(await idsUnder('p=quarantine; pct=50')).toEqual(['transport.bimi-without-enforcement'])
  expect(await idsUnder('p=quarantine')).toEqual([])
  expect(await idsUnder('p=reject')).toEqual([])
})

describe('non-sending domain', () => {
  test('passes with SPF -all, a null MX and DMARC reject', async () => {
    const { report, ids } = await check(
      zone({ mx: 'acme.test. MX 0 .', spf: 'acme.test. TXT "v=spf1 -all"', dkim: '' }),
    )
    expect(report).toMatchObject({
      status: 'pass',
      profile: 'non-sending',
      summary: 'acme.test: receivers refuse forged mail. The domain sends no mail. Nothing to fix.',
    })
    expect(ids).toEqual(['dkim.not-needed'])
  })

  test('needs no DKIM key or mail server', async () => {
    const { report, ids } = await check(
      zone({ mx: '', spf: 'acme.test. TXT "v=spf1 -all"', dkim: '' }),
    )
    expect(report.profile).toBe('non-sending')
    expect(ids).toEqual(['dkim.not-needed'])
  })

  test.each([
    ['a null MX and no SPF record', 'acme.test. MX 0 .', '', 'non-sending'],
    ['a null MX and SPF with "all" alone', 'acme.test. MX 0 .', '~all', 'non-sending'],
    [
      'a null MX and a term that matches nothing',
      'acme.test. MX 0 .',
      'a:gone.test ~all',
      'sending',
    ],
    ['a mistyped host', PASSING_ZONE.mx, 'a:mial.acme.test -all', 'sending'],
    ['mx without MX records', '', 'mx -all', 'sending'],
    ['a neutral include', PASSING_ZONE.mx, '?include:s.test -all', 'sending'],
    ['an include that authorizes no one', '', 'include:none.test -all', 'sending'],
  ])('%s: %s', async (_, mx, terms, profile) => {
    const { report } = await check(
      zone({
        mx: `${mx}\nnone.test. TXT "v=spf1 -all"\ns.test. TXT "v=spf1 ip4:192.0.2.9 -all"`,
        spf: terms && `acme.test. TXT "v=spf1 ${terms}"`,
        dkim: '',
      }),
    )
    expect(report.profile).toBe(profile)
  })

  test('is contradicted by a DKIM key', async () => {
    const { report, ids } = await check(zone({ spf: 'acme.test. TXT "v=spf1 -all"' }))
    expect(report.profile).toBe('sending')
    expect(ids).toContain('spf.names-nobody')
  })
})

describe('advice for a domain that sends no mail', () => {
  const NO_SENDER = 'acme.test. TXT "v=spf1 -all"'
  const dmarc = (tags: string) => `_dmarc.acme.test. TXT "v=DMARC1; ${tags}; rua=mailto:d@x.test"`
  const A = 'acme.test. A 192.0.2.1'

  test.each([
    ['dmarc.missing', NO_SENDER, 'at _dmarc.acme.test, .*: "v=DMARC1; p=reject"', true],
    [
      'dmarc.missing',
      `${NO_SENDER}\n_dmarc.acme.test. CNAME gone.test.`,
      'at _dmarc.acme.test \\(a CNAME, so replace it with a TXT record\\), .*: "v=DMARC1; p=reject"',
      false,
    ],
    ['dmarc.missing', `${NO_SENDER}\n_dmarc.acme.test. TXT "v=DMARC2"`, 'dmarc.near-miss', false],
    [
      'dmarc.policy-none',
      `${NO_SENDER}\n${dmarc('p=none')}`,
      '_dmarc.acme.test to "p=reject"',
      false,
    ],
    [
      'dmarc.policy-quarantine',
      `${NO_SENDER}\n${dmarc('p=quarantine')}`,
      '_dmarc.acme.test to "p=reject"',
      false,
    ],
    ['dmarc.policy-none', `${NO_SENDER}\n${dmarc('p=none; t=x')}`, 'Read|reports', false],
    ['mx.implicit', `${NO_SENDER}\n${A}`, 'publish a null MX: "acme.test MX 0 ."', true],
    ['spf.missing', 'acme.test. MX 0 .', '"acme.test TXT v=spf1 -all"', true],
    ['spf.no-all', 'acme.test. MX 0 .\nacme.test. TXT "v=spf1"', 'v=spf1 -all"', true],
    ['spf.neutral-all', 'acme.test. MX 0 .\nacme.test. TXT "v=spf1 ?all"', 'v=spf1 -all"', true],
  ])('%s: %s', async (id, lines, fix, isProposed) => {
    const { report } = await check(zoneDns(lines))
    expect(report.profile).toBe('non-sending')
    const issues = [report.mx, report.spf, report.dmarc].flatMap((each) => each.issues)
    const found = issues.find((issue) => issue.id === id)
    expect(found?.fix).toMatch(new RegExp(fix))
    expect(found?.record !== undefined).toBe(isProposed)
  })

  test('is both for one of which only the owner knows whether it does', async () => {
    const { report } = await check(zoneDns('acme.test. TXT "x"'))
    expect(report.profile).toBe('sending')
    expect(report.dmarc.issues[0]).toMatchObject({
      id: 'dmarc.missing',
      fix: expect.stringMatching(/"v=DMARC1; p=reject".*"v=DMARC1; p=none; rua=mailto:<a mailbox/),
    })
  })
})

describe('covered name', () => {
  const COVERED = `${Object.values(PASSING_ZONE).join('\n')}\nwww.acme.test. A 192.0.2.80`
  const checkName = async (lines: string) => {
    const dns = zoneDns(`${COVERED}\n${lines}`)
    const checked = await checkDomain(dns, 'www.acme.test' as DomainName, createTestRandom())
    if (checked.kind !== 'report') throw new Error(checked.kind)
    return checked.report
  }

  test('has no mail records and inherits an enforced policy', async () => {
    const report = await checkName('')
    expect(report).toMatchObject({ profile: 'covered', status: 'pass' })
    expect(report.summary).toBe(
      'www.acme.test: receivers refuse forged mail. The name has no mail records of its own; acme.test’s policy protects it. Nothing to fix.',
    )
    expect(report.spf.issues).toMatchObject([
      {
        id: 'spf.missing',
        severity: 'info',
        fix: expect.stringContaining('You don’t need to change anything'),
      },
    ])
    expect([...report.mx.issues, ...report.dkim.issues]).toEqual([])
  })

  test.each([
    ['an MX record', 'www.acme.test. MX 10 mx.acme.test.'],
    ['an SPF record', 'www.acme.test. TXT "v=spf1 ip4:192.0.2.1 -all"'],
    ['its own policy', '_dmarc.www.acme.test. TXT "v=DMARC1; p=reject"'],
  ])('is not one with %s', async (_, line) => {
    expect((await checkName(line)).profile).toBe('sending')
  })

  test('is not one below a policy that enforces nothing', async () => {
    const dmarc = '_dmarc.acme.test. TXT "v=DMARC1; p=reject; sp=none"'
    const zoneText = COVERED.replace(PASSING_ZONE.dmarc, dmarc)
    const checked = await checkDomain(
      zoneDns(zoneText),
      'www.acme.test' as DomainName,
      createTestRandom(),
    )
    expect(checked).toMatchObject({ report: { profile: 'sending' } })
  })
})

test.each([
  'v=spf1 ipv4:192.0.2.1 -all',
  'v=spf1 include:gone.acme.test -all',
  'v=spf1 include:acme.test -all',
])('treats a domain with the broken record "%s" as sending', async (record) => {
  const { report } = await check(zone({ spf: `acme.test. TXT "${record}"`, dkim: '' }))
  expect(report.profile).toBe('sending')
  expect(report.dkim.issues).toMatchObject([
    { id: 'dkim.missing' },
    { id: 'dkim.sender-unsigned', title: 'Mail from your own server is rejected today' },
  ])
})

describe('summary', () => {
  test.each([
    ['p=reject', 'receivers refuse forged mail.'],
    ['p=quarantine', 'forged mail goes to the spam folder.'],
    ['p=none', 'forged mail can reach the inbox, because no DMARC policy stops it.'],
  ])('says for %s what happens to forged mail', async (policy, treatment) => {
    const dmarc = `_dmarc.acme.test. TXT "v=DMARC1; ${policy}; rua=mailto:d@in.acme.test"`
    const { report } = await check(zone({ dmarc }))
    expect(report.summary).toContain(treatment)
  })

  test('says that anyone can send if SPF allows every server', async () => {
    const { report } = await check(zone({ spf: 'acme.test. TXT "v=spf1 +all"' }))
    expect(report.summary).toBe(
      'acme.test: anyone can send mail that looks genuine, because SPF allows every server. Fix first: Anyone can send as your domain because of the SPF record. 1 more finding needs a fix.',
    )
  })
})

describe('failed lookup', () => {
  const run = (failing: string) =>
    checkDomain(
      zoneDns(Object.values(PASSING_ZONE).join('\n'), { [failing]: 'servfail' }),
      DOMAIN,
      createTestRandom(),
    )

  test.each(['MX acme.test', 'TXT acme.test', 'TXT _dmarc.acme.test'])(
    'returns unavailable when %s fails',
    async (query) => {
      const [type, name] = query.split(' ')
      expect(await run(query)).toMatchObject({ kind: 'unavailable', query: { name, type } })
    },
  )

  test('leaves the addresses of a mail server unknown', async () => {
    expect(await run('A mx.acme.test')).toMatchObject({
      kind: 'report',
      report: {
        mx: {
          status: 'pass',
          records: [{ exchange: 'mx.acme.test', addresses: null }],
          issues: [{ id: 'mx.host-unavailable' }],
        },
      },
    })
  })

  test('leaves a transport record unknown', async () => {
    expect(await run('TXT _mta-sts.acme.test')).toMatchObject({
      kind: 'report',
      report: {
        status: 'warn',
        transport: {
          mtaSts: { present: null, valid: null },
          tlsRpt: { present: false },
          issues: [{ id: 'transport.lookup-unavailable' }],
        },
      },
    })
  })

  test('lists a guessed selector that failed', async () => {
    expect(await run('TXT google._domainkey.acme.test')).toMatchObject({
      kind: 'report',
      report: { dkim: { presence: 'present', selectorsFailed: ['google'] } },
    })
  })

  test('returns unknown-domain for a domain that does not exist', async () => {
    expect(await checkDomain(zoneDns('other.test. MX 0 .'), DOMAIN, createTestRandom())).toEqual({
      kind: 'unknown-domain',
    })
  })
})
