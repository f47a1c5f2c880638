import { createReportDns } from '@mailgrade/doh'
import type { Dns } from '@mailgrade/doh/dns'
import { SPKI } from '@mailgrade/testing/dkim-keys'
import { describe, expect, test } from 'vitest'
import { keyZoneLine, txtZoneLine } from '../../../test/support/dkim-fixture.js'
import {
  fullScoreZone,
  runScore,
  scoreFromZone,
  withDmarc,
  withSpf,
} from '../../../test/support/score-fixture.js'

const fixes = async (zone: string, domain?: string) =>
  (await scoreFromZone(zone, domain === undefined ? {} : { domain })).topFixes

const brief = async (zone: string) =>
  (await fixes(zone)).map(({ id, pointsGained }) => `${id} ${pointsGained}`)

describe('top fixes', () => {
  test('are empty if no points are lost', async () => {
    expect(await fixes(fullScoreZone({}))).toEqual([])
  })

  test('give the problem, the action and the record', async () => {
    expect(await fixes(fullScoreZone(withDmarc('p=quarantine')))).toEqual([
      {
        rank: 1,
        id: 'dmarc.policy-quarantine',
        component: 'dmarc',
        title: 'Forged mail goes to spam instead of being rejected',
        action:
          'When the reports show that your own mail passes, publish at _dmarc.acme.test: "v=DMARC1; p=reject; rua=mailto:d@acme.test"',
        record: {
          type: 'TXT',
          name: '_dmarc.acme.test',
          value: 'v=DMARC1; p=reject; rua=mailto:d@acme.test',
        },
        pointsGained: 6,
      },
    ])
  })

  test('are at most three, sorted by points, then SPF, DKIM, DMARC, MX', async () => {
    const zone = fullScoreZone({
      mx: 'acme.test. A 192.0.2.1\n',
      ...withSpf('v=spf1 ip4:192.0.0.0/15 ptr -all'),
      ...withDmarc('p=quarantine'),
      dkim: keyZoneLine('default', `p=${SPKI[1024]}`),
    })
    expect(await brief(zone)).toEqual([
      'dkim.short-key 6',
      'dmarc.policy-quarantine 6',
      'spf.wide-range 5',
    ])
  })

  test('include the soft fail finding that an enforced policy removes', async () => {
    const softfail = withSpf('v=spf1 mx ~all')
    expect(await brief(fullScoreZone({ ...softfail, ...withDmarc('p=none') }))).toEqual([
      'dmarc.policy-none 23',
    ])
    expect(await brief(fullScoreZone({ ...softfail, ...withDmarc('p=quarantine; t=y') }))).toEqual([
      'dmarc.testing 23',
      'dmarc.policy-quarantine 6',
    ])
  })

  test('count only what the record itself gains', async () => {
    expect(await brief(fullScoreZone({ dmarc: '' }))).toEqual(['dmarc.missing 14'])
    expect(await brief(fullScoreZone(withDmarc('p=none; sp=none')))).toEqual([
      'dmarc.policy-none 20',
    ])
    expect(await brief(fullScoreZone({ ...withDmarc('p=none'), dkim: '' }))).toEqual([
      'dkim.missing 25',
      'dmarc.policy-none 20',
    ])
    expect(await brief(fullScoreZone(withDmarc('p=none; t=y')))).toEqual(['dmarc.policy-none 20'])
  })

  test('include the p=reject finding that a DKIM key removes', async () => {
    expect(await brief(fullScoreZone({ dkim: '' }))).toEqual(['dkim.missing 28'])
  })

  test('include the points that a cap takes', async () => {
    expect(await brief(fullScoreZone(withSpf('v=spf1 +all')))).toEqual(['spf.allows-everyone 58'])
    const weak = { dkim: keyZoneLine('default', `p=${SPKI[512]}`) }
    expect(await brief(fullScoreZone(weak))).toEqual(['dkim.weak-key 40'])
    // One alone does not lift DMARC above what the other allows.
    expect(await brief(fullScoreZone({ ...weak, ...withSpf('v=spf1 +all') }))).toEqual([
      'spf.allows-everyone 38',
      'dkim.weak-key 38',
    ])
  })

  test('gain DKIM points too for a non-sending domain', async () => {
    const silent = { mx: 'acme.test. MX 0 .\n', dkim: '' }
    expect(await brief(fullScoreZone({ ...silent, spf: '', dmarc: '' }))).toEqual([
      'dmarc.missing 49',
      'spf.missing 41',
    ])
  })

  test('count the cost of a finding if another one holds its points back', async () => {
    const zone = fullScoreZone(withSpf('v=spf1 ipv4:192.0.2.1 include:acme.test -all'))
    expect(await brief(zone)).toEqual(['spf.syntax 25'])
  })
})

