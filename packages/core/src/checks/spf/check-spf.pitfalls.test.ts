/** Verdicts that are easily got wrong, each with what RFC 7208 says. */

import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { describe, expect, test } from 'vitest'
import { checkSpfZone } from '../../../test/support/spf-fixture.js'
import type { DomainName } from '../../names/domain-name.js'
import { checkSpf } from './check-spf.js'

const start = ['TXT acme.test', 'SPF acme.test', 'MX acme.test']

describe('lookup count (§4.6.4)', () => {
  test('eleven "a:" terms are too many', async () => {
    const hosts = Array.from({ length: 11 }, (_, index) => `h${index}.test`)
    const { report, ids } = await checkSpfZone(`
      acme.test. TXT "v=spf1 ${hosts.map((name) => `a:${name}`).join(' ')} -all"
      ${hosts.map((name) => `${name}. A 192.0.2.1\n${name}. AAAA 2001:db8::1`).join('\n')}
    `)
    expect(report).toMatchObject({ status: 'fail', valid: false, lookupCount: 11 })
    expect(ids).toEqual(['spf.too-many-lookups'])
  })

  test('a repeated include counts twice, with everything below it', async () => {
    const { report, ids } = await checkSpfZone(`
      acme.test. TXT "v=spf1 include:b.test include:b.test -all"
      b.test.    TXT "v=spf1 include:n1.test include:n2.test include:n3.test -all"
      n1.test.   TXT "v=spf1 ip4:192.0.2.1 -all"
      n2.test.   TXT "v=spf1 ip4:192.0.2.2 -all"
      n3.test.   TXT "v=spf1 ip4:192.0.2.3 -all"
    `)
    expect(report).toMatchObject({ valid: true, lookupCount: 8 })
    expect(report.terms.map(({ lookups }) => lookups)).toEqual([4, 4, 0])
    expect(ids).toEqual(['spf.duplicate-include'])
  })

  test('a redirect beside "all" is not queried, counted or an error', async () => {
    const { report, ids, queries } = await checkSpfZone(
      'acme.test. TXT "v=spf1 ip4:192.0.2.1 redirect=gone.test -all"',
    )
    expect(report).toMatchObject({ valid: true, lookupCount: 0, voidLookupCount: 0 })
    expect(ids).toEqual(['spf.redirect-ignored'])
    expect(queries).toEqual(start)
  })

  test('terms after "all" are neither queried nor counted', async () => {
    const { report, ids, queries } = await checkSpfZone(
      'acme.test. TXT "v=spf1 ip4:192.0.2.1 -all a:gone.test mx include:gone.test exists:gone.test"',
    )
    expect(report).toMatchObject({ valid: true, lookupCount: 0, voidLookupCount: 0 })
    expect(ids).toEqual(['spf.terms-after-all'])
    expect(queries).toEqual(start)
  })

  test('an "exists" without an answer is a void lookup', async () => {
    const { report, ids } = await checkSpfZone(
      'acme.test. TXT "v=spf1 exists:one.test exists:two.test exists:three.test -all"',
    )
    expect(report).toMatchObject({ lookupCount: 3, voidLookupCount: 3 })
    expect(ids).toEqual(['spf.void-lookups'])
  })
})

describe('validity', () => {
  test('unknown modifiers are ignored (§6)', async () => {
    const { report, ids } = await checkSpfZone('acme.test. TXT "v=spf1 foo=bar -all"')
    expect(report).toMatchObject({ status: 'pass', valid: true })
    expect(ids).toEqual([])
  })

  test('an include without an SPF record is a permanent error (§5.2)', async () => {
    const { report, ids } = await checkSpfZone(
      'acme.test. TXT "v=spf1 include:b.test -all"\nb.test. A 192.0.2.1',
    )
    expect(report).toMatchObject({ status: 'fail', valid: false })
    expect(ids).toEqual(['spf.include-without-record'])
  })

  test('the version may be written in capitals (§4.6.1)', async () => {
    const { report, ids } = await checkSpfZone('acme.test. TXT "V=SPF1 IP4:192.0.2.1 -ALL"')
    expect(report).toMatchObject({
      valid: true,
      allQualifier: '-',
      record: 'V=SPF1 IP4:192.0.2.1 -ALL',
    })
    expect(ids).toEqual([])
  })

  test.each([
    'ip4:192.0.2.0/255.255.255.0',
    'ip4:192.0.2.0/024',
    'ip4:192.0.2.0/33',
    'ip6:2001:db8::/129',
    'a/33',
    'a/024',
    'a//129',
    'mx/33',
    'include:192.0.2.1',
    'a:192.0.2.1',
    'a:localhost',
    'include:localhost',
  ])('%s is invalid', async (term) => {
    const { report, ids, queries } = await checkSpfZone(`acme.test. TXT "v=spf1 ${term} -all"`)
    expect(report).toMatchObject({ status: 'fail', valid: false, lookupCount: 0 })
    expect(report.terms[0]).toMatchObject({ term, kind: 'invalid' })
    expect(ids).toEqual(['spf.syntax'])
    expect(queries).toEqual(start)
  })

  test.each([
    ['a/24', ['A acme.test', 'AAAA acme.test']],
    ['a//64', ['A acme.test', 'AAAA acme.test']],
    ['a/24//64', ['A acme.test', 'AAAA acme.test']],
    ['mx/24', ['MX acme.test', 'A mx.acme.test', 'AAAA mx.acme.test']],
    ['mx//64', ['MX acme.test', 'A mx.acme.test', 'AAAA mx.acme.test']],
  ])('%s queries the domain itself', async (term, questions) => {
    const { report, ids, queries } = await checkSpfZone(`
      acme.test.    TXT "v=spf1 ${term} -all"
      acme.test.    A 192.0.2.1
      acme.test.    AAAA 2001:db8::1
      acme.test.    MX 0 mx.acme.test.
      mx.acme.test. A 192.0.2.2
      mx.acme.test. AAAA 2001:db8::2
    `)
    expect(report).toMatchObject({ valid: true, lookupCount: 1, voidLookupCount: 0 })
    expect(ids).toEqual([])
    expect(queries).toEqual([...start, ...questions])
  })
})

