import { describe, expect, test } from 'vitest'
import { checkSpfZone } from '../../../test/support/spf-fixture.js'

describe('hidden characters', () => {
  test.each([
    ['a tab', 'v=spf1\\032mx\\009-all', 'U+0009'],
    ['a no-break space', 'v=spf1 mx\\194\\160-all', 'U+00A0'],
    ['an en dash', 'v=spf1 mx \\226\\128\\147all', 'U+2013'],
    ['a zero-width space', 'v=spf1 mx -all\\226\\128\\139', 'U+200B'],
    ['curly quotes', 'v=spf1 \\226\\128\\156mx\\226\\128\\157 -all', 'U+201C and U+201D'],
  ])('%s breaks the record; proposes the plain text', async (_, text, names) => {
    const { report, issues } = await checkSpfZone(`acme.test. TXT "${text}"\nacme.test. MX 0 .`)
    expect(report).toMatchObject({ status: 'fail', valid: false })
    expect(issues).toMatchObject([
      { id: 'spf.syntax' },
      {
        id: 'spf.hidden-characters',
        severity: 'high',
        title: `The SPF record contains ${names}`,
        fix: 'Replace acme.test’s SPF record with this plain text: "v=spf1 mx -all".',
        evidence: [{ name: 'acme.test', type: 'TXT', value: report.record }],
      },
    ])
  })

  test('without a known replacement: advises retyping the record', async () => {
    const { report, issues } = await checkSpfZone(
      'acme.test. TXT "v=spf1 a:m\\195\\188ller.test \\255 -all"',
    )
    expect(report.record).toBe('v=spf1 a:m\u00c3\u00bcller.test \u00ff -all')
    expect(issues[1]).toMatchObject({
      id: 'spf.hidden-characters',
      fix: expect.stringMatching(/^Retype acme\.test’s record in a plain text editor/),
    })
  })

  test('in another TXT record are ignored', async () => {
    const { ids } = await checkSpfZone(
      'acme.test. TXT "v=spf1 -all"\nacme.test. TXT "h\\195\\169llo\\009"',
    )
    expect(ids).toEqual([])
  })
})

