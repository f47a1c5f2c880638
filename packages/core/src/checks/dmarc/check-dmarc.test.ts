import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { describe, expect, test } from 'vitest'
import { DMARC_FINDINGS } from '../../catalog/findings/dmarc-findings.js'
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
  return { report, issues, ids, asked: [...new Set(dns.queries)] }
}

/** A domain with mail and the DMARC record given. */
function acme(record: string, more = ''): string {
  return `acme.test. MX 10 mx.acme.test.\n_dmarc.acme.test. TXT "${record}"\n${more}`
}

const REPORTS = 'rua=mailto:d@acme.test'

describe('a domain with a policy of its own', () => {
  test('passes when it rejects forged mail and gets reports', async () => {
    const { report, issues, asked } = await check(
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
    expect(asked).toEqual([
      'TXT _dmarc.acme.test',
      'TXT _dmarc.test',
      'MX acme.test',
      'MX vendor.test',
      'TXT acme.test._report._dmarc.vendor.test',
    ])
  })

  test('and an internationalised name also has it as people write it', async () => {
    const { report } = await check(
      '_dmarc.xn--mller-kva.test. TXT "v=DMARC1; p=reject"',
      'xn--mller-kva.test',
    )
    expect(report).toMatchObject({ domain: 'xn--mller-kva.test', unicodeDomain: 'müller.test' })
  })

  test('of quarantine is told how to reject', async () => {
    const { report, issues } = await check(acme(`v=DMARC1; p=quarantine; ${REPORTS}`))
    expect(report).toMatchObject({ status: 'warn', policy: 'quarantine' })
    expect(issues).toEqual([
      {
        id: 'dmarc.policy-quarantine',
        severity: 'low',
        title: 'Forged mail goes to spam instead of being rejected',
        detail: expect.stringContaining('acme.test'),
        fix: `When the reports show that your own mail passes, publish at _dmarc.acme.test: "v=DMARC1; p=reject; ${REPORTS}"`,
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

  test('of none is not protected', async () => {
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
        title: `Test mode: receivers apply ${applied} instead of ${policy}`,
        fix: `When the test has gone well, publish at _dmarc.acme.test: "v=DMARC1; p=${policy}; ${REPORTS}"`,
      })
    },
  )

  test('of none has nothing to test, and nothing to apply to a share of mail', async () => {
    const { report, ids } = await check(acme(`v=DMARC1; p=none; t=y; pct=5; ${REPORTS}`))
    expect(report).toMatchObject({ testing: true, percent: 5 })
    expect(ids).toEqual(['dmarc.policy-none', 'dmarc.obsolete-tags'])
  })

  test('for a share of mail is one to older receivers only', async () => {
    const { report, issues } = await check(acme(`v=DMARC1; p=reject; pct=20; ${REPORTS}`))
    expect(report).toMatchObject({ status: 'warn', percent: 20 })
    expect(issues).toMatchObject([
      {
        id: 'dmarc.partial',
        detail: expect.stringContaining('quarantine to the rest'),
        fix: `When the reports show that your own mail passes, publish at _dmarc.acme.test: "v=DMARC1; p=reject; ${REPORTS}"`,
      },
    ])
  })

  test('may have a weaker one for its subdomains, which opens a door', async () => {
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
          `publish at _dmarc.acme.test: "v=DMARC1; p=reject; ${REPORTS}"`,
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

  test('or for names that do not exist, which nobody needs', async () => {
    const { report, issues } = await check(acme(`v=DMARC1; p=reject; np=quarantine; ${REPORTS}`))
    expect(report).toMatchObject({
      status: 'warn',
      subdomainPolicy: 'reject',
      nonexistentSubdomainPolicy: 'quarantine',
    })
    expect(issues).toMatchObject([
      {
        id: 'dmarc.nonexistent-weaker',
        fix: `Publish at _dmarc.acme.test: "v=DMARC1; p=reject; np=reject; ${REPORTS}"`,
      },
    ])
  })
})

describe('a domain without a policy', () => {
  test('is told what to publish, where one record serves all names', async () => {
    const { report, issues, asked } = await check(
      'mail.acme.test. MX 10 mx.acme.test.',
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
        title: 'No DMARC record for mail.acme.test',
        fix: expect.stringContaining(
          '_dmarc.acme.test: "v=DMARC1; p=none; rua=mailto:dmarc@acme.test"',
        ),
        evidence: [],
      },
    ])
    expect(asked).toEqual([
      'TXT _dmarc.mail.acme.test',
      'TXT _dmarc.acme.test',
      'TXT _dmarc.test',
      'MX mail.acme.test',
    ])
  })

  test('may have two records that cancel each other', async () => {
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
        title: '2 DMARC records at _dmarc.acme.test',
        evidence: [{ value: 'v=DMARC1; p=reject' }, { value: 'v=DMARC1; p=none' }],
      },
    ])
  })

  test.each([
    ['v=DMARC; p=reject', '"v=DMARC1; p=reject"'],
    ['v=dmarc1; p=reject', '"v=DMARC1; p=reject"'],
    ['p=reject; v=DMARC1', '"v=DMARC1; p=reject"'],
    ['v=DMARC1 p=reject', '"v=DMARC1; p="'],
    [' v=DMARC1; p=none', '"v=DMARC1; p=none"'],
    ['\\"v=DMARC1; p=none\\"', '"v=DMARC1; p=none"'],
    ['p=quarantine; rua=mailto:d@acme.test', '"v=DMARC1; p=quarantine; rua=mailto:d@acme.test"'],
    ['v:DMARC1; p=bogus', '"v=DMARC1; p="'],
    ['p=bogus; v=DMARC1', '"v=DMARC1; p="'],
  ])('may have meant one by %s', async (text, mended) => {
    const { report, issues } = await check(acme(text))
    expect(report).toMatchObject({ record: null, records: [], policy: null })
    expect(issues).toMatchObject([
      { id: 'dmarc.missing', fix: expect.stringContaining('dmarc.near-miss') },
      { id: 'dmarc.near-miss', fix: expect.stringContaining(mended) },
    ])
  })

  test.each(['v=spf1 -all', 'v=DKIM1; p=MIIB', 'v=TLSRPTv1; rua=mailto:d@acme.test', 'p=', ''])(
    'did not mean one by "%s"',
    async (text) => {
      const { ids } = await check(acme(text))
      expect(ids).toEqual(['dmarc.missing'])
    },
  )

  test('may have a record that asks for nothing valid', async () => {
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
        title: 'The record at _dmarc.acme.test has no valid policy, so none applies',
        evidence: [{ value: 'v=DMARC1; p=bogus; ruf=mailto:d@vendor.test' }],
      },
      { id: 'dmarc.bad-tags', detail: expect.stringContaining('p=bogus is not none, quarantine') },
    ])
  })
})