test.each([
  ['+all', 'spf.allows-everyone', 'fail'],
  ['ip4:0.0.0.0/0 -all', 'spf.allows-everyone', 'fail'],
  ['ip4:192.0.2.1 ?all', 'spf.neutral-all', 'warn'],
  ['ip4:192.0.2.1', 'spf.no-all', 'warn'],
])('"v=spf1 %s" is valid, but %s', async (terms, id, status) => {
  const { report, ids } = await checkSpfZone(`acme.test. TXT "v=spf1 ${terms}"`)
  expect(report).toMatchObject({ valid: true, status })
  expect(ids).toEqual([id])
})

describe('a failed query', () => {
  const zone = `
    acme.test.    TXT "v=spf1 include:b.test a:www.acme.test mx exists:e.acme.test -all"
    acme.test.    MX 0 mx.acme.test.
    b.test.       TXT "v=spf1 redirect=c.test"
    c.test.       TXT "v=spf1 ip4:192.0.2.7 -all"
    mx.acme.test. A 192.0.2.1
    mx.acme.test. AAAA 2001:db8::1
    www.acme.test. A 192.0.2.2
    www.acme.test. AAAA 2001:db8::2
  `

  test('for the record itself leaves nothing to report', async () => {
    const dns = zoneDns(zone, { 'TXT acme.test': 'servfail' })
    expect(await checkSpf(dns, 'acme.test' as DomainName)).toMatchObject({
      kind: 'unavailable',
      query: { name: 'acme.test', type: 'TXT' },
      failure: { reason: 'servfail', detail: 'TXT acme.test fails in this test' },
    })
  })

  test.each([
    ['TXT b.test', 4],
    ['TXT c.test', 5],
    ['A www.acme.test', 5],
    ['AAAA www.acme.test', 5],
    ['MX acme.test', 5],
    ['AAAA mx.acme.test', 5],
    ['A e.acme.test', 5],
  ])('for %s is a finding, and never a worse verdict', async (question, lookupCount) => {
    const dns = zoneDns(zone, { [question]: 'servfail' })
    const [type, name] = question.split(' ')
    const checked = await checkSpf(dns, 'acme.test' as DomainName)
    if (checked.kind !== 'report') throw new Error(checked.kind)
    const { issues, ...report } = checked.report
    expect(report).toMatchObject({ valid: true, allResult: 'fail', lookupCount })
    expect(issues.filter(({ id }) => id !== 'spf.term-matches-nothing')).toMatchObject([
      {
        id: 'spf.lookup-unavailable',
        severity: 'info',
        title: `We couldn’t look up ${name} (${type})`,
      },
    ])
  })

  test('beyond the limit of a report says nothing about receivers', async () => {
    const dns = zoneDns('acme.test. TXT "v=spf1 include:big.test -all"', {
      'TXT big.test': 'budget',
    })
    expect(await checkSpf(dns, 'acme.test' as DomainName)).toMatchObject({
      report: {
        issues: [
          {
            id: 'spf.lookup-unavailable',
            title: 'We couldn’t look up big.test (TXT)',
            detail: expect.stringMatching(/^DNS returned more data than we read(?!.*[Rr]eceivers)/),
            fix: expect.stringMatching(/^Remove records you no longer need/),
          },
        ],
      },
    })
  })

  test('for the retired type 99 is not mentioned', async () => {
    const dns = zoneDns('acme.test. TXT "v=spf1 -all"', { 'SPF acme.test': 'timeout' })
    expect(await checkSpf(dns, 'acme.test' as DomainName)).toMatchObject({
      kind: 'report',
      report: { status: 'pass', issues: [] },
    })
  })

  test('that was not needed is not made', async () => {
    const failing = { 'TXT d.test': 'servfail', 'A gone.test': 'servfail' } as const
    const dns = zoneDns('acme.test. TXT "v=spf1 -all include:d.test a:gone.test"', failing)
    expect(await checkSpf(dns, 'acme.test' as DomainName)).toMatchObject({ kind: 'report' })
  })
})

test('returns unknown-domain for a nonexistent name', async () => {
  const dns = zoneDns('other.test. A 192.0.2.1')
  expect(await checkSpf(dns, 'acme.test' as DomainName)).toEqual({ kind: 'unknown-domain' })
  expect(dns.queries).toEqual(start)
})

test('treats a name with a dangling CNAME as existing', async () => {
  const { ids } = await checkSpfZone('acme.test. CNAME gone.test.')
  expect(ids).toEqual(['spf.missing'])
})