describe('record split into strings', () => {
  const others =
    '_spf.acme.test. TXT "v=spf1 ip4:192.0.2.1 -all"\nb.test. TXT "v=spf1 ip4:192.0.2.2 -all"\n'

  test('reports a missing space between two terms', async () => {
    const { report, issues } = await checkSpfZone(
      `${others} acme.test. TXT "v=spf1 include:_spf.acme.test" "include:b.test -all"`,
    )
    expect(report).toMatchObject({
      valid: false,
      record: 'v=spf1 include:_spf.acme.testinclude:b.test -all',
    })
    expect(issues).toMatchObject([
      {
        id: 'spf.split-without-space',
        severity: 'high',
        title: 'include:b.test runs into the SPF term before it',
        fix: expect.stringMatching(
          /: "v=spf1 include:_spf\.acme\.test " "include:b\.test -all"\.$/,
        ),
        evidence: [
          {
            name: 'acme.test',
            type: 'TXT',
            value: '"v=spf1 include:_spf.acme.test" "include:b.test -all"',
          },
        ],
        reference: 'RFC 7208 §3.3',
      },
      { id: 'spf.include-without-record', title: expect.stringContaining('testinclude:b.test') },
    ])
  })

  test.each([
    ['"v=spf1 ip4:192.0.2.1" "ip4:192.0.2.2 -all"', 'ip4:192.0.2.2', 'spf.syntax'],
    ['"v=spf1 ip4:192.0.2.0/24" "-all"', '-all', 'spf.syntax'],
    ['"v=spf1 mx" "a -all"', 'a', 'spf.syntax'],
    ['"v=spf1 mx" "" "a -all"', 'a', 'spf.syntax'],
    ['"v=spf1 a:mail.acme.test" "mx -all"', 'mx', null],
    ['"v=spf1 include:b.test" "~all"', '~all', 'spf.syntax'],
    ['"v=spf1 include:b.test" "all"', 'all', 'spf.include-without-record'],
    ['"v=spf1" "include:b.test -all"', 'include:b.test', 'spf.near-miss'],
  ])('%s: reports %s', async (strings, lost, also) => {
    const { issues, ids } = await checkSpfZone(
      `${others} acme.test. TXT ${strings}\nacme.test. A 192.0.2.1`,
    )
    const split = issues.find(({ id }) => id === 'spf.split-without-space')
    expect(split?.title).toBe(`${lost} runs into the SPF term before it`)
    if (also) expect(ids).toContain(also)
    expect(ids).not.toContain('spf.no-all')
  })

  test('reports no missing space inside a term that leads nowhere', async () => {
    const { ids } = await checkSpfZone('acme.test. TXT "v=spf1 include:gone." "mx -all"')
    expect(ids).toEqual(['spf.include-without-record'])
  })

  test.each([
    '"v=spf1 include:_spf.acme.test " "include:b.test -all"',
    '"v=spf1 include:_spf.acme.test" " include:b.test -all"',
    '"v=spf1 include:_spf.ac" "me.test -all"',
    '"v=spf1 include:b." "test -all"',
    '"v=spf1 inc" "lude:b.test -all"',
    '"v=spf1 include:" "b.test -all"',
    '"v=spf1 ip4:192.0." "2.1 -all"',
    '"v=spf1 ip4:192.0.2.0" "/24 -all"',
    '"v=spf1 ip4:192.0.2.0/2" "4 -all"',
    '"v=spf1 ip6:2001:db8::1" "a -all"',
    '"v=spf1 include:spf.acme.c" "a -all"',
    '"v=spf1 a:acme.c" "a -all"',
    '"v=s" "pf1 -all"',
    '"v=spf1 -a" "ll"',
    '"v=spf1 " "" "-all"',
  ])('accepts a split inside a term: %s', async (strings) => {
    const { report, ids } = await checkSpfZone(
      `${others} acme.test. TXT ${strings}
      spf.acme.ca. TXT "v=spf1 ip4:192.0.2.1 -all"
      acme.ca. A 192.0.2.1
      acme.ca. AAAA 2001:db8::1`,
    )
    expect(ids).toEqual([])
    expect(report.valid).toBe(true)
  })
})

describe('ignored term', () => {
  test('reports an equals sign instead of a colon', async () => {
    const { report, issues, queries } = await checkSpfZone(
      'acme.test. TXT "v=spf1 include=_spf.google.com IP4=192.0.2.1 ip4:192.0.2.9 -all"\nacme.test. MX 0 .',
    )
    expect(report).toMatchObject({ status: 'warn', valid: true, lookupCount: 0, senders: [] })
    expect(issues).toMatchObject([
      {
        id: 'spf.ignored-term',
        severity: 'medium',
        title:
          'Receivers ignore "include=_spf.google.com" and "IP4=192.0.2.1" because of an equals sign',
        fix: expect.stringContaining('"include:_spf.google.com" and "IP4:192.0.2.1"'),
      },
    ])
    expect(queries).not.toContain('TXT _spf.google.com')
  })

  test('advises correcting a term that a colon does not fix', async () => {
    const { issues } = await checkSpfZone('acme.test. TXT "v=spf1 all=no -all"')
    expect(issues[0]?.fix).toContain('"all=no"')
    expect(issues[0]?.fix).not.toContain('all:no')
  })

  test('does not report unknown modifiers', async () => {
    const { report, ids } = await checkSpfZone(
      'acme.test. TXT "v=spf1 ip4:192.0.2.1 foo=bar ra=postmaster constructor=x op= v=spf1 -all"',
    )
    expect(ids).toEqual([])
    expect(report).toMatchObject({ status: 'pass', valid: true })
    expect(report.terms.map(({ kind }) => kind)).toEqual([
      'ip4',
      ...Array.from({ length: 5 }, () => 'unknown-modifier'),
      'all',
    ])
  })
})

