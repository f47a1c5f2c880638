import { describe, expect, test } from 'vitest'
import { checkSpfZone } from '../../../test/support/spf-fixture.js'

describe('name without an SPF record', () => {
  test('breaks the record that includes it', async () => {
    const { report, issues } = await checkSpfZone(`
      acme.test.  TXT "v=spf1 include:txt.test include:gone.test -all"
      txt.test.   TXT "hello"
    `)
    expect(report).toMatchObject({
      status: 'fail',
      valid: false,
      lookupCount: 2,
      voidLookupCount: 1,
      tree: { children: [{ state: 'none' }, { state: 'none' }] },
    })
    expect(issues).toMatchObject([
      {
        id: 'spf.include-without-record',
        severity: 'high',
        title: 'include:txt.test and include:gone.test point to a name without an SPF record',
        fix: expect.stringContaining(
          'If the name is yours, you can publish an SPF record there instead. If the service no longer exists, remove include:txt.test and include:gone.test from the SPF record at acme.test.',
        ),
        evidence: [
          {
            name: 'acme.test',
            type: 'TXT',
            value: 'v=spf1 include:txt.test include:gone.test -all',
          },
        ],
      },
    ])
  })

  test('breaks the record that redirects to it, without a default result', async () => {
    const { report, ids } = await checkSpfZone('acme.test. TXT "v=spf1 redirect=gone.test"')
    expect(report).toMatchObject({ valid: false, allQualifier: null, allResult: null })
    expect(ids).toEqual(['spf.include-without-record'])
  })

  test('in another operator’s record: advises asking them', async () => {
    const { issues } = await checkSpfZone(`
      acme.test.  TXT "v=spf1 include:b.test -all"
      b.test.     TXT "v=spf1 include:gone.test -all"
    `)
    expect(issues).toMatchObject([
      {
        id: 'spf.include-without-record',
        fix: expect.stringMatching(
          /^Ask whoever runs b\.test to correct or remove include:gone\.test\. Until then, remove the term/,
        ),
        evidence: [{ name: 'b.test', value: 'v=spf1 include:gone.test -all' }],
      },
    ])
  })

  test('is not queried when it is not a DNS name', async () => {
    const long = 'x'.repeat(64)
    const { report, issues, queries } = await checkSpfZone(
      `acme.test. TXT "v=spf1 include:${long}.test include:a..test -all"`,
    )
    expect(report.tree.children.map(({ state }) => state)).toEqual(['malformed', 'malformed'])
    expect(issues[0]?.fix).toContain(
      `remove include:${long}.test and include:a..test from the SPF record at acme.test.`,
    )
    expect(queries).toEqual(['TXT acme.test', 'SPF acme.test', 'MX acme.test'])
  })
})

test('queries a name with unusual characters', async () => {
  const { report, queries } = await checkSpfZone(String.raw`
    acme.test.     TXT "v=spf1 include:a\\0b.test include:c%_d.test include:e\"f.test -all"
    a\\0b.test.    TXT "v=spf1 -all"
    c\032d.test.   TXT "v=spf1 -all"
    e\"f.test.     TXT "v=spf1 -all"
  `)
  expect(report.tree.children.map(({ state }) => state)).toEqual(['record', 'record', 'record'])
  expect(queries.slice(3)).toEqual(['TXT a\\\\0b.test', 'TXT c d.test', 'TXT e"f.test'])
})

describe('loops', () => {
  test('to itself', async () => {
    const { report, issues, queries } = await checkSpfZone(
      'acme.test. TXT "v=spf1 include:ACME.test. -all"',
    )
    expect(report).toMatchObject({
      status: 'fail',
      valid: false,
      lookupCount: 1,
      tree: { children: [{ domain: 'acme.test', state: 'loop', record: null, children: [] }] },
    })
    expect(issues).toMatchObject([
      {
        id: 'spf.loop',
        title: 'The SPF record at acme.test leads back to itself',
        fix: expect.stringMatching(
          /^Find include:ACME\.test\. in the SPF record at acme\.test\. Remove it\./,
        ),
      },
    ])
    expect(queries).toEqual(['TXT acme.test', 'SPF acme.test', 'MX acme.test'])
  })

  test('through another record', async () => {
    const { issues, queries } = await checkSpfZone(`
      acme.test. TXT "v=spf1 include:b.test -all"
      b.test.    TXT "v=spf1 include:acme.test -all"
    `)
    expect(issues).toMatchObject([
      {
        id: 'spf.loop',
        fix: expect.stringMatching(
          /^Ask whoever runs b\.test to remove include:acme\.test\. Until then, remove the term/,
        ),
        evidence: [{ name: 'b.test', type: 'TXT', value: 'v=spf1 include:acme.test -all' }],
      },
    ])
    expect(queries).toEqual(['TXT acme.test', 'SPF acme.test', 'MX acme.test', 'TXT b.test'])
  })

  test('through a redirect, or further down', async () => {
    const { report, ids } = await checkSpfZone(`
      acme.test. TXT "v=spf1 redirect=b.test"
      b.test.    TXT "v=spf1 redirect=c.test"
      c.test.    TXT "v=spf1 redirect=b.test"
    `)
    expect(report).toMatchObject({ valid: false, allQualifier: null, allResult: null })
    expect(ids).toEqual(['spf.loop'])
  })

  test('does not report a record that is reached twice', async () => {
    const { report, ids } = await checkSpfZone(`
      acme.test. TXT "v=spf1 include:b.test include:c.test -all"
      b.test.    TXT "v=spf1 include:d.test -all"
      c.test.    TXT "v=spf1 include:d.test -all"
      d.test.    TXT "v=spf1 ip4:192.0.2.1 -all"
    `)
    expect(ids).toEqual([])
    expect(report.lookupCount).toBe(4)
    expect(report.tree.children[1]?.children).toMatchObject([{ state: 'repeated', record: null }])
  })
})

