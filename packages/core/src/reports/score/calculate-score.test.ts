/** What each finding costs: one small zone for each. */

import { ED25519, SPKI } from '@mailgrade/testing/dkim-keys'
import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { describe, expect, test } from 'vitest'
import { GOOD_KEY_RECORD, keyZoneLine, txtZoneLine } from '../../../test/support/dkim-fixture.js'
import {
  fullScoreZone,
  scoreFromZone,
  withDmarc,
  withSpf,
} from '../../../test/support/score-fixture.js'
import { FINDING_FACTS, type FindingId } from '../../catalog/findings.js'
import type { Finding } from '../../checks/finding.js'
import type { DomainName } from '../../names/domain-name.js'
import { runChecks } from '../check/run-checks.js'
import { calculateScore } from './calculate-score.js'
import type { ScoreComponentName } from './score-components.js'

type Changes = Parameters<typeof fullScoreZone>[0]

async function lost(name: ScoreComponentName, changes: Changes, more = '') {
  const { components, findings } = await scoreFromZone(`${fullScoreZone(changes)}\n${more}`)
  const { points, deductions } = components[name]
  const ids = new Set(findings.map(({ id }) => id))
  expect(deductions.filter(({ id }) => !ids.has(id))).toEqual([])
  return { points, lines: deductions.map(({ id, points: each }) => `${id} ${each}`) }
}

const many = (count: number, term: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => term(index)).join(' ')
const LONG = (octets: number) => {
  const terms = `v=spf1 ${many(25, (index) => `ip4:192.0.2.${index}`)}`
  return `${terms.padEnd(octets - 5)} -all`
}
const HOSTS = Array.from({ length: 11 }, (_, index) => `h${index}.acme.test. A 192.0.2.1`).join(
  '\n',
)
const hosts = (count: number) => many(count, (index) => `a:h${index}.acme.test`)

describe('SPF', () => {
  test.each<[string, number, string[], Changes]>([
    ['no record', 0, ['spf.missing 30'], { spf: '' }],
    ['a syntax error', 5, ['spf.syntax 25'], withSpf('v=spf1 ipv4:192.0.2.1 -all')],
    ['two records', 5, ['spf.multiple-records 25'], withSpf('v=spf1 mx -all', 'v=spf1 a -all')],
    [
      'an empty include',
      5,
      ['spf.include-without-record 25'],
      withSpf('v=spf1 mx include:gone.test -all'),
    ],
    ['a loop', 5, ['spf.loop 25'], withSpf('v=spf1 mx include:acme.test -all')],
    ['11 lookups', 10, ['spf.too-many-lookups 20'], withSpf(`v=spf1 ${hosts(11)} -all`)],
    [
      'a syntax error and 11 lookups',
      5,
      ['spf.syntax 25'],
      withSpf(`v=spf1 ${hosts(11)} foo:x -all`),
    ],
    ['+all', 2, ['spf.allows-everyone 28'], withSpf('v=spf1 +all')],
    ['a range of /0', 2, ['spf.allows-everyone 28'], withSpf('v=spf1 ip4:0.0.0.0/0 -all')],
    ['?all', 15, ['spf.neutral-all 15'], withSpf('v=spf1 mx ?all')],
    ['no all', 15, ['spf.no-all 15'], withSpf('v=spf1 mx')],
    ['~all under reject', 30, [], withSpf('v=spf1 mx ~all')],
    [
      '~all under none',
      27,
      ['spf.softfail-without-dmarc 3'],
      { ...withSpf('v=spf1 mx ~all'), ...withDmarc('p=none') },
    ],
    [
      '3 void lookups',
      10,
      ['spf.void-lookups 20'],
      withSpf('v=spf1 mx a:x.test a:y.test a:z.test -all'),
    ],
    [
      'an exists that any server satisfies',
      20,
      ['spf.open-local-part 10'],
      withSpf('v=spf1 exists:%{l}.users.acme.test -all'),
    ],
    ['a range of /15', 25, ['spf.wide-range 5'], withSpf('v=spf1 ip4:192.0.0.0/15 -all')],
    ['an IPv6 range of /31', 25, ['spf.wide-range 5'], withSpf('v=spf1 ip6:2001:db8::/31 -all')],
    ['ptr', 27, ['spf.ptr 3'], withSpf('v=spf1 ptr -all')],
    ['10 lookups', 28, ['spf.at-lookup-limit 2'], withSpf(`v=spf1 ${hosts(10)} -all`)],
    ['450 octets', 30, [], withSpf(LONG(450))],
    ['451 octets', 29, ['spf.long-record 1'], withSpf(LONG(451))],
    ['512 octets', 29, ['spf.long-record 1'], withSpf(LONG(512))],
    ['513 octets', 28, ['spf.long-record 2'], withSpf(LONG(513))],
    [
      'a duplicate include',
      29,
      ['spf.duplicate-include 1'],
      withSpf('v=spf1 include:s.acme.test include:s.acme.test -all'),
    ],
    [
      'several faults',
      9,
      ['spf.no-all 15', 'spf.ptr 3', 'spf.at-lookup-limit 2', 'spf.duplicate-include 1'],
      withSpf(`v=spf1 ptr include:s.acme.test include:s.acme.test ${hosts(7)}`),
    ],
  ])('%s: %i points', async (_, points, lines, changes) => {
    const more = `${HOSTS}\n${txtZoneLine('s.acme.test', 'v=spf1 ip4:192.0.2.9 -all')}`
    const withIPv6 = HOSTS.replaceAll('A 192.0.2.1', 'AAAA 2001:db8::1')
    expect(await lost('spf', changes, `${more}${withIPv6}`)).toEqual({ points, lines })
  })

  test('counts too many mail servers behind "mx" as a permanent error', async () => {
    const servers = Array.from({ length: 11 }, (_, index) => `big.test. MX ${index} mx.acme.test.`)
    expect(await lost('spf', withSpf('v=spf1 mx:big.test -all'), servers.join('\n'))).toEqual({
      points: 5,
      lines: ['spf.mx-limit 25'],
    })
  })
})