describe('terms beside "all"', () => {
  test('reports terms after it as never read', async () => {
    const { report, issues, queries } = await checkSpfZone(
      'acme.test. TXT "v=spf1 ip4:192.0.2.1 -all mx include:b.test"',
    )
    expect(report).toMatchObject({ status: 'warn', valid: true, lookupCount: 0 })
    expect(report.terms.map(({ lookups }) => lookups)).toEqual([0, 0, 0, 0])
    expect(issues).toMatchObject([
      {
        id: 'spf.terms-after-all',
        title: 'Receivers never read mx and include:b.test because they come after “all” in SPF',
        fix: expect.stringMatching(
          /^Look at mx and include:b\.test in acme\.test’s SPF record\. .* before "all"\./,
        ),
      },
    ])
    expect(queries).toEqual(['TXT acme.test', 'SPF acme.test', 'MX acme.test'])
  })

  test('does not advise moving a second "all"', async () => {
    const { report, issues } = await checkSpfZone('acme.test. TXT "v=spf1 ip4:192.0.2.1 ~all -all"')
    expect(report.allQualifier).toBe('~')
    expect(issues).toMatchObject([
      {
        id: 'spf.terms-after-all',
        fix: 'In acme.test’s SPF record, keep the "all" you want and delete the others.',
      },
    ])
  })

  test('accepts modifiers after it', async () => {
    const { ids } = await checkSpfZone(
      'acme.test. TXT "v=spf1 ip4:192.0.2.1 -all exp=why.acme.test foo=bar"',
    )
    expect(ids).toEqual([])
  })

  test('reports a redirect as ignored, before or after it', async () => {
    const { report, issues, queries } = await checkSpfZone(
      'acme.test. TXT "v=spf1 ip4:192.0.2.1 redirect=b.test -all"',
    )
    expect(report).toMatchObject({
      status: 'warn',
      valid: true,
      lookupCount: 0,
      allQualifier: '-',
      tree: { children: [] },
    })
    expect(issues).toMatchObject([
      {
        id: 'spf.redirect-ignored',
        severity: 'medium',
        title: 'Receivers ignore redirect=b.test because the record has “all”',
        fix: expect.stringMatching(
          /as acme\.test\. .* replace redirect=b\.test with "include:b\.test", before "all"\. Or remove "all"/,
        ),
      },
    ])
    expect(queries).toEqual(['TXT acme.test', 'SPF acme.test', 'MX acme.test'])
  })
})

describe('long record', () => {
  const zoneOf = (octets: number) => {
    const text = `v=spf1 ip4:192.0.2.1 x=${'x'.repeat(octets - 'v=spf1 ip4:192.0.2.1 x= -all'.length)} -all`
    return `acme.test. TXT ${text.replace(/.{1,255}/g, '"$&" ')}`
  }

  test.each([450, 200])('accepts %s octets', async (octets) => {
    const { ids } = await checkSpfZone(zoneOf(octets))
    expect(ids).toEqual([])
  })

  test.each([
    [451, 'may not fit in a plain 512-byte UDP packet'],
    [512, 'may not fit in a plain 512-byte UDP packet'],
    [513, 'don’t fit in a plain UDP packet'],
  ])('of %s octets %s', async (octets, words) => {
    const { report, issues } = await checkSpfZone(zoneOf(octets))
    expect(report).toMatchObject({ status: 'warn', valid: true })
    expect(issues).toMatchObject([
      {
        id: 'spf.long-record',
        severity: 'low',
        title: `The SPF record has ${octets} characters; keep it to 450 or fewer`,
        detail: expect.stringContaining(words),
        fix: expect.stringMatching(
          /^Remove the terms for services that no longer send mail as acme\.test/,
        ),
      },
    ])
  })
})
