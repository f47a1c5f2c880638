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

const SILENT = { mx: 'acme.test. MX 0 .\n', ...withSpf('v=spf1 -all'), dkim: '' }
const NO_RUA = { dmarc: '_dmarc.acme.test. TXT "v=DMARC1; p=reject"\n' }
const NONE_PROVABLE = { dkim: '*.acme.test. A 192.0.2.9\n' }
const GOOGLE_SPF = '_spf.google.com. TXT "v=spf1 ip4:192.0.2.96/28 ~all"'
const GOOGLE = {
  mx: 'acme.test. MX 1 smtp.google.com.\nsmtp.google.com. A 192.0.2.101\n',
  spf: `
    acme.test.       TXT "v=spf1 include:_spf.google.com ~all"
    _spf.google.com. TXT "v=spf1 ip4:192.0.2.96/28 ~all"
  `,
  dkim: keyZoneLine('google'),
}

/** The columns: score, grade, profile, spoofable. */
describe('score', () => {
  test.each([
    ['-all, null MX, p=reject with rua', '100 A non-sending no', { ...SILENT }],
    ['-all, null MX, p=reject without rua', '95 A non-sending no', { ...SILENT, ...NO_RUA }],
    ['Google, p=none', '66 D sending yes', { ...GOOGLE, ...withDmarc('p=none') }],
    ['Google, p=quarantine', '94 A sending partly', { ...GOOGLE, ...withDmarc('p=quarantine') }],
    ['Google, p=reject', '100 A sending no', { ...GOOGLE }],
    ['Google, sp=none', '88 B sending partly', { ...GOOGLE, ...withDmarc('p=reject; sp=none') }],
    ['Google, no DMARC', '57 F sending yes', { ...GOOGLE, dmarc: '' }],
    [
      'Google is not authorized',
      '88 B sending no',
      { ...GOOGLE, spf: `${withSpf('v=spf1 mx -all').spf}\n${GOOGLE_SPF}` },
    ],
    [
      'Google, SPF with a mistyped host, no DKIM',
      '56 F sending no',
      { ...GOOGLE, spf: `${withSpf('v=spf1 a:mial.acme.test -all').spf}\n${GOOGLE_SPF}`, dkim: '' },
    ],
    ['+all, p=reject, 2048 bits', '42 F sending yes', { ...withSpf('v=spf1 +all') }],
    [
      '~all, p=quarantine, nothing provable of DKIM',
      '81 B sending partly',
      { ...withSpf('v=spf1 mx ~all'), ...withDmarc('p=quarantine'), ...NONE_PROVABLE },
    ],
    [
      'nothing but an A record',
      '3 F sending yes',
      { mx: 'acme.test. A 192.0.2.1\n', spf: '', dmarc: '', dkim: '' },
    ],
  ])('%s: %s', async (_, expected, changes) => {
    const { score, grade, profile, spoofable } = await scoreFromZone(fullScoreZone(changes))
    expect(`${score} ${grade} ${profile} ${spoofable}`).toBe(expected)
  })

  test('a name with an address below an enforced policy is covered', async () => {
    const report = await scoreFromZone(`${fullScoreZone({})}\nwww.acme.test. A 192.0.2.80`, {
      domain: 'www.acme.test',
    })
    expect(report).toMatchObject({ score: 92, grade: 'A', profile: 'covered', spoofable: 'no' })
  })

  const SHA1 = { dkim: keyZoneLine('default', `h=sha1; p=${SPKI[2048]}`) }
  const SHORT = { dkim: keyZoneLine('default', `p=${SPKI[1024]}`) }
  const TESTING = { dkim: keyZoneLine('default', `t=y; p=${SPKI[2048]}`) }
  const NEUTRAL = withSpf('v=spf1 ip4:192.0.2.1 ?all')
  test.each([
    [90, 'A', { ...SHORT, dmarc: txtZoneLine('_dmarc.acme.test', 'v=DMARC1; p=reject') }],
    [89, 'B', { ...SHORT, ...withDmarc('p=reject'), ...withSpf('v=spf1 ip4:192.0.0.0/15 -all') }],
    [80, 'B', { ...withDmarc('p=reject; sp=none'), ...TESTING }],
    [79, 'C', { ...withDmarc('p=quarantine'), ...NEUTRAL }],
    [70, 'C', { ...SHA1, ...NEUTRAL }],
    [69, 'D', { ...SHA1, ...NEUTRAL, ...withDmarc('p=reject; np=none') }],
    [60, 'D', { dmarc: '' }],
    [57, 'F', { dmarc: '', ...withSpf('v=spf1 ptr -all') }],
  ])('%i points is graded %s', async (score, grade, changes) => {
    const report = await scoreFromZone(fullScoreZone(changes))
    expect([report.score, report.grade]).toEqual([score, grade])
  })
})