describe('lookup count', () => {
  const chain = (length: number) =>
    Array.from(
      { length },
      (_, index) =>
        `h${index}.test. TXT "v=spf1 ${index + 1 < length ? `include:h${index + 1}.test` : 'ip4:192.0.2.1'} -all"`,
    ).join('\n')

  test('warns at ten', async () => {
    const { report, issues } = await checkSpfZone(`acme.test. TXT "v=spf1 include:h0.test -all"
      ${chain(10)}`)
    expect(report).toMatchObject({ status: 'warn', valid: true, lookupCount: 10 })
    expect(issues).toMatchObject([
      {
        id: 'spf.at-lookup-limit',
        severity: 'low',
        title: 'SPF needs 10 DNS lookups, which is exactly the limit',
        fix: expect.stringContaining('the most expensive terms: include:h0.test (10).'),
      },
    ])
  })

  test('fails at eleven', async () => {
    const { report, issues } = await checkSpfZone(`
      acme.test. TXT "v=spf1 exists:%{i}.b.test include:h7.test include:h1.test -all"
      ${chain(9)}`)
    expect(report).toMatchObject({ status: 'fail', valid: false, lookupCount: 11 })
    expect(report.terms.map(({ lookups }) => lookups)).toEqual([1, 2, 8, 0])
    expect(issues).toMatchObject([
      {
        id: 'spf.too-many-lookups',
        severity: 'high',
        title: 'SPF needs 11 DNS lookups; the limit is 10',
        fix: expect.stringContaining(
          'the most expensive terms: include:h1.test (8) and include:h7.test (2).',
        ),
        evidence: [{ name: 'acme.test', type: 'TXT' }],
      },
    ])
  })

  test('names no most expensive include when all cost the same', async () => {
    const names = Array.from({ length: 11 }, (_, index) => `h${index}.test`)
    const { issues } = await checkSpfZone(`
      acme.test. TXT "v=spf1 ${names.map((name) => `include:${name}`).join(' ')} -all"
      ${names.map((name) => `${name}. TXT "v=spf1 -all"`).join('\n')}
    `)
    expect(issues).toMatchObject([
      { id: 'spf.too-many-lookups', fix: expect.not.stringContaining('include:') },
    ])
  })

  describe('the first terms to remove', () => {
    const GOOGLE = `_spf.google.com. TXT "v=spf1 include:h1.test -all"\n${chain(5)}`
    const MAILCHIMP = 'servers.mcsv.net. TXT "v=spf1 ip4:192.0.2.0/24 -all"'

    test.each([
      ['the mailbox provider', 'smtp.google.com'],
      ['a provider behind a gateway', 'us-smtp-inbound-1.mimecast.com'],
    ])('are never those of %s', async (_, exchange) => {
      const { issues } = await checkSpfZone(`acme.test. MX 1 ${exchange}.
        acme.test. TXT "v=spf1 include:_spf.google.com include:v0.test include:a.test -all"
        ${GOOGLE}
        ${chain(5).replaceAll('h', 'v')}
        a.test. TXT "v=spf1 -all"`)
      expect(issues).toMatchObject([
        {
          id: 'spf.too-many-lookups',
          fix: expect.stringContaining('the most expensive terms: include:v0.test (5).'),
        },
      ])
    })

    test('are those that receivers never use', async () => {
      const { issues } = await checkSpfZone(`
        acme.test. TXT "v=spf1 include:h0.test include:servers.mcsv.net -all"
        ${chain(10)}\n${MAILCHIMP}`)
      expect(issues.find(({ id }) => id === 'spf.too-many-lookups')?.fix).toContain(
        'Start with the terms that receivers never use: include:servers.mcsv.net (1).',
      )
    })
  })

  test('is a minimum when a part depends on the sender', async () => {
    const { issues } = await checkSpfZone(`
      acme.test. TXT "v=spf1 include:%{i}.b.test include:h0.test -all"
      ${chain(10)}`)
    expect(issues[0]?.title).toBe('SPF needs at least 11 DNS lookups; the limit is 10')
    expect(issues[1]).toMatchObject({
      id: 'spf.depends-on-sender',
      severity: 'info',
      title: 'include:%{i}.b.test depends on the sender',
      detail: expect.stringContaining('may be higher than 11.'),
      fix: expect.stringContaining('Ask the service behind include:%{i}.b.test'),
    })
  })

  test('includes ptr and redirect, but not addresses or exp', async () => {
    const { report } = await checkSpfZone(`
      acme.test. TXT "v=spf1 ip4:192.0.2.1 ip6:2001:db8::1 ptr exp=why.acme.test redirect=b.test"
      b.test.    TXT "v=spf1 -all"
    `)
    expect(report.terms.map(({ lookups }) => lookups)).toEqual([0, 0, 1, 0, 1])
    expect(report.lookupCount).toBe(2)
  })
})

test('a dynamic include is neither queried nor an error', async () => {
  const { report, ids, queries } = await checkSpfZone(
    'acme.test. TXT "v=spf1 include:%{ir}.%{v}.%{d}.spf.b.test a:%{h} -all"',
  )
  expect(report).toMatchObject({
    status: 'pass',
    valid: true,
    lookupCount: 2,
    voidLookupCount: 0,
    tree: { children: [{ domain: '%{ir}.%{v}.%{d}.spf.b.test', state: 'dynamic', record: null }] },
  })
  expect(ids).toEqual(['spf.depends-on-sender'])
  expect(queries).toEqual(['TXT acme.test', 'SPF acme.test', 'MX acme.test'])
})
