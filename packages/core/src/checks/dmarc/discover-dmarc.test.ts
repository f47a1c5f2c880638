import type { FailureReason } from '@mailgrade/doh/dns'
import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { describe, expect, test } from 'vitest'
import type { DomainName } from '../../names/domain-name.js'
import { checkDmarc } from './check-dmarc.js'

async function check(zone: string, domain: string, failing: Record<string, FailureReason> = {}) {
  const dns = zoneDns(zone, failing)
  const checked = await checkDmarc(dns, domain as DomainName)
  return { checked, queries: [...new Set(dns.queries)] }
}

async function report(zone: string, domain: string, failing: Record<string, FailureReason> = {}) {
  const { checked, queries } = await check(zone, domain, failing)
  if (checked.kind !== 'report') throw new Error(`no report but ${checked.kind}`)
  const ids = checked.report.issues.map((issue) => issue.id)
  return { ...checked.report, ids, queries }
}

const RUA = 'rua=mailto:d@acme.test'

describe('name without its own record', () => {
  const zone = `
    acme.test.        MX  10 mx.acme.test.
    shop.acme.test.   A   192.0.2.1
    a.b.acme.test.    A   192.0.2.2
    _dmarc.acme.test. TXT "v=DMARC1; p=reject; sp=quarantine; np=none; ${RUA}"
  `

  test('inherits the subdomain policy of the organizational domain', async () => {
    expect(await report(zone, 'shop.acme.test')).toMatchObject({
      recordName: '_dmarc.acme.test',
      record: `v=DMARC1; p=reject; sp=quarantine; np=none; ${RUA}`,
      records: [],
      organizationalDomain: 'acme.test',
      inherited: true,
      policy: 'quarantine',
      subdomainPolicy: 'quarantine',
      nonexistentSubdomainPolicy: 'none',
      ids: ['dmarc.policy-quarantine', 'dmarc.nonexistent-weaker'],
      queries: [
        'TXT _dmarc.shop.acme.test',
        'TXT _dmarc.acme.test',
        'TXT _dmarc.test',
        'MX shop.acme.test',
        'TXT shop.acme.test',
        'MX acme.test',
        'TXT _dmarc.shop.acme.test.shop.acme.test',
      ],
    })
  })

  test('inherits over several levels', async () => {
    expect(await report(zone, 'a.b.acme.test')).toMatchObject({
      recordName: '_dmarc.acme.test',
      policy: 'quarantine',
    })
  })

  test('counts as existing when only names below it exist', async () => {
    expect(await report(zone, 'b.acme.test')).toMatchObject({ policy: 'quarantine' })
  })

  test('has the np policy when it does not exist', async () => {
    const found = await report(zone, 'made-up.acme.test')
    expect(found).toMatchObject({
      inherited: true,
      policy: 'none',
      olderReceivers: { policy: 'quarantine' },
    })
    expect(found.issues.find(({ id }) => id === 'dmarc.policy-none')?.fix).toContain(
      'np=quarantine',
    )
    // Receivers by RFC 7489 know no np; agreement is sought on the stronger policy.
    expect(found.issues.find(({ id }) => id === 'dmarc.old-receivers-differ')?.fix).toContain(
      `"v=DMARC1; p=reject; sp=quarantine; ${RUA}"`,
    )
  })

  test('has no subdomain findings when it does not exist', async () => {
    const stricter = zone.replace('sp=quarantine; np=none', 'sp=none; np=reject')
    expect(await report(stricter, 'made-up.acme.test')).toMatchObject({
      policy: 'reject',
      subdomainPolicy: 'none',
      ids: ['dmarc.old-receivers-differ'],
    })
  })

  test('is advised to publish a record of its own', async () => {
    const found = await report(zone.replace('sp=quarantine', 'sp=none'), 'shop.acme.test')
    expect(found.issues[0]).toMatchObject({
      id: 'dmarc.policy-none',
      fix: expect.stringContaining(`at _dmarc.shop.acme.test: "v=DMARC1; p=quarantine; ${RUA}"`),
    })
  })

  test('counts as existing with a dangling CNAME', async () => {
    const aliased = `${zone}\nold.acme.test. CNAME gone.test.`
    expect(await report(aliased, 'old.acme.test')).toMatchObject({ policy: 'quarantine' })
  })

  test('is unknown when it does not exist and inherits nothing', async () => {
    expect(await check('other.test. A 192.0.2.1', 'acme.test')).toEqual({
      checked: { kind: 'unknown-domain' },
      queries: ['TXT _dmarc.acme.test', 'TXT _dmarc.test', 'MX acme.test', 'TXT acme.test'],
    })
  })
})

