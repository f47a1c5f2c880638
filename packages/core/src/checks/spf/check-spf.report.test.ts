import { describe, expect, test } from 'vitest'
import { checkSpfZone } from '../../../test/support/spf-fixture.js'

const limits = { lookupLimit: 10, voidLookupLimit: 2 }
const noVoids = { voidLookupCount: 0, voidLookups: { ipv4: 0, ipv6: 0 } }

describe('report', () => {
  test('for Google Workspace shows the tree, its cost and the senders', async () => {
    const { report, issues, queries } = await checkSpfZone(`
      acme.test.               TXT "google-site-verification=abc"
      acme.test.               TXT "v=spf1 include:_spf.google.com ~all"
      _spf.google.com.         TXT "v=spf1 include:_netblocks.google.com include:_netblocks2.google.com include:_netblocks3.google.com ~all"
      _netblocks.google.com.   TXT "v=spf1 ip4:35.190.247.0/24 ip4:64.233.160.0/19 ~all"
      _netblocks2.google.com.  TXT "v=spf1 ip6:2001:4860:4000::/36 ~all"
      _netblocks3.google.com.  TXT "v=spf1 ip4:172.217.0.0/19 ~all"
    `)
    const netblocks = (number: string, record: string) => ({
      domain: `_netblocks${number}.google.com`,
      term: `include:_netblocks${number}.google.com`,
      state: 'record',
      record,
      lookups: 0,
      children: [],
    })
    expect(report).toEqual({
      domain: 'acme.test',
      status: 'pass',
      record: 'v=spf1 include:_spf.google.com ~all',
      records: ['v=spf1 include:_spf.google.com ~all'],
      valid: true,
      lookupCount: 4,
      ...limits,
      ...noVoids,
      allQualifier: '~',
      allResult: 'softfail',
      authorizesSenders: true,
      namesSenders: true,
      declaresNoSenders: false,
      aliasOf: null,
      terms: [
        {
          term: 'include:_spf.google.com',
          kind: 'include',
          qualifier: '+',
          position: 7,
          lookups: 4,
        },
        { term: '~all', kind: 'all', qualifier: '~', position: 31, lookups: 0 },
      ],
      tree: {
        domain: 'acme.test',
        term: null,
        state: 'record',
        record: 'v=spf1 include:_spf.google.com ~all',
        lookups: 4,
        children: [
          {
            domain: '_spf.google.com',
            term: 'include:_spf.google.com',
            state: 'record',
            record:
              'v=spf1 include:_netblocks.google.com include:_netblocks2.google.com include:_netblocks3.google.com ~all',
            lookups: 3,
            children: [
              netblocks('', 'v=spf1 ip4:35.190.247.0/24 ip4:64.233.160.0/19 ~all'),
              netblocks('2', 'v=spf1 ip6:2001:4860:4000::/36 ~all'),
              netblocks('3', 'v=spf1 ip4:172.217.0.0/19 ~all'),
            ],
          },
        ],
      },
      senders: [{ id: 'google', name: 'Google Workspace', via: 'include:_spf.google.com' }],
    })
    expect(issues).toEqual([])
    expect(queries).toEqual([
      'TXT acme.test',
      'SPF acme.test',
      'MX acme.test',
      'TXT _spf.google.com',
      'TXT _netblocks.google.com',
      'TXT _netblocks2.google.com',
      'TXT _netblocks3.google.com',
    ])
  })

  test('for a flat record has no lookups and no further queries', async () => {
    const { report, issues, queries } = await checkSpfZone(
      'acme.test. TXT "v=spf1 ip4:192.0.2.0/24 ip6:2001:db8::/32 -all"',
    )
    expect(report).toMatchObject({
      status: 'pass',
      valid: true,
      lookupCount: 0,
      ...noVoids,
      allQualifier: '-',
      allResult: 'fail',
      authorizesSenders: true,
      senders: [],
      terms: [
        { term: 'ip4:192.0.2.0/24', kind: 'ip4', qualifier: '+', position: 7, lookups: 0 },
        { term: 'ip6:2001:db8::/32', kind: 'ip6', qualifier: '+', position: 24, lookups: 0 },
        { term: '-all', kind: 'all', qualifier: '-', position: 42, lookups: 0 },
      ],
    })
    expect(issues).toEqual([])
    expect(queries).toEqual(['TXT acme.test', 'SPF acme.test', 'MX acme.test'])
  })

  test('for a domain that sends no mail passes and authorizes no sender', async () => {
    const { report, issues } = await checkSpfZone('acme.test. TXT "v=spf1 -all"')
    expect(report).toMatchObject({ status: 'pass', valid: true, authorizesSenders: false })
    expect(issues).toEqual([])
  })

  test('without a record says what to publish', async () => {
    const { report, issues } = await checkSpfZone('acme.test. TXT "hello"')
    expect(report).toEqual({
      domain: 'acme.test',
      status: 'fail',
      record: null,
      records: [],
      valid: false,
      lookupCount: 0,
      ...limits,
      ...noVoids,
      allQualifier: null,
      allResult: null,
      authorizesSenders: false,
      namesSenders: false,
      declaresNoSenders: false,
      aliasOf: null,
      terms: [],
      tree: {
        domain: 'acme.test',
        term: null,
        state: 'none',
        record: null,
        lookups: 0,
        children: [],
      },
      senders: [],
    })
    expect(issues).toEqual([
      {
        id: 'spf.missing',
        severity: 'high',
        title: 'acme.test has no SPF record',
        detail: expect.stringContaining('which servers are allowed to send mail as acme.test'),
        fix: expect.stringContaining('"acme.test TXT v=spf1 -all"'),
        evidence: [],
        reference: 'RFC 7208 §3.1',
      },
    ])
  })

  test('with two records shows both, their merged cost and the merged record', async () => {
    const { report, issues } = await checkSpfZone(`
      acme.test.   TXT "v=spf1 include:a.test -all"
      acme.test.   TXT "v=spf1 include:a.test mx ~all"
      acme.test.   MX 0 mx.acme.test.
      mx.acme.test. A 192.0.2.1
      mx.acme.test. AAAA 2001:db8::1
      a.test.      TXT "v=spf1 ip4:192.0.2.0/24 -all"
    `)
    expect(report).toMatchObject({
      status: 'fail',
      record: null,
      records: ['v=spf1 include:a.test -all', 'v=spf1 include:a.test mx ~all'],
      valid: false,
      lookupCount: 2,
      ...noVoids,
      allQualifier: null,
      allResult: null,
      authorizesSenders: false,
      tree: { state: 'several', record: null, lookups: 2 },
    })
    expect(report.terms.map(({ term }) => term)).toEqual([
      'include:a.test',
      '-all',
      'include:a.test',
      'mx',
      '~all',
    ])
    expect(report.tree.children.map(({ state }) => state)).toEqual(['record', 'repeated'])
    expect(issues).toMatchObject([
      {
        id: 'spf.multiple-records',
        severity: 'high',
        title: 'acme.test has more than one SPF record',
        fix: expect.stringContaining('"acme.test TXT v=spf1 include:a.test mx ~all"'),
        record: { type: 'TXT', name: 'acme.test', value: 'v=spf1 include:a.test mx ~all' },
        evidence: [
          { name: 'acme.test', type: 'TXT', value: 'v=spf1 include:a.test -all' },
          { name: 'acme.test', type: 'TXT', value: 'v=spf1 include:a.test mx ~all' },
        ],
      },
    ])
  })

  test('for an invalid record still shows its count, tree and other terms', async () => {
    const { report, issues } = await checkSpfZone(`
      acme.test. TXT "v=spf1 include:a.test ipv4:192.0.2.1 -all"
      a.test.    TXT "v=spf1 ip4:192.0.2.0/24 -all"
    `)
    expect(report).toMatchObject({
      status: 'fail',
      record: 'v=spf1 include:a.test ipv4:192.0.2.1 -all',
      valid: false,
      lookupCount: 1,
      allQualifier: null,
      allResult: null,
      terms: [
        { term: 'include:a.test', lookups: 1 },
        {
          term: 'ipv4:192.0.2.1',
          kind: 'invalid',
          qualifier: null,
          position: 22,
          lookups: 0,
          problem: 'there’s no mechanism "ipv4"; write ip4',
        },
        { term: '-all', kind: 'all' },
      ],
      tree: { state: 'record', children: [{ domain: 'a.test', state: 'record' }] },
    })
    expect(issues).toMatchObject([
      {
        id: 'spf.syntax',
        severity: 'high',
        title: '"ipv4:192.0.2.1" isn’t valid SPF',
        detail: expect.stringContaining(
          '"ipv4:192.0.2.1" (byte 22): there’s no mechanism "ipv4"; write ip4.',
        ),
        fix: expect.stringContaining('"ipv4:192.0.2.1" in the SPF record at acme.test'),
        evidence: [
          { name: 'acme.test', type: 'TXT', value: 'v=spf1 include:a.test ipv4:192.0.2.1 -all' },
        ],
        reference: 'RFC 7208 §4.6',
      },
    ])
  })
})

