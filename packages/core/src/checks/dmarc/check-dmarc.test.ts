import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { describe, expect, test } from 'vitest'
import { FINDINGS } from '../../catalog/findings.js'
import type { DomainName } from '../../names/domain-name.js'
import { checkDmarc } from './check-dmarc.js'
import { dmarcReportSchema } from './dmarc-report.js'

const seen = new Set<string>()

async function check(zone: string, domain = 'acme.test') {
  const dns = zoneDns(zone)
  const checked = await checkDmarc(dns, domain as DomainName)
  if (checked.kind !== 'report') throw new Error(`no report but ${checked.kind}`)
  dmarcReportSchema.parse(checked.report)
  const { issues, ...report } = checked.report
  const ids = issues.map((issue) => issue.id)
  for (const id of ids) seen.add(id)
  // One report asks every question once, however often a check wants to know.
  return { report, issues, ids, queries: [...new Set(dns.queries)] }
}

/** A domain with mail and the DMARC record given. */
function acme(record: string, more = ''): string {
  return `acme.test. MX 10 mx.acme.test.\n_dmarc.acme.test. TXT "${record}"\n${more}`
}

const REPORTS = 'rua=mailto:d@acme.test'
const SEE_BAD_TAGS = expect.stringMatching(/^Correct the record.*"dmarc.bad-tags"\.$/)