describe('several records on the way up', () => {
  test('the organizational domain has the fewest labels', async () => {
    const zone = `
      a.mail.acme.test.      A   192.0.2.1
      _dmarc.mail.acme.test. TXT "v=DMARC1; p=none"
      _dmarc.acme.test.      TXT "v=DMARC1; p=reject; ${RUA}"
    `
    expect(await report(zone, 'a.mail.acme.test')).toMatchObject({
      recordName: '_dmarc.acme.test',
      organizationalDomain: 'acme.test',
      policy: 'reject',
    })
  })

  test('the domain’s own record applies, below the organizational domain', async () => {
    const zone = `
      _dmarc.mail.acme.test. TXT "v=DMARC1; p=quarantine; ${RUA}"
      _dmarc.acme.test.      TXT "v=DMARC1; p=reject; ${RUA}"
      acme.test.             A   192.0.2.1
    `
    expect(await report(zone, 'mail.acme.test')).toMatchObject({
      recordName: '_dmarc.mail.acme.test',
      organizationalDomain: 'acme.test',
      inherited: false,
      policy: 'quarantine',
      rua: [{ external: false, authorized: true }],
    })
  })

  test('reports sp and np without effect below the organizational domain', async () => {
    const zone = `
      acme.test.             A   192.0.2.1
      _dmarc.mail.acme.test. TXT "v=DMARC1; p=reject; sp=reject; np=reject; ${RUA}"
      _dmarc.acme.test.      TXT "v=DMARC1; p=reject; sp=none; ${RUA}"
    `
    const found = await report(zone, 'mail.acme.test')
    expect(found).toMatchObject({
      policy: 'reject',
      subdomainPolicy: 'none',
      nonexistentSubdomainPolicy: 'none',
      ids: ['dmarc.subdomains-open', 'dmarc.subdomain-tags-ignored'],
    })
    expect(found.issues[0]).toMatchObject({
      fix: expect.stringMatching(
        `every subdomain of acme.test, .*at _dmarc.acme.test, set "sp=quarantine" first.*: "v=DMARC1; p=reject; sp=reject; ${RUA}".$`,
      ),
      evidence: [{ name: '_dmarc.acme.test' }],
    })
    expect(found.issues[1]).toMatchObject({
      detail: expect.stringContaining('get their policy from _dmarc.acme.test'),
      fix: expect.stringContaining(`at _dmarc.mail.acme.test to: "v=DMARC1; p=reject; ${RUA}"`),
    })
  })

  test('several at the domain cancel each other out and the walk continues', async () => {
    const zone = `
      acme.test.             A   192.0.2.1
      _dmarc.mail.acme.test. TXT "v=DMARC1; p=none"
      _dmarc.mail.acme.test. TXT "v=DMARC1; p=reject"
      _dmarc.acme.test.      TXT "v=DMARC1; p=reject; ${RUA}"
    `
    const found = await report(zone, 'mail.acme.test')
    expect(found).toMatchObject({
      status: 'fail',
      recordName: '_dmarc.acme.test',
      records: ['v=DMARC1; p=none', 'v=DMARC1; p=reject'],
      inherited: true,
      policy: 'reject',
      olderReceivers: { recordName: null, policy: null },
      ids: ['dmarc.multiple-records', 'dmarc.old-receivers-differ'],
    })
    expect(found.issues[0]?.detail).toContain(
      'they ignore all of them and use the record at _dmarc.acme.test instead. Older receivers stop here and apply no policy.',
    )
    expect(found.issues[0]?.fix).toContain(
      'don’t make its policy any stricter than today’s, which comes from _dmarc.acme.test.',
    )
    expect(found.issues[1]?.fix).toContain('Keep a single record at _dmarc.mail.acme.test.')
  })

  test('several in between are skipped', async () => {
    const zone = `
      a.mail.acme.test.      A   192.0.2.1
      _dmarc.mail.acme.test. TXT "v=DMARC1; p=none; psd=n"
      _dmarc.mail.acme.test. TXT "v=DMARC1; p=none; psd=n"
      _dmarc.acme.test.      TXT "v=DMARC1; p=reject"
    `
    expect(await report(zone, 'a.mail.acme.test')).toMatchObject({
      recordName: '_dmarc.acme.test',
      policy: 'reject',
      ids: ['dmarc.no-reports'],
    })
  })
})

