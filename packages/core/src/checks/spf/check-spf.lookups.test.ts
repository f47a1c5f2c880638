import { describe, expect, test } from 'vitest'
import { checkSpfZone } from '../../../test/support/spf-fixture.js'

describe('void lookups', () => {
  test('behind the tenth lookup do not count, because receivers make no more', async () => {
    const { report, ids } = await checkSpfZone(`
      acme.test. TXT "v=spf1 a:gone1.test a:gone2.test ${'a:b.test '.repeat(8)}a:gone3.test -all"
      b.test.    A 192.0.2.1
      b.test.    AAAA 2001:db8::1
    `)
    expect(report).toMatchObject({ valid: false, lookupCount: 11 })
    expect(ids).toContain('spf.too-many-lookups')
    expect(ids).not.toContain('spf.void-lookups')
  })

  test.each(['', '-ip4:192.0.2.1 '])(
    'over the limit let no one pass behind them: %s',
    async (not) => {
      const { report, ids } = await checkSpfZone(
        `acme.test. TXT "v=spf1 ${not}a:gone1.test a:gone2.test a:gone3.test exists:%{i}.acme.test -all"`,
      )
      expect(report).toMatchObject({ valid: false, authorizesSenders: false })
      expect(ids).toContain('spf.void-lookups')
    },
  )

  test('allows two', async () => {
    const { report, ids } = await checkSpfZone(
      'acme.test. TXT "v=spf1 a:one.test exists:two.test ip4:192.0.2.1 -all"',
    )
    expect(report).toMatchObject({ voidLookupCount: 2, voidLookups: { ipv4: 2, ipv6: 2 } })
    expect(ids).toEqual(['spf.term-matches-nothing'])
  })

  test('reports three, with their terms', async () => {
    const { report, issues } = await checkSpfZone(
      'acme.test. TXT "v=spf1 a:one.test mx:two.test exists:three.test -all"',
    )
    expect(report).toMatchObject({
      status: 'fail',
      valid: false,
      voidLookupCount: 3,
      allQualifier: null,
      allResult: null,
    })
    expect(issues).toMatchObject([
      {
        id: 'spf.void-lookups',
        severity: 'high',
        title: '3 SPF lookups come back empty; the limit is 2',
        detail: expect.stringContaining(
          'from a:one.test, mx:two.test, and exists:three.test, where',
        ),
        fix: expect.stringContaining('in the SPF record at acme.test'),
        evidence: [{ name: 'acme.test', type: 'TXT' }],
      },
    ])
  })

  test('are counted separately for IPv4 and IPv6 senders', async () => {
    const { report, issues, queries } = await checkSpfZone(`
      acme.test.      TXT "v=spf1 ?mx/24 a:www.acme.test ip6:2001:db8::1 -all"
      acme.test.      MX 10 mx1.acme.test.
      acme.test.      MX 20 mx2.acme.test.
      mx1.acme.test.  A 192.0.2.1
      mx2.acme.test.  A 192.0.2.2
      www.acme.test.  A 198.51.100.3
    `)
    expect(report).toMatchObject({
      status: 'warn',
      valid: true,
      voidLookupCount: 3,
      voidLookups: { ipv4: 0, ipv6: 3 },
      allResult: 'fail',
    })
    expect(issues).toMatchObject([
      {
        id: 'spf.void-lookups-one-family',
        severity: 'low',
        title: '3 SPF lookups come back empty over IPv6; the limit is 2',
        detail: expect.stringContaining('from ?mx/24 and a:www.acme.test.'),
        fix: expect.stringContaining(
          'In the SPF record at acme.test, replace ?mx/24 with "?ip4:192.0.2.1/24 ?ip4:192.0.2.2/24" and a:www.acme.test with "ip4:198.51.100.3".',
        ),
      },
    ])
    expect(queries).toEqual([
      'TXT acme.test',
      'SPF acme.test',
      'MX acme.test',
      'MX acme.test',
      'A www.acme.test',
      'AAAA www.acme.test',
      'A mx1.acme.test',
      'AAAA mx1.acme.test',
      'A mx2.acme.test',
      'AAAA mx2.acme.test',
    ])
  })

  test('count each time, including those of included records', async () => {
    const { report, issues } = await checkSpfZone(`
      acme.test. TXT "v=spf1 include:b.test include:b.test include:b.test -all"
      b.test.    TXT "v=spf1 a:gone.test -all"
    `)
    expect(report.voidLookupCount).toBe(3)
    expect(issues[0]).toMatchObject({
      id: 'spf.void-lookups',
      fix: expect.stringMatching(
        /^Ask whoever runs b\.test to fix a:gone\.test\. Until then, remove /,
      ),
      evidence: [{ name: 'b.test', type: 'TXT', value: 'v=spf1 a:gone.test -all' }],
    })
  })

  test('in own and foreign records: advises to fix the own ones, and to ask for the others', async () => {
    const { issues } = await checkSpfZone(`
      acme.test. TXT "v=spf1 a:gone.test include:b.test include:b.test -all"
      b.test.    TXT "v=spf1 a:lost.test -all"
    `)
    expect(issues[0]).toMatchObject({
      id: 'spf.void-lookups',
      detail: expect.stringContaining('from a:gone.test and a:lost.test, where'),
      fix: expect.stringMatching(
        /^In the SPF record at acme\.test, .* Ask whoever runs b\.test to fix /,
      ),
      evidence: [{ name: 'acme.test' }, { name: 'b.test' }],
    })
  })

  test('over one family, in own and foreign records: advises the same', async () => {
    const { issues } = await checkSpfZone(`
      acme.test. TXT "v=spf1 a:m.test a:m.test/24 include:b.test -all"
      m.test.    AAAA 2001:db8::1
      b.test.    TXT "v=spf1 a:m.test -all"
    `)
    expect(issues[0]).toMatchObject({
      id: 'spf.void-lookups-one-family',
      detail: expect.stringContaining('for mail sent over IPv4.'),
      fix: expect.stringMatching(
        /^In the SPF record at acme\.test, .* Ask whoever runs b\.test to fix /,
      ),
    })
  })

  test('do not count a name with TXT records but no SPF', async () => {
    const { report } = await checkSpfZone(
      'acme.test. TXT "v=spf1 include:b.test -all"\nb.test. TXT "x"',
    )
    expect(report.voidLookupCount).toBe(0)
  })
})

