import { describe, expect, test } from 'vitest'
import { checkSpfZone } from '../../../test/support/spf-fixture.js'

const SOFT_FAIL = 'If it has "~all", keep that for now'

const CORRECT =
  /If it’s your only SPF record, correct the beginning so that it reads "v=spf1", followed by one space\. End it in "~all".*A domain can have only one\./

describe('SPF near miss', () => {
  test.each([
    ['v=spf1include:a.test -all', 'v=spf1 include:a.test ~all'],
    ['v=spf1; include:a.test -all', 'v=spf1 include:a.test ~all'],
    [' v=spf1 include:a.test -all', 'v=spf1 include:a.test ~all'],
    ['v = spf1 mx -all', 'v=spf1 mx ~all'],
    ['v=spf mx -all', 'v=spf1 mx ~all'],
    ['spf1 mx -all', 'v=spf1 mx ~all'],
    ['\\"v=spf1 mx -all\\"', 'v=spf1 mx ~all'],
    ['\\226\\128\\156v=spf1 mx -all\\226\\128\\157', 'v=spf1 mx ~all'],
    ['\\239\\187\\191v=spf1 mx -all', 'v=spf1 mx ~all'],
    ['v=spf1\\009mx -all', 'v=spf1 mx ~all'],
    [' v=spf1 mx -all ', 'v=spf1 mx ~all'],
    ['v=spf1\\194\\160mx\\194\\160\\226\\128\\147all', 'v=spf1 mx ~all'],
    ['v=spf1; mx +all', 'v=spf1 mx ~all'],
    ['v=spf1; mx ?all', 'v=spf1 mx ~all'],
    ['v=spf1; mx', 'v=spf1 mx ~all'],
    ['v=spf1; mx -ALL exp=why.acme.test', 'v=spf1 mx ~all exp=why.acme.test'],
  ])('%s is ignored; corrected: %s', async (text, better) => {
    const { report, issues } = await checkSpfZone(`acme.test. TXT "${text}"`)
    expect(report).toMatchObject({ status: 'fail', record: null, records: [], valid: false })
    expect(issues).toMatchObject([
      {
        id: 'spf.missing',
        fix: expect.stringContaining(`"acme.test TXT ${better}". ${SOFT_FAIL}`),
      },
      {
        id: 'spf.near-miss',
        severity: 'medium',
        title: 'Receivers ignore a TXT record that looks like SPF',
        fix: expect.stringContaining(
          `Replace it with this one: "acme.test TXT ${better}". ${SOFT_FAIL}`,
        ),
        evidence: [{ name: 'acme.test', type: 'TXT' }],
      },
    ])
  })

  test.each(['v=spf10 mx -all', 'v=spf1.0 mx -all', 'v=spf1 is what you need', 'v=spf1;mx;-all'])(
    '%s is more wrong than at its beginning, so nothing is offered to paste',
    async (text) => {
      const { issues } = await checkSpfZone(
        `acme.test. TXT "${text.replace('v=spf1 ', 'v=spf1: ')}"`,
      )
      expect(issues).toMatchObject([
        { id: 'spf.missing', fix: expect.stringContaining('"acme.test TXT v=spf1 -all"') },
        { id: 'spf.near-miss', fix: expect.stringMatching(CORRECT) },
      ])
    },
  )

  test('keeps a redirect as it is', async () => {
    const { issues } = await checkSpfZone('acme.test. TXT "v=spf1; redirect=a.test"')
    expect(issues.map(({ id }) => id)).toEqual(['spf.missing', 'spf.near-miss'])
    for (const { fix } of issues) expect(fix).toContain('"acme.test TXT v=spf1 redirect=a.test"')
  })

  test('proposes "~all" for a "-all" that was never in effect', async () => {
    const { issues } = await checkSpfZone('acme.test. TXT "v=spf1; ip4:192.0.2.1 -all"')
    expect(issues[0]?.record).toEqual({
      type: 'TXT',
      name: 'acme.test',
      value: 'v=spf1 ip4:192.0.2.1 ~all',
    })
  })

  test.each([' v=spf1', 'v=spf1; -all'])(
    '"%s" names no sender, so it blocks mail only if there is none',
    async (text) => {
      const { issues } = await checkSpfZone(`acme.test. TXT "${text}"`)
      expect(issues).toMatchObject([
        {
          id: 'spf.missing',
          fix: expect.stringMatching(
            /If the domain sends no mail at all, publish this instead: "acme\.test TXT v=spf1 -all"\.$/,
          ),
        },
        { id: 'spf.near-miss', fix: expect.stringMatching(CORRECT) },
      ])
      expect(issues.filter(({ record }) => record)).toEqual([])
    },
  )

  test('beside a real record: advises deleting it, since it would be a second record', async () => {
    const { report, issues } = await checkSpfZone(`
      acme.test. TXT "v=spf1 -all"
      acme.test. TXT "v=spf1; mx -all"
    `)
    expect(report).toMatchObject({ status: 'warn', valid: true, record: 'v=spf1 -all' })
    expect(issues).toMatchObject([
      {
        id: 'spf.near-miss',
        fix: expect.stringMatching(
          /the SPF record that acme\.test already has.*Delete the ignored record\.$/,
        ),
        evidence: [{ name: 'acme.test', type: 'TXT', value: 'v=spf1; mx -all' }],
      },
    ])
  })

  test.each(['spf2.0/pra mx -all', 'google-site-verification=spf1', 'spf1', 'tv=spf1 -all', ''])(
    'is not "%s"',
    async (text) => {
      const { ids } = await checkSpfZone(`acme.test. TXT "v=spf1 -all"\nacme.test. TXT "${text}"`)
      expect(ids).toEqual([])
    },
  )
})