describe('psd', () => {
  test('n starts a new organization and ends the walk', async () => {
    const zone = `
      acme.test.               A   192.0.2.1
      www.lab.acme.test.       A   192.0.2.1
      _dmarc.lab.acme.test.    TXT "v=DMARC1; p=quarantine; psd=n; ${RUA}"
      _dmarc.acme.test.        TXT "v=DMARC1; p=reject"
      lab.acme.test._report._dmarc.acme.test. TXT "v=DMARC1;"
    `
    const found = await report(zone, 'www.lab.acme.test', { 'TXT _dmarc.test': 'servfail' })
    expect(found).toMatchObject({
      recordName: '_dmarc.lab.acme.test',
      organizationalDomain: 'lab.acme.test',
      policy: 'quarantine',
      rua: [{ external: true, authorized: true }],
      olderReceivers: { organizationalDomain: 'acme.test', recordName: '_dmarc.acme.test' },
      ids: ['dmarc.policy-quarantine', 'dmarc.old-receivers-differ'],
    })
    expect(found.issues[1]).toMatchObject({
      title: 'Older receivers find a different policy for www.lab.acme.test',
      detail: expect.stringMatching(
        /find _dmarc.lab.acme.test, and apply the policy quarantine\. .* take acme.test as the .* record at _dmarc.acme.test and apply the policy reject,/,
      ),
      fix: expect.stringContaining(`at _dmarc.www.lab.acme.test to: "v=DMARC1; p=reject; ${RUA}"`),
    })
  })

  const registry = `
    _dmarc.bank.   TXT "v=DMARC1; p=reject; psd=y; rua=mailto:d@nic.bank"
    bank._report._dmarc.nic.bank. TXT "v=DMARC1"
    nic.bank.      A   192.0.2.9
    acme.bank.     A   192.0.2.1
    www.acme.bank. A   192.0.2.1
  `

  test('y applies the registry’s policy to domains without one', async () => {
    const found = await report(registry, 'www.acme.bank')
    expect(found).toMatchObject({
      status: 'warn',
      recordName: '_dmarc.bank',
      organizationalDomain: 'acme.bank',
      inherited: true,
      policy: 'reject',
      rua: [{ external: true, authorized: true, acceptsMail: true }],
      olderReceivers: { organizationalDomain: 'acme.bank', recordName: null, policy: null },
      ids: ['dmarc.old-receivers-differ', 'dmarc.public-suffix-policy'],
    })
    for (const { fix } of found.issues) {
      expect(fix).toMatch(
        / at _dmarc.acme.bank.*: "v=DMARC1; p=reject; rua=mailto:dmarc@acme.bank"/,
      )
    }
  })

  test('y: does not judge the registry’s report destinations', async () => {
    const unagreed = registry.replace(/bank._report.*/, '')
    expect(await report(unagreed, 'acme.bank')).toMatchObject({
      rua: [{ external: true, authorized: false }],
      ids: ['dmarc.no-reports', 'dmarc.old-receivers-differ', 'dmarc.public-suffix-policy'],
    })
  })

  test('y: proposes a new record instead of changing the registry’s', async () => {
    const zone = `_dmarc.bank.test. TXT "v=DMARC1; p=none; psd=y; rua=mailto:d@bank.test"`
    const found = await report(zone, 'bank.test')
    expect(found.issues[0]?.fix).toContain(
      `at _dmarc.bank.test to: "v=DMARC1; p=quarantine; psd=y; rua=mailto:d@bank.test"`,
    )
  })

  test('y: names whose mail a new record for subdomains would affect', async () => {
    const zone = `
      _dmarc.bank.          TXT "v=DMARC1; p=none; psd=y"
      _dmarc.www.acme.bank. TXT "v=DMARC1; p=reject; ${RUA}"
      www.acme.bank.        A   192.0.2.1`
    const { issues } = await report(zone, 'www.acme.bank')
    expect(issues.find(({ id }) => id === 'dmarc.subdomains-open')?.fix).toMatch(/ acme\.bank and /)
  })

  test('y does not apply to a domain with its own record', async () => {
    const zone = `${registry}\n_dmarc.acme.bank. TXT "v=DMARC1; p=none; ${RUA}"\nacme.test. A 192.0.2.1`
    expect(await report(zone, 'www.acme.bank')).toMatchObject({
      recordName: '_dmarc.acme.bank',
      organizationalDomain: 'acme.bank',
      policy: 'none',
    })
  })

  test('y at the domain itself separates it from its children', async () => {
    const zone = `
      _dmarc.uk.test. TXT "v=DMARC1; p=reject; psd=y; ${RUA}"
      _dmarc.test.    TXT "v=DMARC1; p=none; psd=y"
      acme.test.      A   192.0.2.1
    `
    expect(await report(zone, 'uk.test')).toMatchObject({
      recordName: '_dmarc.uk.test',
      organizationalDomain: 'uk.test',
      inherited: false,
      policy: 'reject',
      subdomainPolicy: 'reject',
    })
    expect(await report(`${zone}\na.acme.uk.test. A 192.0.2.1`, 'a.acme.uk.test')).toMatchObject({
      recordName: '_dmarc.uk.test',
      organizationalDomain: 'acme.uk.test',
    })
  })

  test('u has no effect', async () => {
    const zone = `
      a.acme.test.      A   192.0.2.1
      _dmarc.acme.test. TXT "v=DMARC1; p=none; psd=u"
      _dmarc.test.      TXT "v=DMARC1; p=reject"
    `
    expect(await report(zone, 'a.acme.test')).toMatchObject({
      recordName: '_dmarc.test',
      organizationalDomain: 'test',
    })
  })
})