describe('mx term', () => {
  const zoneOf = (count: number) => `
    acme.test.  TXT "v=spf1 mx:b.test -all"
    mx.b.test.  A 192.0.2.1
    mx.b.test.  AAAA 2001:db8::1
    ${Array.from({ length: count }, (_, index) => `b.test. MX ${index} mx.b.test.`).join('\n')}
  `

  test('accepts ten mail servers', async () => {
    const { ids } = await checkSpfZone(zoneOf(10))
    expect(ids).toEqual([])
  })

  test('rejects eleven and does not query their addresses', async () => {
    const { report, issues, queries } = await checkSpfZone(zoneOf(11))
    expect(report).toMatchObject({ status: 'fail', valid: false, lookupCount: 1 })
    expect(issues).toMatchObject([
      {
        id: 'spf.mx-limit',
        severity: 'high',
        title: 'mx:b.test covers 11 mail servers; the limit is 10',
        fix: expect.stringContaining('In the SPF record at acme.test, replace mx:b.test with'),
        evidence: [{ name: 'acme.test', type: 'TXT', value: 'v=spf1 mx:b.test -all' }],
      },
    ])
    expect(queries).toEqual(['TXT acme.test', 'SPF acme.test', 'MX acme.test', 'MX b.test'])
  })

  test('in another operator’s record: advises asking them', async () => {
    const { issues } = await checkSpfZone(
      `${zoneOf(11).replace('acme.test.', 'c.test.')} acme.test. TXT "v=spf1 include:c.test -all"`,
    )
    expect(issues).toMatchObject([
      {
        id: 'spf.mx-limit',
        fix: expect.stringMatching(
          /^Ask whoever runs c\.test to replace mx:b\.test .* Until then, /,
        ),
      },
    ])
  })

  test('with a null MX is not a void lookup', async () => {
    const { report, ids } = await checkSpfZone('acme.test. TXT "v=spf1 mx -all"\nacme.test. MX 0 .')
    expect(report).toMatchObject({ voidLookupCount: 0, authorizesSenders: false })
    expect(ids).toEqual(['spf.names-nobody', 'spf.term-matches-nothing'])
  })
})