describe('several SPF records', () => {
  test('merges into "-all" only when all end in it', async () => {
    const { issues } = await checkSpfZone(
      'acme.test. TXT "v=spf1 -all"\nacme.test. TXT "V=SPF1 a -ALL"',
    )
    expect(issues[0]?.fix).toContain('"acme.test TXT v=spf1 a -all"')
  })

  test('proposes no merged record with a redirect or an invalid term', async () => {
    const { issues } = await checkSpfZone(`
      acme.test. TXT "v=spf1 redirect=b.test"
      acme.test. TXT "v=spf1 mx -all"
      acme.test. MX 0 .
      b.test.    TXT "v=spf1 -all"
    `)
    expect(issues).toMatchObject([
      {
        id: 'spf.multiple-records',
        fix: expect.stringMatching(/^Gather the terms from all the SPF records at acme\.test/),
      },
    ])
    expect(issues[0]?.record).toBeUndefined()
  })

  test('reports neither the lookup limit nor duplicate includes', async () => {
    const hosts = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'].map((one) => `${one}.test`)
    const includes = (names: string[]) => names.map((name) => `include:${name}`).join(' ')
    const { report, ids } = await checkSpfZone(`
      acme.test. TXT "v=spf1 ${includes(hosts.slice(0, 6))} -all"
      acme.test. TXT "v=spf1 ${includes(hosts.slice(4))} -all"
      ${hosts.map((name) => `${name}. TXT "v=spf1 -all"`).join('\n')}
    `)
    expect(report.lookupCount).toBe(10)
    expect(ids).toEqual(['spf.multiple-records'])
  })

  test('reports too many lookups of the merged record', async () => {
    const mails = (from: number) =>
      Array.from({ length: 6 }, (_, index) => `exists:%{i}.${from + index}.test`).join(' ')
    const { issues } = await checkSpfZone(
      `acme.test. TXT "v=spf1 ${mails(0)} -all"\nacme.test. TXT "v=spf1 ${mails(6)} -all"`,
    )
    expect(issues).toMatchObject([
      { id: 'spf.multiple-records', fix: expect.stringContaining('Gather the terms from all') },
      {
        id: 'spf.too-many-lookups',
        title: 'SPF needs 12 DNS lookups; the limit is 10',
      },
    ])
  })

  test('at an included name breaks the including record', async () => {
    const { report, issues, queries } = await checkSpfZone(`
      acme.test. TXT "v=spf1 include:b.test -all"
      b.test.    TXT "v=spf1 mx -all"
      b.test.    TXT "v=spf1 include:c.test -all"
    `)
    expect(report).toMatchObject({
      valid: false,
      record: 'v=spf1 include:b.test -all',
      lookupCount: 1,
      tree: { children: [{ state: 'several', record: null, lookups: 0, children: [] }] },
    })
    expect(issues).toMatchObject([
      {
        id: 'spf.multiple-records',
        title: 'b.test has more than one SPF record',
        fix: expect.stringMatching(
          /^Ask whoever runs b\.test to merge .* Until then, remove the term/,
        ),
        evidence: [{ name: 'b.test' }, { name: 'b.test' }],
      },
    ])
    expect(queries).toEqual(['TXT acme.test', 'SPF acme.test', 'MX acme.test', 'TXT b.test'])
  })
})