describe('range', () => {
  test('spans the scores without and with a DKIM key', async () => {
    const changes = { ...withSpf('v=spf1 mx ~all'), ...withDmarc('p=quarantine'), ...NONE_PROVABLE }
    expect((await scoreFromZone(fullScoreZone(changes))).range).toEqual({ min: 69, max: 94 })
  })

  test('includes the points that p=reject without DKIM costs', async () => {
    const report = await scoreFromZone(fullScoreZone(NONE_PROVABLE))
    expect([report.score, report.range]).toEqual([87, { min: 72, max: 100 }])
  })

  test('spans the same if only revoked keys were found', async () => {
    const report = await scoreFromZone(
      fullScoreZone({ dkim: keyZoneLine('default', 'v=DKIM1; p=') }),
    )
    expect([report.score, report.range]).toEqual([75, { min: 72, max: 100 }])
  })

  test('keeps the deduction for a weak key', async () => {
    const dkim = keyZoneLine('default', `s=other; p=${SPKI[512]}`)
    const report = await scoreFromZone(fullScoreZone({ dkim }))
    expect([report.score, report.range]).toEqual([55, { min: 55, max: 60 }])
  })

  test.each([
    ['present', {}],
    ['absent', { dkim: '' }],
    ['not needed', { ...SILENT, ...NONE_PROVABLE }],
  ])('is a single score if DKIM is %s', async (_, changes) => {
    const { score, range } = await scoreFromZone(fullScoreZone(changes))
    expect(range).toEqual({ min: score, max: score })
  })
})

describe('summary', () => {
  test('says that forged mail is rejected and no points are lost', async () => {
    expect((await scoreFromZone(fullScoreZone({}))).summary).toBe(
      'acme.test scores 100 of 100 (grade A). Receivers refuse forged mail from this domain. It lost no points.',
    )
  })

  test('names the most severe finding, as a check does', async () => {
    expect((await scoreFromZone(fullScoreZone(withDmarc('p=quarantine; sp=none')))).summary).toBe(
      'acme.test scores 82 of 100 (grade B). Some forged mail from this domain still gets through. Fix first: Subdomains of your domain aren’t protected.',
    )
  })

  test('names no fix if no points are lost', async () => {
    const report = await scoreFromZone(fullScoreZone(SILENT))
    expect(report.findings.map(({ id }) => id)).toContain('dmarc.report-target-without-mx')
    expect(report.summary).toBe(
      'acme.test scores 100 of 100 (grade A). Receivers refuse forged mail from this domain. It lost no points.',
    )
  })

  test('has our own words for it, not those of a record', async () => {
    expect((await scoreFromZone(fullScoreZone(withDmarc('p=none')))).summary).toBe(
      'acme.test scores 69 of 100 (grade D). Anyone can send mail as this domain. Fix first: The DMARC policy is “none”, so forged mail can reach the inbox.',
    )
  })

  test('gives the range that depends on unknown DKIM keys', async () => {
    expect((await scoreFromZone(fullScoreZone({ ...NONE_PROVABLE, dmarc: '' }))).summary).toMatch(
      /^acme\.test scores 47 of 100 \(grade F\)\. Some records are unknown, so it could be anywhere from 35 to 60\. Anyone can send mail as this domain\. Fix first: /,
    )
  })
})

describe('findings', () => {
  test('lists the findings of all checks, most severe first', async () => {
    const { findings } = await scoreFromZone(
      fullScoreZone({
        ...withSpf('v=spf1 mx ptr ~all'),
        ...withDmarc('p=none; x=y'),
        mx: 'acme.test. A 192.0.2.1\n',
      }),
    )
    expect(findings.map(({ severity, id }) => `${severity} ${id}`)).toEqual([
      'high dmarc.policy-none',
      'low spf.term-matches-nothing',
      'low spf.ptr',
      'low mx.implicit',
      'info spf.softfail-without-dmarc',
      'info dmarc.unknown-tags',
    ])
  })
})

describe('failed lookup', () => {
  const run = (question: string) =>
    runScore(fullScoreZone({}), { failing: { [question]: 'servfail' } })

  test.each(['MX acme.test', 'TXT acme.test', 'TXT _dmarc.acme.test'])(
    '%s, there is no score',
    async (question) => {
      const [type, name] = question.split(' ')
      expect((await run(question)).checked).toMatchObject({
        kind: 'unavailable',
        query: { name, type },
      })
    },
  )

  test.each(['TXT google._domainkey.acme.test', 'A mx.acme.test'])(
    'of %s deducts nothing',
    async (question) => {
      expect((await run(question)).checked).toMatchObject({
        kind: 'report',
        report: { score: 100 },
      })
    },
  )

  test('sends no transport queries', async () => {
    const { checked, queries } = await run('TXT _mta-sts.acme.test')
    expect(checked).toMatchObject({ kind: 'report', report: { score: 100 } })
    expect(queries).not.toContain('TXT _mta-sts.acme.test')
  })

  test('returns unknown-domain for a domain that does not exist', async () => {
    expect((await runScore('other.test. MX 0 .')).checked).toEqual({ kind: 'unknown-domain' })
  })
})

test('returns the Unicode form of an internationalized domain', async () => {
  const report = await scoreFromZone('xn--mller-kva.test. MX 0 .', { domain: 'xn--mller-kva.test' })
  expect(report).toMatchObject({ domain: 'xn--mller-kva.test', unicodeDomain: 'müller.test' })
})