describe('duplicate include', () => {
  test('costs its lookups twice', async () => {
    const { report, issues } = await checkSpfZone(`
      acme.test. TXT "v=spf1 include:b.test include:B.test ?include:b.test. -all"
      b.test.    TXT "v=spf1 ip4:192.0.2.1 -all"
    `)
    expect(report).toMatchObject({ status: 'warn', valid: true, lookupCount: 3 })
    expect(issues).toMatchObject([
      {
        id: 'spf.duplicate-include',
        severity: 'low',
        title: 'include:B.test and ?include:b.test. appear in SPF more than once',
        fix: expect.stringContaining('"acme.test TXT v=spf1 include:b.test -all"'),
        record: { type: 'TXT', name: 'acme.test', value: 'v=spf1 include:b.test -all' },
      },
    ])
  })

  test('names the record that contains it', async () => {
    const { issues } = await checkSpfZone(`
      acme.test.   TXT "v=spf1 include:s.acme.test include:s.acme.test -all"
      s.acme.test. TXT "v=spf1 ip4:192.0.2.1 -all"
    `)
    expect(issues).toMatchObject([
      {
        fix: expect.stringContaining('"acme.test TXT v=spf1 include:s.acme.test -all"'),
        evidence: [{ name: 'acme.test' }],
      },
    ])
  })

  test('is found across two own records', async () => {
    const { ids, issues } = await checkSpfZone(`
      acme.test.    TXT "v=spf1 include:s1.acme.test include:s2.acme.test -all"
      s1.acme.test. TXT "v=spf1 include:b.test -all"
      s2.acme.test. TXT "v=spf1 include:b.test -all"
      b.test.       TXT "v=spf1 ip4:192.0.2.1 -all"
    `)
    expect(ids).toEqual(['spf.duplicate-include'])
    expect(issues[0]?.fix).toContain('in the SPF record at s1.acme.test and s2.acme.test')
    expect(issues[0]?.record).toBeUndefined()
  })

  test('is not reported across records of others', async () => {
    const { ids } = await checkSpfZone(`
      acme.test. TXT "v=spf1 include:a.test include:c.test -all"
      a.test.    TXT "v=spf1 include:b.test -all"
      c.test.    TXT "v=spf1 include:b.test -all"
      b.test.    TXT "v=spf1 ip4:192.0.2.1 -all"
    `)
    expect(ids).toEqual([])
  })
})

describe('unaligned include', () => {
  const sendgrid = 'sendgrid.net. TXT "v=spf1 ip4:167.89.0.0/17 -all"'

  test('is reported at the registrable domain', async () => {
    const { report, issues } = await checkSpfZone(
      `acme.test. TXT "v=spf1 include:sendgrid.net ip4:192.0.2.1 -all"\n${sendgrid}`,
    )
    expect(report).toMatchObject({ status: 'pass', valid: true })
    expect(issues).toMatchObject([
      {
        id: 'spf.unaligned-include',
        severity: 'info',
        title: 'include:sendgrid.net can’t help acme.test pass DMARC',
        detail: expect.stringMatching(/^Mail sent through Twilio SendGrid has a bounce address/),
        fix: expect.stringMatching(
          /^Set up DKIM for acme\.test at Twilio SendGrid\. .* Only then remove include:sendgrid\.net from the SPF record at acme\.test\.$/,
        ),
        evidence: [
          {
            name: 'acme.test',
            type: 'TXT',
            value: 'v=spf1 include:sendgrid.net ip4:192.0.2.1 -all',
          },
        ],
      },
    ])
  })

  test('is not reported at a subdomain', async () => {
    const { ids } = await checkSpfZone(
      `em.acme.test. TXT "v=spf1 include:sendgrid.net -all"\n${sendgrid}`,
      'em.acme.test',
    )
    expect(ids).toEqual([])
  })

  test('is not reported for a sender that checks for its include', async () => {
    const { ids } = await checkSpfZone(`
      acme.test.       TXT "v=spf1 include:_spf.mlsend.com -all"
      _spf.mlsend.com. TXT "v=spf1 ip4:192.0.2.0/24 -all"
    `)
    expect(ids).toEqual([])
  })

  test('is not reported for a mailbox provider', async () => {
    const { ids } = await checkSpfZone(`
      acme.test.                  TXT "v=spf1 include:spf.protection.outlook.com -all"
      spf.protection.outlook.com. TXT "v=spf1 ip4:40.92.0.0/15 -all"
    `)
    expect(ids).toEqual([])
  })
})