describe('DMARC', () => {
  const WEAK = { dkim: keyZoneLine('default', `v=DKIM1; p=${SPKI[768]}`) }

  test.each<[string, number, string[], Changes]>([
    ['no record', 0, ['dmarc.missing 40'], { dmarc: '' }],
    [
      'two records and no other',
      0,
      ['dmarc.missing 40'],
      { dmarc: `${withDmarc('p=none').dmarc}${withDmarc('p=reject').dmarc}` },
    ],
    ['reject', 40, [], {}],
    ['quarantine', 34, ['dmarc.policy-quarantine 6'], withDmarc('p=quarantine')],
    ['none', 9, ['dmarc.policy-none 31'], withDmarc('p=none')],
    ['none in test mode', 9, ['dmarc.policy-none 31'], withDmarc('p=none; t=y; pct=5')],
    ['reject in test mode', 34, ['dmarc.testing 6'], withDmarc('p=reject; t=y')],
    [
      'quarantine in test mode',
      9,
      ['dmarc.policy-quarantine 6', 'dmarc.testing 25'],
      withDmarc('p=quarantine; t=y'),
    ],
    ['reject for 50 %', 37, ['dmarc.partial 3'], withDmarc('p=reject; pct=50')],
    ['reject for 0 %', 34, ['dmarc.partial 6'], withDmarc('p=reject; pct=0')],
    [
      'quarantine for 33 %',
      17,
      ['dmarc.policy-quarantine 6', 'dmarc.partial 17'],
      withDmarc('p=quarantine; pct=33'),
    ],
    [
      'quarantine for 99 %, which is none less to the nearest point',
      34,
      ['dmarc.policy-quarantine 6'],
      withDmarc('p=quarantine; pct=99'),
    ],
    [
      'reject in test mode and for 10 %',
      34,
      ['dmarc.testing 6'],
      withDmarc('p=reject; t=y; pct=10'),
    ],
    [
      'no rua',
      36,
      ['dmarc.no-reports 4'],
      { dmarc: txtZoneLine('_dmarc.acme.test', 'v=DMARC1; p=reject') },
    ],
    [
      'a rua that has not agreed',
      36,
      ['dmarc.no-reports 4'],
      { dmarc: txtZoneLine('_dmarc.acme.test', 'v=DMARC1; p=reject; rua=mailto:d@other.example') },
    ],
    ['sp=none', 28, ['dmarc.subdomains-open 12'], withDmarc('p=reject; sp=none')],
    [
      'sp=none under quarantine',
      22,
      ['dmarc.policy-quarantine 6', 'dmarc.subdomains-open 12'],
      withDmarc('p=quarantine; sp=none'),
    ],
    ['sp=none under none', 9, ['dmarc.policy-none 31'], withDmarc('p=none; sp=none')],
    [
      'sp=none where next to nothing is enforced',
      9,
      ['dmarc.policy-quarantine 6', 'dmarc.partial 22', 'dmarc.subdomains-open 3'],
      withDmarc('p=quarantine; sp=none; pct=10'),
    ],
    [
      'sp=none where nothing is enforced',
      9,
      ['dmarc.policy-quarantine 6', 'dmarc.testing 25'],
      withDmarc('p=quarantine; sp=none; np=none; t=y'),
    ],
    ['sp=quarantine', 37, ['dmarc.subdomains-weaker 3'], withDmarc('p=reject; sp=quarantine')],
    ['np=quarantine', 39, ['dmarc.nonexistent-weaker 1'], withDmarc('p=reject; np=quarantine')],
    ['a bad tag', 38, ['dmarc.bad-tags 2'], withDmarc('p=reject; adkim=x')],
    ['an unknown tag', 40, [], withDmarc('p=reject; x=y')],
    ['reject and no DKIM', 37, ['dmarc.reject-without-dkim 3'], { dkim: '' }],
    [
      'quarantine and no DKIM',
      34,
      ['dmarc.policy-quarantine 6'],
      { dkim: '', ...withDmarc('p=quarantine') },
    ],
    ['reject and +all', 10, ['spf.allows-everyone 30'], withSpf('v=spf1 +all')],
    [
      'none and +all',
      9,
      ['dmarc.policy-none 31'],
      { ...withSpf('v=spf1 +all'), ...withDmarc('p=none') },
    ],
    ['no record and +all', 0, ['dmarc.missing 40'], { ...withSpf('v=spf1 +all'), dmarc: '' }],
    ['reject and a key of 768 bits', 20, ['dkim.weak-key 20'], WEAK],
    [
      'none and a key of 768 bits',
      9,
      ['dmarc.policy-none 31'],
      { ...WEAK, ...withDmarc('p=none') },
    ],
    [
      '+all and a key of 768 bits',
      10,
      ['spf.allows-everyone 30'],
      { ...WEAK, ...withSpf('v=spf1 +all') },
    ],
  ])('%s: %i points', async (_, points, lines, changes) => {
    expect(await lost('dmarc', changes)).toEqual({ points, lines })
  })

  const TEAM = `
    team.acme.test. MX 10 mx.acme.test.
    team.acme.test. TXT "v=spf1 mx -all"
    ${keyZoneLine('default', GOOD_KEY_RECORD).replace('acme', 'team.acme')}
  `
  test('deducts nothing for an inherited policy', async () => {
    const { score } = await scoreFromZone(`${fullScoreZone({})}${TEAM}`, {
      domain: 'team.acme.test',
    })
    expect(score).toBe(100)
  })

  test('deducts for several own records although the parent policy applies', async () => {
    const own = `
      _dmarc.team.acme.test. TXT "v=DMARC1; p=none"
      _dmarc.team.acme.test. TXT "v=DMARC1; p=reject"
    `
    const report = await scoreFromZone(`${fullScoreZone({})}${TEAM}${own}`, {
      domain: 'team.acme.test',
    })
    expect(report.components.dmarc).toEqual({
      points: 30,
      max: 40,
      deductions: [{ id: 'dmarc.multiple-records', points: 10 }],
    })
    expect(report.spoofable).toBe('partly')
  })
})