describe('long name', () => {
  test('takes eight queries for policies', async () => {
    const { queries } = await check('', 'a.b.c.d.e.f.g.h.i.j.mail.acme.test')
    expect(queries).toEqual([
      'TXT _dmarc.a.b.c.d.e.f.g.h.i.j.mail.acme.test',
      'TXT _dmarc.g.h.i.j.mail.acme.test',
      'TXT _dmarc.h.i.j.mail.acme.test',
      'TXT _dmarc.i.j.mail.acme.test',
      'TXT _dmarc.j.mail.acme.test',
      'TXT _dmarc.mail.acme.test',
      'TXT _dmarc.acme.test',
      'TXT _dmarc.test',
      'MX a.b.c.d.e.f.g.h.i.j.mail.acme.test',
      'TXT a.b.c.d.e.f.g.h.i.j.mail.acme.test',
    ])
  })

  test('of eight labels skips none', async () => {
    const { queries } = await check('', 'a.b.c.d.e.f.acme.test')
    expect(queries.slice(0, 3)).toEqual([
      'TXT _dmarc.a.b.c.d.e.f.acme.test',
      'TXT _dmarc.b.c.d.e.f.acme.test',
      'TXT _dmarc.c.d.e.f.acme.test',
    ])
    expect(queries.filter((query) => query.includes('_dmarc'))).toHaveLength(8)
  })

  test('skips a record more than seven labels up, but not its own', async () => {
    const zone = `
      _dmarc.b.c.d.e.f.g.acme.test.        TXT "v=DMARC1; p=reject; psd=n"
      _dmarc.mail.a.b.c.d.e.f.g.acme.test. TXT "v=DMARC1; p=quarantine"
      _dmarc.acme.test.                    TXT "v=DMARC1; p=none"
      www.a.b.c.d.e.f.g.acme.test.         A   192.0.2.1
    `
    expect(await report(zone, 'www.a.b.c.d.e.f.g.acme.test')).toMatchObject({
      recordName: '_dmarc.acme.test',
      policy: 'none',
    })
    expect(await report(zone, 'mail.a.b.c.d.e.f.g.acme.test')).toMatchObject({
      recordName: '_dmarc.mail.a.b.c.d.e.f.g.acme.test',
      organizationalDomain: 'acme.test',
      subdomainPolicy: 'none',
    })
  })

  test('is not queried when _dmarc does not fit', async () => {
    const long = `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(50)}.acme.test`
    expect(long.length).toBeGreaterThan(246)
    const { checked, queries } = await check(
      `_dmarc.acme.test. TXT "v=DMARC1; p=reject"\n${long}. A 192.0.2.1`,
      long,
    )
    expect(checked).toMatchObject({ report: { recordName: '_dmarc.acme.test', policy: 'reject' } })
    expect(queries).not.toContain(`TXT _dmarc.${long}`)
    expect(queries).toContain('TXT _dmarc.acme.test')
  })
})