describe('records of several fixes', () => {
  const records = async (zone: string) =>
    (await fixes(zone)).map(({ id, pointsGained, record }) => [id, pointsGained, record?.value])

  test('each include the changes of the earlier ones', async () => {
    expect(await records(fullScoreZone(withDmarc('p=reject; sp=none; np=none')))).toEqual([
      ['dmarc.subdomains-open', 6, 'v=DMARC1; p=reject; np=none; rua=mailto:d@acme.test'],
      ['dmarc.nonexistent-weaker', 1, 'v=DMARC1; p=reject; np=reject; rua=mailto:d@acme.test'],
    ])
  })

  test('add a report address before a stricter policy', async () => {
    const none = { dmarc: txtZoneLine('_dmarc.acme.test', 'v=DMARC1; p=none') }
    const [fix, ...others] = await fixes(fullScoreZone(none))
    expect(others).toEqual([])
    expect(fix).toMatchObject({
      id: 'dmarc.policy-none',
      action:
        'You get no reports yet, and only they show whether your own mail passes. First publish at _dmarc.acme.test: "v=DMARC1; p=none; rua=mailto:dmarc@acme.test". Use this mailbox or another one that you read. When the reports show that your mail passes, move to p=quarantine, and a few weeks later to p=reject.',
      record: { value: 'v=DMARC1; p=none; rua=mailto:dmarc@acme.test' },
      pointsGained: 4,
    })
  })

  test.each([
    ['p=quarantine', 'v=DMARC1; p=quarantine; rua=mailto:dmarc@acme.test'],
    ['p=reject; t=y', 'v=DMARC1; p=reject; t=y; rua=mailto:dmarc@acme.test'],
    ['p=reject; pct=50', 'v=DMARC1; p=reject; pct=50; rua=mailto:dmarc@acme.test'],
  ])('keep %s until then', async (tags, value) => {
    const zone = fullScoreZone({ dmarc: txtZoneLine('_dmarc.acme.test', `v=DMARC1; ${tags}`) })
    const [[, gained, text] = []] = await records(zone)
    expect([gained, text]).toEqual([4, value])
  })

  test('do not undo a fix without a record in the same component', async () => {
    const zone = fullScoreZone({
      spf: `
        acme.test.   TXT "v=spf1 ip4:192.0.0.0/15 include:s.acme.test include:s.acme.test -all"
        s.acme.test. TXT "v=spf1 ip4:192.0.2.9 -all"
      `,
    })
    expect(await brief(zone)).toEqual(['spf.wide-range 5'])
  })

  test('are left out if they gain more than the fix before', async () => {
    const zone = fullScoreZone({ ...withSpf('v=spf1 -all', 'v=spf1  -all'), dmarc: '', dkim: '' })
    expect(await records(zone)).toEqual([
      ['spf.multiple-records', 36, 'v=spf1 -all'],
      ['dmarc.missing', 36, undefined],
    ])
  })

  test('are measured even if a report destination cannot be looked up', async () => {
    const zone = `${fullScoreZone({ dmarc: '' })}m.acme.test. MX 10 mx.acme.test.`
    const failing = { 'MX acme.test': 'servfail' } as const
    const { topFixes } = await scoreFromZone(zone, { domain: 'm.acme.test', failing })
    expect(topFixes.map(({ id, pointsGained }) => `${id} ${pointsGained}`)).toContain(
      'dmarc.missing 14',
    )
  })
})

describe('fix for an unknown DKIM key', () => {
  test('gains the points of a good key', async () => {
    const zone = fullScoreZone({
      mx: 'acme.test. MX 1 smtp.google.com.\nsmtp.google.com. A 192.0.2.101\n',
      dkim: '*.acme.test. A 192.0.2.9\n',
    })
    const { score, range, topFixes } = await scoreFromZone(zone)
    expect(topFixes).toMatchObject([
      {
        id: 'dkim.unknown',
        action:
          'If mail is not signed yet, turn on DKIM signing for acme.test at Google Workspace and publish the record that it shows. If it is, check its key with /v1/dkim?domain=acme.test&selector=<selector>; the selector is the s= tag in the DKIM-Signature header of a message that the domain sent.',
        pointsGained: range.max - score,
      },
    ])
  })
})