describe('domain with its own policy', () => {
  test('passes when it rejects forged mail and gets reports', async () => {
    const { report, issues, queries } = await check(
      acme(
        `v=DMARC1; p=reject; aspf=s; ${REPORTS}, mailto:d@vendor.test; ruf=mailto:f@acme.test`,
        `
        vendor.test. MX 10 mx.vendor.test.
        *._report._dmarc.vendor.test. TXT "v=DMARC1"
      `,
      ),
    )
    const own = { reason: null, external: false, authorized: true, acceptsMail: true }
    expect(report).toEqual({
      domain: 'acme.test',
      status: 'pass',
      record: `v=DMARC1; p=reject; aspf=s; ${REPORTS}, mailto:d@vendor.test; ruf=mailto:f@acme.test`,
      recordName: '_dmarc.acme.test',
      records: [
        `v=DMARC1; p=reject; aspf=s; ${REPORTS}, mailto:d@vendor.test; ruf=mailto:f@acme.test`,
      ],
      organizationalDomain: 'acme.test',
      inherited: false,
      policy: 'reject',
      subdomainPolicy: 'reject',
      nonexistentSubdomainPolicy: 'reject',
      testing: false,
      percent: 100,
      alignment: { spf: 'strict', dkim: 'relaxed' },
      rua: [
        { uri: 'mailto:d@acme.test', valid: true, ...own },
        { uri: 'mailto:d@vendor.test', valid: true, ...own, external: true },
      ],
      ruf: [{ uri: 'mailto:f@acme.test', valid: true, ...own }],
      tags: {
        v: 'DMARC1',
        p: 'reject',
        aspf: 's',
        rua: 'mailto:d@acme.test, mailto:d@vendor.test',
        ruf: 'mailto:f@acme.test',
      },
      olderReceivers: {
        organizationalDomain: 'acme.test',
        recordName: '_dmarc.acme.test',
        policy: 'reject',
      },
    })
    expect(issues).toEqual([])
    expect(queries).toEqual([
      'TXT _dmarc.acme.test',
      'TXT _dmarc.test',
      'MX acme.test',
      'TXT acme.test',
      'MX vendor.test',
      'TXT acme.test._report._dmarc.vendor.test',
    ])
  })

  test('shows an internationalized name in Unicode', async () => {
    const { report } = await check(
      '_dmarc.xn--mller-kva.test. TXT "v=DMARC1; p=reject"',
      'xn--mller-kva.test',
    )
    expect(report).toMatchObject({ domain: 'xn--mller-kva.test', unicodeDomain: 'müller.test' })
  })

  test('quarantine: advises reject', async () => {
    const { report, issues } = await check(acme(`v=DMARC1; p=quarantine; ${REPORTS}`))
    expect(report).toMatchObject({ status: 'pass', policy: 'quarantine' })
    expect(issues).toEqual([
      {
        id: 'dmarc.policy-quarantine',
        severity: 'info',
        title: 'Forged mail goes to spam instead of being rejected',
        detail: expect.stringContaining('acme.test'),
        fix: expect.stringMatching(
          /passes with DKIM, and .* no lost mail for at least a month, .* at _dmarc.acme.test to: "v=DMARC1; p=reject; rua=mailto:d@acme.test"/,
        ),
        record: {
          type: 'TXT',
          name: '_dmarc.acme.test',
          value: `v=DMARC1; p=reject; ${REPORTS}`,
        },
        evidence: [
          { name: '_dmarc.acme.test', type: 'TXT', value: `v=DMARC1; p=quarantine; ${REPORTS}` },
        ],
        reference: 'RFC 9989 §4.7',
      },
    ])
  })

  test('none: reports missing protection', async () => {
    const { report, issues } = await check(acme(`v=DMARC1; p=none; ${REPORTS}`))
    expect(report).toMatchObject({ status: 'fail', policy: 'none' })
    expect(issues).toMatchObject([
      {
        id: 'dmarc.policy-none',
        severity: 'high',
        fix: expect.stringContaining(`"v=DMARC1; p=quarantine; ${REPORTS}"`),
      },
    ])
  })

  test.each([
    ['reject', 'quarantine'],
    ['quarantine', 'none'],
  ])(
    'of %s under test has %s applied, which a finding says and the policy does not',
    async (policy, applied) => {
      const { report, issues } = await check(acme(`v=DMARC1; p=${policy}; t=Y; ${REPORTS}`))
      expect(report).toMatchObject({ status: 'warn', policy, testing: true })
      expect(issues.find(({ id }) => id === 'dmarc.testing')).toMatchObject({
        title: `In test mode, receivers apply ${applied} instead of ${policy}`,
        fix: expect.stringMatching(
          `for at least a month. Make sure that all your services pass with DKIM .* at _dmarc.acme.test to: "v=DMARC1; p=${policy}; ${REPORTS}"`,
        ),
      })
    },
  )

  test('none: reports neither test mode nor pct', async () => {
    const { report, ids } = await check(acme(`v=DMARC1; p=none; t=y; pct=5; ${REPORTS}`))
    expect(report).toMatchObject({ testing: true, percent: 5 })
    expect(ids).toEqual(['dmarc.policy-none', 'dmarc.obsolete-tags'])
  })

  test('pct below 100 affects only older receivers', async () => {
    const { report, issues } = await check(acme(`v=DMARC1; p=reject; pct=20; ${REPORTS}`))
    expect(report).toMatchObject({ status: 'warn', percent: 20 })
    expect(issues).toMatchObject([
      {
        id: 'dmarc.partial',
        detail: expect.stringContaining('reject to 20% of forged mail and quarantine to the rest'),
        fix: expect.stringMatching(
          `for at least a month. Make sure that all your services pass with DKIM .* at _dmarc.acme.test to: "v=DMARC1; p=reject; ${REPORTS}"`,
        ),
      },
    ])
  })

  test('pct=0 keeps older receivers from applying the policy at all', async () => {
    const { issues } = await check(acme(`v=DMARC1; p=reject; pct=0; ${REPORTS}`))
    expect(issues).toMatchObject([
      {
        id: 'dmarc.partial',
        title: 'Older receivers don’t apply the policy to any forged mail',
        detail: expect.stringContaining('reject to no forged mail and quarantine to all of it.'),
      },
    ])
  })

  test.each(['pct=50', 't=y'])('a stricter policy is proposed without %s', async (tag) => {
    const { issues } = await check(acme(`v=DMARC1; p=quarantine; ${tag}; ${REPORTS}`))
    const { fix = '' } = issues.find(({ id }) => id === 'dmarc.policy-quarantine') ?? {}
    expect(fix).toContain(`to: "v=DMARC1; p=reject; ${REPORTS}"`)
  })

  test('reports a weaker policy for subdomains', async () => {
    const open = await check(acme(`v=DMARC1; p=reject; sp=none; ${REPORTS}`))
    expect(open.report).toMatchObject({
      status: 'warn',
      policy: 'reject',
      subdomainPolicy: 'none',
      nonexistentSubdomainPolicy: 'none',
    })
    expect(open.issues).toMatchObject([
      {
        id: 'dmarc.subdomains-open',
        fix: expect.stringContaining(
          `get the domain’s own policy: "v=DMARC1; p=reject; ${REPORTS}"`,
        ),
      },
    ])
    const weaker = await check(acme(`v=DMARC1; p=reject; sp=quarantine; ${REPORTS}`))
    expect(weaker.ids).toEqual(['dmarc.subdomains-weaker'])
    const half = await check(acme(`v=DMARC1; p=quarantine; sp=none; ${REPORTS}`))
    expect(half.ids).toEqual(['dmarc.policy-quarantine', 'dmarc.subdomains-open'])
    const monitoring = await check(acme(`v=DMARC1; p=none; sp=reject; ${REPORTS}`))
    expect(monitoring.ids).toEqual(['dmarc.policy-none'])
  })

  test('reports a weaker policy for nonexistent names', async () => {
    const { report, issues } = await check(acme(`v=DMARC1; p=reject; np=quarantine; ${REPORTS}`))
    expect(report).toMatchObject({
      status: 'warn',
      subdomainPolicy: 'reject',
      nonexistentSubdomainPolicy: 'quarantine',
    })
    expect(issues).toMatchObject([
      {
        id: 'dmarc.nonexistent-weaker',
        fix: expect.stringMatching(
          `Once the reports show none of your own mail coming from names that don’t exist.* at _dmarc.acme.test to: "v=DMARC1; p=reject; np=reject; ${REPORTS}"`,
        ),
      },
    ])
  })
})