describe('RFC 7489 receivers', () => {
  test('use the private part of the public suffix list', async () => {
    const zone = `
      acme.github.io.      A   192.0.2.1
      _dmarc.github.io.    TXT "v=DMARC1; p=reject; rua=mailto:d@github.io"
      github.io.           A   192.0.2.2
    `
    expect(await report(zone, 'acme.github.io')).toMatchObject({
      recordName: '_dmarc.github.io',
      policy: 'reject',
      olderReceivers: { organizationalDomain: 'acme.github.io', recordName: null, policy: null },
      ids: ['dmarc.old-receivers-differ', 'dmarc.public-suffix-policy'],
    })
  })

  test('stop at a public suffix', async () => {
    const zone = '_dmarc.co.uk. TXT "v=DMARC1; p=reject"'
    expect(await report(zone, 'co.uk')).toMatchObject({
      olderReceivers: { organizationalDomain: 'co.uk', recordName: '_dmarc.co.uk' },
    })
  })

  test('may use another record with the same policy', async () => {
    const zone = `
      a.acme.test.      A   192.0.2.1
      _dmarc.acme.test. TXT "v=DMARC1; p=reject; ${RUA}"
      _dmarc.test.      TXT "v=DMARC1; p=reject; ${RUA}"
      acme.test.        A   192.0.2.1
    `
    const found = await report(zone, 'a.acme.test')
    expect(found).toMatchObject({
      recordName: '_dmarc.test',
      ids: ['dmarc.old-receivers-differ', 'dmarc.public-suffix-policy'],
    })
    expect(found.issues[0]).toMatchObject({
      title: 'Older receivers use a different record for a.acme.test',
      detail: expect.stringContaining('They use the record at _dmarc.acme.test'),
    })
  })

  test('ignore an invalid np', async () => {
    const zone = '_dmarc.acme.test. TXT "v=DMARC1; p=reject; np=bogus"'
    const found = await report(zone, 'acme.test')
    expect(found).toMatchObject({ policy: null, olderReceivers: { policy: 'reject' } })
    expect(found.ids).toEqual(['dmarc.missing', 'dmarc.bad-tags', 'dmarc.old-receivers-differ'])
    expect(found.issues[2]?.fix).toContain('Correct "np=" in the record at _dmarc.acme.test')
  })
})

describe('failed query', () => {
  const zone = `
    acme.test.             MX  10 mx.acme.test.
    mail.acme.test.        A   192.0.2.1
    _dmarc.mail.acme.test. TXT "v=DMARC1; p=reject; rua=mailto:d@mail.acme.test"
    _dmarc.acme.test.      TXT "v=DMARC1; p=reject; sp=quarantine; np=none"
  `

  test('before a record is found returns unavailable', async () => {
    const { checked } = await check(zone, 'shop.mail.acme.test', {
      'TXT _dmarc.shop.mail.acme.test': 'servfail',
    })
    expect(checked).toMatchObject({
      kind: 'unavailable',
      query: { name: '_dmarc.shop.mail.acme.test', type: 'TXT' },
      failure: { reason: 'servfail' },
    })
  })

  test('on the way up returns unavailable', async () => {
    const { checked } = await check(zone, 'acme.shop.test', { 'TXT _dmarc.test': 'timeout' })
    expect(checked).toMatchObject({ kind: 'unavailable', failure: { reason: 'timeout' } })
  })

  test('above the domain’s own record leaves the organization unknown', async () => {
    const found = await report(zone, 'mail.acme.test', { 'TXT _dmarc.acme.test': 'servfail' })
    expect(found).toMatchObject({
      status: 'pass',
      recordName: '_dmarc.mail.acme.test',
      organizationalDomain: null,
      policy: 'reject',
      subdomainPolicy: null,
      nonexistentSubdomainPolicy: null,
      rua: [{ external: false, authorized: true }],
    })
  })

  test('above the end of the walk has no effect', async () => {
    const ended = zone.replace('v=DMARC1; p=reject; rua', 'v=DMARC1; psd=n; p=reject; rua')
    expect(
      await report(ended, 'mail.acme.test', { 'TXT _dmarc.acme.test': 'servfail' }),
    ).toMatchObject({ organizationalDomain: 'mail.acme.test', subdomainPolicy: 'reject' })
  })

  test('at the RFC 7489 domain only omits olderReceivers', async () => {
    const ended = `a.lab.acme.test. A 192.0.2.1\n_dmarc.lab.acme.test. TXT "v=DMARC1; p=reject; psd=n"`
    expect(
      await report(ended, 'a.lab.acme.test', { 'TXT _dmarc.acme.test': 'servfail' }),
    ).toMatchObject({ policy: 'reject', olderReceivers: null, ids: ['dmarc.no-reports'] })
  })

  test('of the MX returns unavailable where existence decides', async () => {
    const failing = { 'MX shop.acme.test': 'servfail' } as const
    expect((await check(zone, 'shop.acme.test', failing)).checked).toMatchObject({
      kind: 'unavailable',
      query: { name: 'shop.acme.test', type: 'MX' },
    })
    const alike = zone.replace('np=none', 'np=quarantine')
    expect(await report(alike, 'shop.acme.test', failing)).toMatchObject({ policy: 'quarantine' })
    const own = '_dmarc.shop.acme.test. TXT "v=DMARC1; p=reject"'
    expect(await report(own, 'shop.acme.test', failing)).toMatchObject({ policy: 'reject' })
  })

  test('of the MX without a record returns unavailable', async () => {
    const { checked } = await check('', 'acme.test', { 'MX acme.test': 'timeout' })
    expect(checked).toMatchObject({ kind: 'unavailable', failure: { reason: 'timeout' } })
  })
})