describe('a record with faults', () => {
  test.each([
    ['p=bogus', 'p=bogus is not none, quarantine or reject'],
    ['sp=bogus', 'sp=bogus is not'],
    ['np=', 'np= is not'],
  ])('%s counts as none when it asks for reports', async (tag, fault) => {
    const { report, issues } = await check(acme(`v=DMARC1; p=reject; ${tag}; ${REPORTS}`))
    expect(report).toMatchObject({ status: 'fail', policy: 'none', subdomainPolicy: 'none' })
    expect(issues[0]).toMatchObject({
      id: 'dmarc.policy-none',
      detail: expect.stringContaining('as if it said p=none'),
      fix: expect.stringContaining('dmarc.bad-tags'),
    })
    expect(issues[1]).toMatchObject({
      id: 'dmarc.bad-tags',
      detail: expect.stringContaining(fault),
    })
  })

  test.each([
    ['adkim=x', 'adkim=x is not r or s'],
    ['aspf=strict', 'aspf=strict is not r or s'],
    ['t=yes', 't=yes is not y or n'],
    ['psd=1', 'psd=1 is not y, n or u'],
    ['fo=0:1', 'fo=0:1 is not a combination of'],
    ['fo=x', 'fo=x is not a combination of'],
    ['pct=101', 'pct=101 is not a number from 0 to 100'],
    ['pct=half', 'pct=half is not'],
    ['adkim=r; adkim=r', 'adkim occurs more than once'],
    ['ADKIM=s', 'ADKIM is written in capitals'],
    ['reject', '"reject" is not a tag with a value'],
    ['=x', '"=x" is not a tag'],
    ['ruf=', 'ruf has no address'],
    ['ruf=f@acme.test', 'ruf f@acme.test is missing "mailto:"'],
  ])('%s goes by the default, and is reported', async (tag, fault) => {
    const { report, issues } = await check(acme(`v=DMARC1; p=reject; ${tag}; ${REPORTS}`))
    expect(report).toMatchObject({ status: 'warn', policy: 'reject', testing: false, percent: 100 })
    expect(issues).toMatchObject([{ id: 'dmarc.bad-tags', detail: expect.stringContaining(fault) }])
  })

  test('is given back without them, and with what can be mended', async () => {
    const { issues } = await check(
      acme('v=DMARC1; adkim=x; fo=1:d:s; RUA=d@acme.test, https://acme.test/; p=Reject; p'),
    )
    expect(issues[0]?.fix).toContain(
      'publish at _dmarc.acme.test: "v=DMARC1; p=reject; fo=1:d:s; rua=mailto:d@acme.test"',
    )
  })

  test('lists as many as anybody reads', async () => {
    const { issues } = await check(acme(`v=DMARC1; p=reject; ${'x; '.repeat(50)}${REPORTS}`))
    expect(issues[0]?.detail).toContain('and 40 more')
    expect(issues[0]?.detail.length).toBeLessThan(600)
  })

  test('of a repeated tag the last counts', async () => {
    const { report, ids } = await check(acme(`v=DMARC1; p=none; p=reject; ${REPORTS}`))
    expect(report).toMatchObject({ policy: 'reject', tags: { p: 'reject' } })
    expect(ids).toEqual(['dmarc.bad-tags'])
  })

  test('nor is anything wrong with empty tags, white space and case', async () => {
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

  test('tags of no meaning are shown and ignored, whatever they are called', async () => {
    const { report, issues } = await check(
      acme(`v=DMARC1; p=reject; constructor=x; hasOwnProperty=y; ${REPORTS}`),
    )
    expect(report.status).toBe('pass')
    expect(Object.entries(report.tags)).toContainEqual(['constructor', 'x'])
    expect(issues).toMatchObject([
      { id: 'dmarc.unknown-tags', detail: expect.stringContaining('constructor; hasownproperty') },
    ])
  })

  test('__proto__ is just a tag', async () => {
    const { report, ids } = await check(acme(`v=DMARC1; p=reject; __proto__=x; ${REPORTS}`))
    expect(ids).toEqual(['dmarc.unknown-tags'])
    expect(Object.entries(report.tags)).toContainEqual(['__proto__', 'x'])
    expect(Object.getPrototypeOf(report.tags)).toBe(Object.prototype)
    expect(JSON.stringify(report)).toContain('"__proto__":"x"')
  })

  test('parts of an older DMARC do no harm', async () => {
    const { report, issues } = await check(
      acme('v=DMARC1; p=reject; pct=100; rf=afrf; ri=86400; rua=mailto:d@acme.test!10m'),
    )
    expect(report).toMatchObject({ status: 'pass', percent: 100 })
    expect(report.rua).toMatchObject([{ uri: 'mailto:d@acme.test!10m', valid: true }])
    expect(issues).toMatchObject([
      {
        id: 'dmarc.obsolete-tags',
        severity: 'info',
        detail: expect.stringContaining('pct; rf; ri; size limits'),
        fix: expect.stringContaining(`"v=DMARC1; p=reject; ${REPORTS}"`),
      },
    ])
  })

  test('octets that are no text are shown as they are', async () => {
    const { report } = await check(acme('v=DMARC1; p=reject; n=\\255; m=\\195\\164'))
    expect(report.tags).toMatchObject({ n: '\xff', m: 'ä' })
  })
})

describe('beside the record', () => {
  test('unrelated TXT records are nobody’s business', async () => {
    const { report, ids } = await check(
      acme(`v=DMARC1; p=reject; ${REPORTS}`, '_dmarc.acme.test. TXT "v=spf1 -all"'),
    )
    expect(report.status).toBe('pass')
    expect(ids).toEqual([])
  })

  test('one that was meant to count is better deleted', async () => {
    const { report, issues } = await check(
      acme(`v=DMARC1; p=reject; ${REPORTS}`, '_dmarc.acme.test. TXT "v=DMARC2; p=none"'),
    )
    expect(report.policy).toBe('reject')
    expect(issues).toMatchObject([
      { id: 'dmarc.near-miss', fix: expect.stringMatching(/^Delete it/) },
    ])
  })

  test('of thousands that were meant to count the first ten are shown', async () => {
    const misses = Array.from({ length: 3_000 }, (_, n) => `_dmarc.acme.test. TXT "p=none; n=${n}"`)
    const { issues } = await check(acme(`v=DMARC1; p=reject; ${REPORTS}`, misses.join('\n')))
    expect(issues).toHaveLength(10)
    expect(issues[0]?.detail).toContain('There are 3000 such records; the first 10 are shown.')
  })

  test('an alias shows who really sets the policy', async () => {
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
        title: 'The record of _dmarc.acme.test is hosted at policy.vendor.test',
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
  ])('an alias that leads to %s is a risk, and keeps no record', async (_, target) => {
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
        title: 'The CNAME at _dmarc.acme.test leads to gone.test, which has no DMARC record',
        detail: expect.stringContaining('anyone who gains control of gone.test'),
        fix: expect.stringMatching(/^Delete the CNAME at _dmarc.acme.test/),
        evidence: [{ name: '_dmarc.acme.test', type: 'CNAME', value: 'gone.test' }],
      },
    ])
  })
})

test('a record in several strings is one', async () => {
  const { report } = await check('_dmarc.acme.test. TXT "v=DMA" "RC1; p=rej" "ect"')
  expect(report).toMatchObject({ record: 'v=DMARC1; p=reject', policy: 'reject' })
})

test('every finding but the one that needs DKIM has its story, here or in the tests beside', () => {
  const elsewhere = [
    'dmarc.no-reports',
    'dmarc.old-receivers-differ',
    'dmarc.public-suffix-policy',
    'dmarc.reject-without-dkim',
    'dmarc.report-not-authorized',
    'dmarc.report-target-without-mx',
    'dmarc.subdomain-tags-ignored',
    'dmarc.too-many-destinations',
  ]
  expect([...seen, ...elsewhere].filter((id) => !(id in DMARC_FINDINGS))).toEqual([])
  expect(new Set([...seen, ...elsewhere])).toEqual(new Set(Object.keys(DMARC_FINDINGS)))
})