test('sends no DNS query twice', async () => {
  const dns: string[] = []
  const through = (inner: Dns): Dns => {
    const lookup = createReportDns(inner, { deadlineMs: 5_000 })
    const ask: Dns['query'] = (name, type) => {
      dns.push(`${type} ${name}`)
      return lookup.query(name, type)
    }
    return { query: ask }
  }
  const { queries } = await runScore(fullScoreZone({ ...withSpf('v=spf1 mx ?all'), dkim: '' }), {
    through,
  })
  expect(dns.length).toBeGreaterThan(queries.length)
  expect(queries.filter((each) => each.includes('made-up'))).toHaveLength(2)
})

describe('record of a fix', () => {
  const recordFor = async (id: string, zone: string, domain?: string) => {
    const fix = (await fixes(zone, domain)).find((each) => each.id === id)
    if (!fix) throw new Error(`no fix for ${id}`)
    return fix.record && `${fix.record.name} ${fix.record.type} ${fix.record.value}`
  }
  const NULL_MX = { mx: 'acme.test. MX 0 .\n', dkim: '' }
  const RUA = 'rua=mailto:d@acme.test'

  test.each([
    [
      'dmarc.missing',
      '_dmarc.acme.test TXT v=DMARC1; p=none; rua=mailto:dmarc@acme.test',
      { dmarc: '' },
    ],
    [
      'dmarc.missing',
      '_dmarc.acme.test TXT v=DMARC1; p=none; adkim=s; rua=mailto:dmarc@acme.test',
      { dmarc: txtZoneLine('_dmarc.acme.test', 'v=DMARC1; adkim=s') },
    ],
    [
      'dmarc.missing',
      `_dmarc.acme.test TXT v=DMARC1; p=none; ${RUA}`,
      { dmarc: txtZoneLine('_dmarc.acme.test', `v=dmarc1; p=none; ${RUA}`) },
    ],
    [
      'dmarc.policy-none',
      `_dmarc.acme.test TXT v=DMARC1; p=quarantine; ${RUA}`,
      withDmarc('p=none'),
    ],
    [
      'dmarc.testing',
      `_dmarc.acme.test TXT v=DMARC1; p=reject; ${RUA}`,
      withDmarc('p=reject; t=y'),
    ],
    [
      'dmarc.partial',
      `_dmarc.acme.test TXT v=DMARC1; p=reject; ${RUA}`,
      withDmarc('p=reject; pct=1'),
    ],
    [
      'dmarc.subdomains-open',
      `_dmarc.acme.test TXT v=DMARC1; p=reject; ${RUA}`,
      withDmarc('p=reject; sp=none'),
    ],
    [
      'dmarc.nonexistent-weaker',
      `_dmarc.acme.test TXT v=DMARC1; p=reject; np=reject; ${RUA}`,
      withDmarc('p=reject; np=none'),
    ],
    [
      'dmarc.bad-tags',
      `_dmarc.acme.test TXT v=DMARC1; p=reject; ${RUA}`,
      withDmarc('p=reject; aspf=x'),
    ],
    [
      'dmarc.no-reports',
      '_dmarc.acme.test TXT v=DMARC1; p=reject; rua=mailto:dmarc@acme.test',
      { dmarc: txtZoneLine('_dmarc.acme.test', 'v=DMARC1; p=reject') },
    ],
    ['spf.neutral-all', 'acme.test TXT v=spf1 mx ~all', withSpf('v=spf1 mx ?all')],
    ['spf.no-all', 'acme.test TXT v=spf1 mx ~all', withSpf('v=spf1 mx ')],
    ['spf.neutral-all', 'acme.test TXT v=spf1 -all', { ...NULL_MX, ...withSpf('v=spf1 ?all') }],
    ['spf.no-all', 'acme.test TXT v=spf1 -all', { ...NULL_MX, ...withSpf('v=spf1') }],
    ['spf.neutral-all', 'acme.test TXT v=spf1 -all', { mx: '', ...withSpf('v=spf1 ?all') }],
    ['spf.neutral-all', 'acme.test TXT v=spf1 ~all', withSpf('v=spf1 ?all')],
    [
      'spf.multiple-records',
      'acme.test TXT v=spf1 mx a -all',
      withSpf('v=spf1 mx -all', 'v=spf1 a -all'),
    ],
    ['spf.multiple-records', 'acme.test TXT v=spf1 -all', withSpf('v=spf1 -all', 'v=spf1  -all')],
    [
      'spf.duplicate-include',
      'acme.test TXT v=spf1 include:_spf.google.com mx -all',
      {
        spf: `
          acme.test.       TXT "v=spf1 include:_spf.google.com mx ?include:_spf.google.com -all"
          _spf.google.com. TXT "v=spf1 ip4:192.0.2.96/28 ~all"
        `,
      },
    ],
    ['spf.missing', 'acme.test TXT v=spf1 mx -all', withSpf('v=spf1; mx -all')],
    ['spf.missing', 'acme.test TXT v=spf1 -all', { ...NULL_MX, spf: '' }],
    [
      'dmarc.missing',
      '_dmarc.acme.test TXT v=DMARC1; p=reject',
      { ...NULL_MX, ...withSpf('v=spf1 -all'), dmarc: '' },
    ],
    [
      'mx.implicit',
      'acme.test MX 0 .',
      { mx: 'acme.test. A 192.0.2.1\n', ...withSpf('v=spf1 -all'), dmarc: '' },
    ],
  ])('for %s is %s', async (id, record, changes) => {
    expect(await recordFor(id, fullScoreZone(changes))).toBe(record)
  })

  test.each([
    ['that names the senders', 'spf.missing', { spf: '' }],
    ['that would allow every server', 'spf.missing', withSpf('v=spf1; +all')],
    ['that leads we do not know where', 'spf.missing', withSpf('v=spf1; include:x.test -all')],
    ['that contradicts a null MX', 'spf.missing', { ...NULL_MX, ...withSpf('v=spf1; mx -all') }],
    [
      'that would allow every server once it is valid',
      'spf.multiple-records',
      withSpf('v=spf1 ip4:0.0.0.0/0 -all', 'v=spf1 a -all'),
    ],
    [
      'that says more than whom to let send',
      'spf.multiple-records',
      withSpf('v=spf1 exp=x.test -all', 'v=spf1 a -all'),
    ],
    ['with the servers that really send', 'spf.allows-everyone', withSpf('v=spf1 +all')],
    ['with a key that only the service knows', 'dkim.missing', { dkim: '' }],
    [
      'with a policy that no receiver has applied so far',
      'dmarc.missing',
      { dmarc: txtZoneLine('_dmarc.acme.test', 'v=dmarc1; p=reject') },
    ],
    ['with a policy that only the owner knows', 'dmarc.policy-none', withDmarc('p=reject; p=none')],
    [
      'with a mailbox that receives mail',
      'dmarc.no-reports',
      {
        ...NULL_MX,
        ...withSpf('v=spf1 -all'),
        dmarc: txtZoneLine('_dmarc.acme.test', 'v=DMARC1; p=reject'),
      },
    ],
    ['with mail servers', 'mx.implicit', { mx: 'acme.test. A 192.0.2.1\n' }],
    [
      'that shuts out the reports that go there',
      'mx.implicit',
      { mx: 'acme.test. A 192.0.2.1\n', ...withSpf('v=spf1 -all') },
    ],
  ])('has no record for %s (%s)', async (_, id, changes) => {
    expect(await recordFor(id, fullScoreZone(changes))).toBeNull()
  })

  test('replaces the record at its own name, also at the parent domain', async () => {
    const zone = `${fullScoreZone(withDmarc('p=none'))}team.acme.test. MX 10 mx.acme.test.`
    expect(await recordFor('dmarc.policy-none', zone, 'team.acme.test')).toBe(
      `_dmarc.acme.test TXT v=DMARC1; p=quarantine; ${RUA}`,
    )
  })

  test('is quoted in the action', async () => {
    const zones = [
      fullScoreZone({ ...NULL_MX, spf: '', dmarc: '' }),
      fullScoreZone({ spf: '', dmarc: '' }),
      fullScoreZone({ ...NULL_MX, spf: '', dmarc: '_dmarc.acme.test. CNAME gone.test.' }),
    ]
    for (const { action, record } of (await Promise.all(zones.map((zone) => fixes(zone)))).flat()) {
      if (record) expect(action).toContain(record.value)
    }
  })
})