describe('a public suffix that has a record without psd=y', () => {
  const suffix = `
    _dmarc.gov.uk.   TXT "v=DMARC1; p=reject; np=reject; rua=mailto:d@gov.uk"
    acme.gov.uk.     MX  10 mx.acme.gov.uk.
    mx.acme.gov.uk.  A   192.0.2.1
    www.acme.gov.uk. A   192.0.2.1
  `
  const own = `${suffix}
    _dmarc.acme.gov.uk. TXT "v=DMARC1; p=quarantine; rua=mailto:d@acme.gov.uk"`

  test('is no organization: psd=n ends the walk at the own record (RFC 9989 §4.7)', async () => {
    const found = await report(own, 'acme.gov.uk')
    expect(found.organizationalDomain).toBe('gov.uk')
    const issue = found.issues.find(({ id }) => id === 'dmarc.old-receivers-differ')
    expect(issue?.record).toEqual({
      type: 'TXT',
      name: '_dmarc.acme.gov.uk',
      value: 'v=DMARC1; p=quarantine; rua=mailto:d@acme.gov.uk; psd=n',
    })
  })

  test('is never the place of a new record', async () => {
    for (const name of ['acme.gov.uk', 'www.acme.gov.uk']) {
      const { issues } = await report(suffix, name)
      const fixes = issues.map(({ fix }) => fix).join('\n')
      expect(fixes).toContain(
        '_dmarc.acme.gov.uk to: "v=DMARC1; p=reject; psd=n; rua=mailto:dmarc@acme.gov.uk"',
      )
      expect(fixes).not.toMatch(/ _dmarc\.gov\.uk\b/)
    }
  })

  test('leaves the record of the organization above a name, with psd=n', async () => {
    const { issues } = await report(own, 'www.acme.gov.uk')
    expect(issues.find(({ id }) => id === 'dmarc.old-receivers-differ')?.fix).toContain(
      '_dmarc.acme.gov.uk to: "v=DMARC1; p=quarantine; rua=mailto:d@acme.gov.uk; psd=n"',
    )
  })
})

test('with a stricter np, a forger can’t make a subdomain up', async () => {
  const zone = (tags: string) => `
    acme.test. A 192.0.2.1
    _dmarc.acme.test. TXT "v=DMARC1; p=reject; sp=none${tags}; rua=mailto:d@acme.test"`
  const detailOf = async (tags: string) =>
    (await report(zone(tags), 'acme.test')).issues.find(({ id }) => id === 'dmarc.subdomains-open')
      ?.detail
  expect(await detailOf('; np=reject')).toContain('Mail that forges an existing subdomain can')
  expect(await detailOf('')).toContain('a forger only has to make one up')
})