describe('domain without a policy', () => {
  test('proposes one record for all names', async () => {
    const { report, issues, queries } = await check(
      'mail.acme.test. MX 10 mx.acme.test.\nacme.test. A 192.0.2.1',
      'mail.acme.test',
    )
    expect(report).toEqual({
      domain: 'mail.acme.test',
      status: 'fail',
      record: null,
      recordName: null,
      records: [],
      organizationalDomain: 'mail.acme.test',
      inherited: false,
      policy: null,
      subdomainPolicy: null,
      nonexistentSubdomainPolicy: null,
      testing: null,
      percent: null,
      alignment: null,
      rua: [],
      ruf: [],
      tags: {},
      olderReceivers: { organizationalDomain: 'acme.test', recordName: null, policy: null },
    })
    expect(issues).toMatchObject([
      {
        id: 'dmarc.missing',
        severity: 'critical',
        title: 'mail.acme.test has no DMARC policy',
        fix: expect.stringMatching(
          / at _dmarc.acme.test, with .*: "v=DMARC1; p=none; rua=mailto:dmarc@acme.test"/,
        ),
        evidence: [],
      },
    ])
    expect(queries).toEqual([
      'TXT _dmarc.mail.acme.test',
      'TXT _dmarc.acme.test',
      'TXT _dmarc.test',
      'MX mail.acme.test',
      'TXT mail.acme.test',
      'TXT _dmarc.mail.acme.test.mail.acme.test',
      'MX acme.test',
      'A acme.test',
      'AAAA acme.test',
    ])
  })

  test('reports two records that cancel each other out', async () => {
    const { report, issues } = await check(
      acme('v=DMARC1; p=reject', '_dmarc.acme.test. TXT "v=DMARC1; p=none"'),
    )
    expect(report).toMatchObject({
      status: 'fail',
      record: null,
      records: ['v=DMARC1; p=reject', 'v=DMARC1; p=none'],
      policy: null,
    })
    expect(issues).toMatchObject([
      { id: 'dmarc.missing', fix: expect.stringContaining('dmarc.multiple-records') },
      {
        id: 'dmarc.multiple-records',
        severity: 'high',
        title: 'There are 2 DMARC records at _dmarc.acme.test',
        fix: expect.stringMatching(
          /^Keep one of the records at _dmarc.acme.test, with "p=none" at first\. .* could block your own mail\..* or right away if acme.test and its subdomains send no mail\.$/,
        ),
        evidence: [{ value: 'v=DMARC1; p=reject' }, { value: 'v=DMARC1; p=none' }],
      },
    ])
  })

  test('of several records, keeps the address for reports', async () => {
    const { issues } = await check(
      acme(`v=DMARC1; p=none; ${REPORTS}`, '_dmarc.acme.test. TXT "v=DMARC1; p=none"'),
    )
    expect(issues.find(({ id }) => id === 'dmarc.multiple-records')?.fix).toContain(
      'If it has no "rua=" address, add the one from the other records.',
    )
  })

  test.each([
    ['v=DMARC; p=reject', '"v=DMARC1; p=reject"'],
    ['v=dmarc1; p=reject', '"v=DMARC1; p=reject"'],
    ['p=reject; v=DMARC1', '"v=DMARC1; p=reject"'],
    ['v=DMARC1 p=reject', '"v=DMARC1; p="'],
    [' v=DMARC1; p=none', '"v=DMARC1; p=none; rua=mailto:dmarc@acme.test"'],
    [` v=DMARC1; p=none; ${REPORTS} `, `"v=DMARC1; p=none; ${REPORTS}"`],
    [`\\"v=DMARC1; p=none; ${REPORTS}\\"`, `"v=DMARC1; p=none; ${REPORTS}"`],
    [`'v=DMARC1; p=none; ${REPORTS}'`, `"v=DMARC1; p=none; ${REPORTS}"`],
    [
      `\\226\\128\\156v=DMARC1; p=none; ${REPORTS}; ruf=mailto:f@acme.test\\226\\128\\157`,
      `"v=DMARC1; p=none; ${REPORTS}; ruf=mailto:f@acme.test"`,
    ],
    [
      `v\\239\\188\\157DMARC1\\239\\188\\155 p=none; rua=mailto:d\\226\\128\\147x@acme.test\\226\\128\\139`,
      '"v=DMARC1; p=none; rua=mailto:d-x@acme.test"',
    ],
    [`v=dmarc1; p=none;\\194\\160fo=d:d; ${REPORTS}`, `"v=DMARC1; p=none; fo=d; ${REPORTS}"`],
    ['p=quarantine; rua=mailto:d@acme.test', '"v=DMARC1; p=quarantine; rua=mailto:d@acme.test"'],
    ['v:DMARC1; p=bogus', '"v=DMARC1; p="'],
    ['p=bogus; v=DMARC1', '"v=DMARC1; p="'],
  ])('reports the near miss %s', async (text, repaired) => {
    const { report, issues } = await check(acme(text))
    expect(report).toMatchObject({ record: null, records: [], policy: null })
    expect(issues).toMatchObject([
      { id: 'dmarc.missing', fix: expect.stringContaining('dmarc.near-miss') },
      { id: 'dmarc.near-miss', fix: expect.stringContaining(repaired) },
    ])
  })

  test.each(['v=spf1 -all', 'v=DKIM1; p=MIIB', 'v=TLSRPTv1; rua=mailto:d@acme.test', 'p=', ''])(
    'did not mean one by "%s"',
    async (text) => {
      const { ids } = await check(acme(text))
      expect(ids).toEqual(['dmarc.missing'])
    },
  )

  test('reports a record without a valid policy', async () => {
    const { report, issues } = await check(acme('v=DMARC1; p=bogus; ruf=mailto:d@vendor.test'))
    expect(report).toMatchObject({
      status: 'fail',
      record: 'v=DMARC1; p=bogus; ruf=mailto:d@vendor.test',
      recordName: '_dmarc.acme.test',
      policy: null,
      subdomainPolicy: null,
      testing: null,
      alignment: null,
      ruf: [{ valid: true, external: null, authorized: null, acceptsMail: null }],
      tags: { p: 'bogus' },
    })
    expect(issues).toMatchObject([
      {
        id: 'dmarc.missing',
        title: 'The DMARC record at _dmarc.acme.test has no valid policy, so none applies',
        evidence: [{ value: 'v=DMARC1; p=bogus; ruf=mailto:d@vendor.test' }],
      },
      {
        id: 'dmarc.bad-tags',
        detail: expect.stringContaining('p="bogus" isn’t none, quarantine'),
      },
    ])
  })
})