describe('DKIM', () => {
  const record = (bits: keyof typeof SPKI, tags = '') => `v=DKIM1; ${tags}k=rsa; p=${SPKI[bits]}`
  const MALFORMED = keyZoneLine('s1', 'v=DKIM1; k=rsa; p=!!!')

  test.each<[string, number, string[], string]>([
    ['2048 bits', 25, [], keyZoneLine('default')],
    ['4096 bits', 25, [], keyZoneLine('default', record(4096))],
    ['1023 bits', 5, ['dkim.weak-key 20'], keyZoneLine('default', record(1023))],
    [
      '512 bits beside a good key',
      5,
      ['dkim.weak-key 20'],
      keyZoneLine('s1', record(512)) + keyZoneLine('default'),
    ],
    ['1024 bits', 19, ['dkim.short-key 6'], keyZoneLine('default', record(1024))],
    [
      '1536 bits beside a good key',
      19,
      ['dkim.short-key 6'],
      keyZoneLine('s1', record(1536)) + keyZoneLine('default'),
    ],
    [
      'all keys in test mode',
      17,
      ['dkim.testing 8'],
      keyZoneLine('default', record(2048, 't=y; ')),
    ],
    [
      'some in test mode',
      23,
      ['dkim.testing 2'],
      keyZoneLine('s1', record(2048, 't=y; ')) + keyZoneLine('default'),
    ],
    [
      'only Ed25519',
      20,
      ['dkim.ed25519-only 5'],
      keyZoneLine('default', `k=ed25519; p=${ED25519}`),
    ],
    ['only SHA-1', 10, ['dkim.sha1-only 15'], keyZoneLine('default', record(2048, 'h=sha1; '))],
    [
      'a malformed record beside a good key',
      22,
      ['dkim.malformed 3'],
      MALFORMED + keyZoneLine('default'),
    ],
    ['a malformed record alone', 15, ['dkim.unknown-selector 7', 'dkim.malformed 3'], MALFORMED],
    ['an unknown selector', 18, ['dkim.unknown-selector 7'], keyZoneLine('nobody-guesses-this')],
    ['nothing provable', 12, ['dkim.unknown 13'], '*.acme.test. A 192.0.2.9'],
    ['a wildcard’s key', 12, ['dkim.unknown 13'], txtZoneLine('*.acme.test', GOOD_KEY_RECORD)],
    ['no key', 0, ['dkim.missing 25'], ''],
    ['revoked keys only', 0, ['dkim.revoked 25'], keyZoneLine('default', 'v=DKIM1; p=')],
    [
      'more than there is to lose',
      0,
      ['dkim.weak-key 20', 'dkim.sha1-only 5'],
      keyZoneLine('default', record(512, 't=y; h=sha1; ')),
    ],
  ])('%s: %i points', async (_, points, lines, dkim) => {
    expect(await lost('dkim', { dkim })).toEqual({ points, lines })
  })

  test('follows SPF and DMARC for a non-sending domain', async () => {
    const silent = { mx: 'acme.test. MX 0 .\n', dkim: '' }
    const locked = { ...silent, ...withSpf('v=spf1 -all') }
    expect(await lost('dkim', locked)).toEqual({ points: 25, lines: [] })
    expect(await lost('dkim', { ...silent, spf: '' })).toEqual({
      points: 14,
      lines: ['spf.missing 11'],
    })
    expect(await lost('dkim', { ...silent, spf: '', dmarc: '' })).toEqual({
      points: 0,
      lines: ['spf.missing 11', 'dmarc.missing 14'],
    })
    const worse = {
      ...locked,
      dmarc: txtZoneLine('_dmarc.acme.test', 'v=DMARC1; p=quarantine; sp=none'),
    }
    expect(await lost('dkim', worse)).toEqual({
      points: 17,
      lines: ['dmarc.policy-quarantine 2', 'dmarc.subdomains-open 4', 'dmarc.no-reports 2'],
    })
  })
})