test('shows an internationalized name in Unicode', async () => {
  const { report } = await checkSpfZone(
    'xn--mller-kva.test. TXT "v=spf1 -all"',
    'xn--mller-kva.test',
  )
  expect(report).toMatchObject({ domain: 'xn--mller-kva.test', unicodeDomain: 'müller.test' })
})

test('follows a CNAME at the domain', async () => {
  const { report } = await checkSpfZone(
    'acme.test. CNAME b.test.\nb.test. TXT "v=spf1 mx:b.test -all"',
  )
  expect(report.record).toBe('v=spf1 mx:b.test -all')
})

test('a redirect alone takes the default result of its target', async () => {
  const { report, ids, queries } = await checkSpfZone(`
    acme.test. TXT "v=spf1 redirect=b.test"
    b.test.    TXT "v=spf1 redirect=c.test"
    c.test.    TXT "v=spf1 ip4:192.0.2.1 -all"
  `)
  expect(report).toMatchObject({
    valid: true,
    lookupCount: 2,
    allQualifier: '-',
    allResult: 'fail',
    authorizesSenders: true,
    tree: {
      children: [{ term: 'redirect=b.test', lookups: 1, children: [{ domain: 'c.test' }] }],
    },
  })
  expect(ids).toEqual([])
  expect(queries).toEqual([
    'TXT acme.test',
    'SPF acme.test',
    'MX acme.test',
    'TXT b.test',
    'TXT c.test',
  ])
})