describe('record with errors', () => {
  test.each([
    ['p=bogus', 'p="bogus" isn’t none, quarantine, or reject'],
    ['p=reject; sp=bogus', 'sp="bogus" isn’t'],
    ['p=reject; np=', 'np="" isn’t'],
  ])('%s counts as none when it asks for reports', async (tags, fault) => {
    const { report, issues } = await check(acme(`v=DMARC1; ${tags}; ${REPORTS}`))
    expect(report).toMatchObject({ status: 'fail', policy: 'none', subdomainPolicy: 'none' })
    expect(issues[0]).toMatchObject({
      id: 'dmarc.policy-none',
      detail: expect.stringContaining('p=none'),
      fix: expect.stringContaining('dmarc.bad-tags'),
    })
    expect(issues[1]).toMatchObject({
      id: 'dmarc.bad-tags',
      detail: expect.stringContaining(fault),
      fix: expect.stringContaining(
        `Set the record at _dmarc.acme.test to: "v=DMARC1; p=none; ${REPORTS}"`,
      ),
    })
    expect(issues.filter(({ record }) => record)).toEqual([])
  })

  test.each([
    ['adkim=x', 'adkim="x" isn’t r or s'],
    ['aspf=strict', 'aspf="strict" isn’t r or s'],
    ['t=yes', 't="yes" isn’t y or n'],
    ['psd=1', 'psd="1" isn’t y, n, or u'],
    ['fo=0:1', 'fo="0:1" isn’t a combination of'],
    ['fo=x', 'fo="x" isn’t a combination of'],
    ['fo=d:d', 'fo="d:d" isn’t a combination of 0 or 1, d, and s, each at most once'],
    ['fo=0:0', 'fo="0:0" isn’t'],
    ['fo=1:d:1', 'fo="1:d:1" isn’t'],
    ['pct=101', 'pct="101" isn’t a number from 0 to 100'],
    ['pct=half', 'pct="half" isn’t'],
    [
      'adkim=r; adkim=R',
      'adkim appears twice, so strict receivers ignore the record, and others use its value r',
    ],
    [
      'aspf=s; aspf=r',
      'aspf appears twice, so a receiver that reads the first value uses s, one that reads the last uses r, and a strict one ignores the record',
    ],
    [
      't=y; t=n; t=y',
      't appears 3 times (y, n, y), so a receiver that reads the first value uses y',
    ],
    ['pct=5; pct=10', 'pct appears twice'],
    ['ADKIM=s', 'ADKIM is written in capitals'],
    ['reject', '"reject" isn’t a tag=value pair'],
    ['=x', '"=x" isn’t a tag'],
    ['ruf=', 'ruf has no address'],
    ['ruf=f@acme.test', 'ruf "f@acme.test" is missing "mailto:"'],
  ])('%s is reported and falls back to the default', async (tag, fault) => {
    const { report, issues } = await check(acme(`v=DMARC1; p=reject; ${tag}; ${REPORTS}`))
    expect(report).toMatchObject({ status: 'warn', policy: 'reject', testing: false, percent: 100 })
    expect(issues).toMatchObject([{ id: 'dmarc.bad-tags', detail: expect.stringContaining(fault) }])
  })

  test('proposes a corrected record', async () => {
    const { issues } = await check(
      acme('v=DMARC1; adkim=x; fo=1:d:s; RUA=d@acme.test, https://acme.test/; p=Reject; p'),
    )
    expect(issues[0]?.fix).toContain(
      'at _dmarc.acme.test to: "v=DMARC1; p=reject; fo=1:d:s; rua=mailto:d@acme.test"',
    )
  })

  test('lists at most ten', async () => {
    const { issues } = await check(acme(`v=DMARC1; p=reject; ${'x; '.repeat(50)}${REPORTS}`))
    expect(issues[0]?.detail).toContain('and 40 more')
    expect(issues[0]?.detail.length).toBeLessThan(600)
  })

  test('keeps a tag that is repeated with the same value', async () => {
    const { report, ids } = await check(acme(`v=DMARC1; p=reject; p=REJECT; ${REPORTS}`))
    expect(report).toMatchObject({ policy: 'reject', tags: { p: 'REJECT' } })
    expect(ids).toEqual(['dmarc.bad-tags'])
  })

  test('drops a policy that is repeated with another value', async () => {
    const { report, issues } = await check(
      acme(`v=DMARC1; p=none; p=reject; sp=reject; ${REPORTS}`),
    )
    expect(report).toMatchObject({ status: 'fail', policy: 'none', subdomainPolicy: 'none' })
    expect(Object.keys(report.tags)).toEqual(['v', 'sp', 'rua'])
    expect(issues).toMatchObject([
      {
        id: 'dmarc.policy-none',
        detail: expect.stringContaining('p=none'),
        fix: SEE_BAD_TAGS,
      },
      {
        id: 'dmarc.bad-tags',
        detail: expect.stringMatching(
          /: p appears twice, so a receiver that reads the first value applies none, one that reads the last applies reject, and a strict one ignores the record\.$/,
        ),
      },
    ])
    expect(issues.filter(({ record }) => record)).toEqual([])
  })

  test('is unusable with different policies and no reports', async () => {
    const { report, issues } = await check(acme('v=DMARC1; p=quarantine; p=reject'))
    expect(report).toMatchObject({ status: 'fail', policy: null })
    expect(issues).toMatchObject([
      { id: 'dmarc.missing', fix: SEE_BAD_TAGS },
      { id: 'dmarc.bad-tags' },
    ])
  })

  test('uses the default where sp, psd or rua is repeated with another value', async () => {
    const subdomains = await check(acme(`v=DMARC1; p=reject; sp=none; sp=reject; ${REPORTS}`))
    expect(subdomains.report).toMatchObject({ policy: 'reject', subdomainPolicy: 'reject' })
    expect(subdomains.ids).toEqual(['dmarc.bad-tags'])
    const reports = await check(acme(`v=DMARC1; p=reject; ${REPORTS}; rua=mailto:D@acme.test`))
    expect(reports.report).toMatchObject({ policy: 'reject', rua: [] })
    expect(reports.issues).toMatchObject([
      { id: 'dmarc.bad-tags' },
      { id: 'dmarc.no-reports', fix: SEE_BAD_TAGS },
    ])
  })

  test('reads fo in any order as the same value', async () => {
    const { issues } = await check(acme(`v=DMARC1; p=reject; fo=1:d; fo=D:1; ${REPORTS}`))
    expect(issues[0]?.detail).toContain(
      'fo appears twice, so strict receivers ignore the record, and others use its value "1:d"',
    )
  })

  test('accepts empty tags, white space and any case', async () => {
    const { report, ids } = await check(
      acme(`V\\009= DMARC1 ;; p = REJECT;; ;Adkim=S; ${REPORTS};;`.replace('Adkim', 'adkim')),
    )
    expect(report).toMatchObject({
      status: 'pass',
      policy: 'reject',
      alignment: { dkim: 'strict' },
    })
    expect(ids).toEqual([])
  })

  test('shows and ignores unknown tags', async () => {
    const { report, issues } = await check(
      acme(`v=DMARC1; p=reject; constructor=x; hasOwnProperty=y; ${REPORTS}`),
    )
    expect(report.status).toBe('pass')
    expect(Object.entries(report.tags)).toContainEqual(['constructor', 'x'])
    expect(issues).toMatchObject([
      {
        id: 'dmarc.unknown-tags',
        title: 'There are unknown tags in the DMARC record',
        detail: expect.stringContaining('"constructor" and "hasownproperty"'),
        fix: expect.stringMatching(
          `at _dmarc.acme.test to: "v=DMARC1; p=reject; ${REPORTS}". Add "adkim=", .* only after you’ve checked in the reports`,
        ),
      },
    ])
  })

  test('treats __proto__ as an ordinary tag', async () => {
    const { report, ids } = await check(acme(`v=DMARC1; p=reject; __proto__=x; ${REPORTS}`))
    expect(ids).toEqual(['dmarc.unknown-tags'])
    expect(Object.entries(report.tags)).toContainEqual(['__proto__', 'x'])
    expect(Object.getPrototypeOf(report.tags)).toBe(Object.prototype)
    expect(JSON.stringify(report)).toContain('"__proto__":"x"')
  })

  test('reports obsolete parts as harmless', async () => {
    const { report, issues } = await check(
      acme('v=DMARC1; p=reject; pct=100; rf=afrf; ri=86400; rua=mailto:d@acme.test!10m'),
    )
    expect(report).toMatchObject({ status: 'pass', percent: 100 })
    expect(report.rua).toMatchObject([{ uri: 'mailto:d@acme.test!10m', valid: true }])
    expect(issues).toMatchObject([
      {
        id: 'dmarc.obsolete-tags',
        severity: 'info',
        detail: expect.stringContaining('pct, rf, ri, and size limits'),
        fix: expect.stringContaining(`"v=DMARC1; p=reject; ${REPORTS}"`),
      },
    ])
  })

  test('shows octets that are not UTF-8 as they are', async () => {
    const { report } = await check(acme('v=DMARC1; p=reject; n=\\255; m=\\195\\164'))
    expect(report.tags).toMatchObject({ n: '\xff', m: 'ä' })
  })
})