describe('MX', () => {
  const gone = 'acme.test. MX 10 gone.acme.test.\n'
  const good = 'acme.test. MX 20 mx.acme.test.\nmx.acme.test. A 192.0.2.1\n'

  test.each<[string, number, string[], Changes]>([
    ['a server with an address', 5, [], {}],
    ['a null MX without senders', 5, [], { mx: 'acme.test. MX 0 .\n', ...withSpf('v=spf1 -all') }],
    ['a null MX with a sender', 3, ['mx.null-but-sending 2'], { mx: 'acme.test. MX 0 .\n' }],
    ['no MX and no address', 2, ['mx.missing 3'], { mx: '' }],
    ['neither, without senders', 5, [], { mx: '', ...withSpf('v=spf1 -all'), dkim: '' }],
    ['only an address', 3, ['mx.implicit 2'], { mx: 'acme.test. A 192.0.2.1\n' }],
    [
      'an alias',
      3,
      ['mx.cname 2'],
      { mx: `acme.test. MX 1 a.acme.test.\na.acme.test. CNAME mx.acme.test.\n${good}` },
    ],
    ['an IP address', 2, ['mx.ip-literal 3'], { mx: `acme.test. MX 1 192.0.2.7.\n${good}` }],
    ['a server without address', 3, ['mx.dangling 2'], { mx: gone + good }],
    ['only servers without address', 0, ['mx.dangling 5'], { mx: gone }],
    ['a null MX beside others', 0, ['mx.null-and-others 5'], { mx: `acme.test. MX 0 .\n${good}` }],
  ])('%s: %i points', async (_, points, lines, changes) => {
    expect(await lost('mx', changes)).toEqual({ points, lines })
  })
})

describe('every finding with points', async () => {
  const zone = zoneDns(fullScoreZone({}))
  const checked = await runChecks(zone, 'acme.test' as DomainName, { randomLabel: () => 'x' })
  if (checked.kind !== 'report') throw new Error('no report')
  const reports = checked.report
  // Its points depend on `pct=`.
  const costly = (Object.keys(FINDING_FACTS) as FindingId[]).filter(
    (id) => FINDING_FACTS[id].points && id !== 'dmarc.partial',
  )

  test.each(costly)('%s', (id) => {
    const name = id.split('.')[0] as ScoreComponentName
    const issues = [{ id } as Finding]
    const { components } = calculateScore({ ...reports, [name]: { ...reports[name], issues } })
    expect(components[name].deductions).toEqual([{ id, points: expect.any(Number) }])
    expect(components[name].points).toBeLessThan(components[name].max)
  })
})