describe('invalid term', () => {
  test('in another operator’s record: advises asking them', async () => {
    const { report, issues } = await checkSpfZone(`
      acme.test. TXT "v=spf1 include:b.test -all"
      b.test.    TXT "v=spf1 ip4:192.0.2.256 -all"
    `)
    expect(report).toMatchObject({ status: 'fail', valid: false })
    expect(issues).toMatchObject([
      {
        id: 'spf.syntax',
        title: '"ip4:192.0.2.256" isn’t valid SPF',
        fix: expect.stringMatching(
          /^Ask whoever runs b\.test to correct or remove "ip4:192\.0\.2\.256"\. Until then, remove the term/,
        ),
        evidence: [{ name: 'b.test', type: 'TXT', value: 'v=spf1 ip4:192.0.2.256 -all' }],
      },
    ])
  })

  test('after "all" still invalidates the record', async () => {
    const { report, ids } = await checkSpfZone('acme.test. TXT "v=spf1 -all junk"')
    expect(report.valid).toBe(false)
    expect(ids).toEqual(['spf.syntax'])
  })

  test.each(['-all;', '-all.', '–all', 'mx-all', '- all'])(
    'that was meant as "all", as in "%s", is not also missing',
    async (all) => {
      const { ids } = await checkSpfZone(`acme.test. TXT "v=spf1 ip4:192.0.2.1 ${all}"`)
      expect(ids).not.toContain('spf.no-all')
      expect(ids).toContain('spf.syntax')
    },
  )

  test('lists the first six, each cut to a readable length', async () => {
    const bad = Array.from({ length: 9 }, (_, index) => `bad${index}`)
    const { issues } =
      await checkSpfZone(`acme.test. TXT "v=spf1 ${bad.join(' ')}" " ${'y'.repeat(250)}" \
      "${'y'.repeat(250)}" " -all"`)
    expect(issues[0]).toMatchObject({
      id: 'spf.syntax',
      title: '"bad0", "bad1", "bad2", "bad3", "bad4", "bad5", and 4 more aren’t valid SPF',
      fix: expect.stringContaining('"bad5", and 4 more in the SPF record at acme.test'),
    })
    expect(issues[0]?.detail.match(/\(byte/g)).toHaveLength(6)
  })
})

describe('record of type 99', () => {
  test('is reported as a leftover beside the TXT record', async () => {
    const { report, issues } = await checkSpfZone(
      'acme.test. TXT "v=spf1 -all"\nacme.test. SPF "v=spf1 mx"',
    )
    expect(report.status).toBe('pass')
    expect(issues).toMatchObject([
      {
        id: 'spf.type-99',
        severity: 'info',
        fix: expect.stringMatching(
          /Keep the TXT record, and delete the one with the type SPF \(99\)\.$/,
        ),
        evidence: [{ name: 'acme.test', type: 'SPF', value: 'v=spf1 mx' }],
      },
    ])
  })

  test('alone counts as no record and gives the text to publish', async () => {
    const { report, issues } = await checkSpfZone('acme.test. SPF "v=spf1 mx -all"')
    expect(report).toMatchObject({ status: 'fail', record: null, records: [] })
    expect(issues).toMatchObject([
      {
        id: 'spf.missing',
        fix: expect.stringContaining(`"acme.test TXT v=spf1 mx ~all". ${SOFT_FAIL}`),
      },
      {
        id: 'spf.type-99',
        fix: 'Publish the SPF record as a TXT record at acme.test. Delete the one with the type SPF (99).',
      },
    ])
  })
})