describe('other records at the name', () => {
  test('ignores unrelated TXT records', async () => {
    const { report, ids } = await check(
      acme(`v=DMARC1; p=reject; ${REPORTS}`, '_dmarc.acme.test. TXT "v=spf1 -all"'),
    )
    expect(report.status).toBe('pass')
    expect(ids).toEqual([])
  })

  test('advises deleting a near miss', async () => {
    const { report, issues } = await check(
      acme(`v=DMARC1; p=reject; ${REPORTS}`, '_dmarc.acme.test. TXT "v=DMARC2; p=none"'),
    )
    expect(report.policy).toBe('reject')
    expect(issues).toMatchObject([
      { id: 'dmarc.near-miss', fix: expect.stringMatching(/^Delete this record/) },
    ])
  })

  test('shows the first ten of thousands of near misses', async () => {
    const misses = Array.from({ length: 3_000 }, (_, n) => `_dmarc.acme.test. TXT "p=none; n=${n}"`)
    const { issues } = await check(acme(`v=DMARC1; p=reject; ${REPORTS}`, misses.join('\n')))
    expect(issues).toHaveLength(10)
    expect(issues[0]?.detail).toContain('If there are several such records, we show the first 10.')
  })

  test('reports a CNAME and its target', async () => {
    const { report, issues } = await check(`
      _dmarc.acme.test.     CNAME acme.vendor.test.
      acme.vendor.test.     CNAME policy.vendor.test.
      policy.vendor.test.   TXT   "v=DMARC1; p=reject; ${REPORTS}"
      acme.test.            MX    10 mx.acme.test.
    `)
    expect(report).toMatchObject({ status: 'pass', recordName: '_dmarc.acme.test' })
    expect(issues).toMatchObject([
      {
        id: 'dmarc.cname',
        severity: 'info',
        title: 'policy.vendor.test hosts your DMARC record',
        evidence: [
          { name: '_dmarc.acme.test', type: 'CNAME', value: 'acme.vendor.test' },
          { name: 'acme.vendor.test', type: 'CNAME', value: 'policy.vendor.test' },
        ],
      },
    ])
  })

  test.each([
    ['nothing', ''],
    ['other text', 'gone.test. TXT "v=spf1 -all"'],
  ])('reports a dangling CNAME to %s', async (_, target) => {
    const { issues } = await check(`
      acme.test.        MX    10 mx.acme.test.
      _dmarc.acme.test. CNAME gone.test.
      ${target}
    `)
    expect(issues).toMatchObject([
      { id: 'dmarc.missing' },
      {
        id: 'dmarc.dangling-cname',
        severity: 'medium',
        title: '_dmarc.acme.test is a CNAME that doesn’t lead to a DMARC record',
        detail: expect.stringContaining('anyone who gains control of gone.test'),
        fix: expect.stringMatching(/^Delete the CNAME at _dmarc.acme.test/),
        evidence: [{ name: '_dmarc.acme.test', type: 'CNAME', value: 'gone.test' }],
      },
    ])
  })
})

test('joins a record in several strings', async () => {
  const { report } = await check('_dmarc.acme.test. TXT "v=DMA" "RC1; p=rej" "ect"')
  expect(report).toMatchObject({ record: 'v=DMARC1; p=reject', policy: 'reject' })
})

describe('records made to keep us busy', () => {
  const long = (text: string) =>
    acme('').replace(
      'TXT ""',
      `TXT ${(text.match(/.{1,255}/g) ?? []).map((part) => `"${part}"`).join(' ')}`,
    )
  const unread = (clause: string) => [
    { id: 'dmarc.bad-tags', detail: expect.stringContaining(`: ${clause}.`) },
  ]

  test('says that only the first hundred tags are read', async () => {
    const tags = Array.from({ length: 5_000 }, () => 'aspf=r').join(';')
    const { report, issues } = await check(long(`v=DMARC1;p=reject;${REPORTS};${tags}`))
    expect(report.policy).toBe('reject')
    expect(issues.filter(({ id }) => id === 'dmarc.bad-tags')).toMatchObject([
      {
        detail: expect.stringContaining(
          'there are more than 100 tags, and we didn’t read the rest',
        ),
      },
    ])
  })

  test('says that only the first 8,192 characters are read', async () => {
    const { issues } = await check(
      long(`v=DMARC1; p=reject; ${REPORTS}; ri=${'1'.repeat(9_000)}; p=none`),
    )
    expect(issues.filter(({ id }) => id === 'dmarc.bad-tags')).toMatchObject(
      unread('there are more than 8192 characters, and we didn’t read the rest'),
    )
  })

  test('shows ten of hundreds of records', async () => {
    const records = Array.from(
      { length: 300 },
      (_, at) => `_dmarc.acme.test. TXT "v=DMARC1; p=none; n=${at}"`,
    )
    const { report, issues } = await check(`acme.test. MX 10 mx.acme.test.\n${records.join('\n')}`)
    expect(report.records).toHaveLength(10)
    expect(issues.filter(({ id }) => id === 'dmarc.multiple-records')).toMatchObject([
      {
        title: 'There are 300 DMARC records at _dmarc.acme.test',
        detail: expect.stringMatching(/ We show only 10 of the 300 records\.$/),
        evidence: { length: 10 },
      },
    ])
  })
})

test('every finding except the combined one has a test', () => {
  const elsewhere = [
    'dmarc.no-reports',
    'dmarc.old-receivers-differ',
    'dmarc.public-suffix-policy',
    'dmarc.record-at-domain',
    'dmarc.record-at-doubled-name',
    'dmarc.reject-without-dkim',
    'dmarc.report-destination-unavailable',
    'dmarc.report-not-authorized',
    'dmarc.report-target-without-mx',
    'dmarc.strict-alignment',
    'dmarc.subdomain-tags-ignored',
    'dmarc.too-many-destinations',
    'dmarc.unused-record-at-domain',
  ]
  const ids = Object.keys(FINDINGS).filter((id) => id.startsWith('dmarc.'))
  expect(new Set([...seen, ...elsewhere])).toEqual(new Set(ids))
})
