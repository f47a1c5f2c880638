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
const GOOGLE = {
  mx: 'acme.test. MX 1 smtp.google.com.\nsmtp.google.com. A 192.0.2.101\n',
  spf: `
    acme.test.       TXT "v=spf1 include:_spf.google.com ~all"
    _spf.google.com. TXT "v=spf1 ip4:192.0.2.96/28 ~all"
  `,
  dkim: keyZoneLine('google'),
}

describe('the score of', () => {
  test.each([
    ['-all, null MX, p=reject with rua', 100, 'A', { ...SILENT }],
    ['-all, null MX, p=reject without rua', 95, 'A', { ...SILENT, ...NO_RUA }],
    ['Google, ~all, 2048 bits, p=none', 71, 'C', { ...GOOGLE, ...withDmarc('p=none') }],
    ['Google, ~all, 2048 bits, p=quarantine', 94, 'A', { ...GOOGLE, ...withDmarc('p=quarantine') }],
    ['Google, ~all, 2048 bits, p=reject', 100, 'A', { ...GOOGLE }],
    ['Google, ~all, 2048 bits, no DMARC', 57, 'F', { ...GOOGLE, dmarc: '' }],
    ['+all, p=reject, 2048 bits', 42, 'F', { ...withSpf('v=spf1 +all') }],
    [
      '~all, p=quarantine, nothing provable of DKIM',
      81,
      'B',
      { ...withSpf('v=spf1 mx ~all'), ...withDmarc('p=quarantine'), ...NONE_PROVABLE },
    ],
    [
      'nothing but an A record',
      3,
      'F',
      { mx: 'acme.test. A 192.0.2.1\n', spf: '', dmarc: '', dkim: '' },
    ],
  ])('%s is %i, %s', async (_, score, grade, changes) => {
    const report = await scoreFromZone(fullScoreZone(changes))
    expect([report.score, report.grade]).toEqual([score, grade])
  })

  const SHA1 = { dkim: keyZoneLine('default', `h=sha1; p=${SPKI[2048]}`) }
  const TESTING = { dkim: keyZoneLine('default', `t=y; p=${SPKI[2048]}`) }
  const NEUTRAL = withSpf('v=spf1 ip4:192.0.2.1 ?all')
  test.each([
    [90, 'A', { dmarc: txtZoneLine('_dmarc.acme.test', 'v=DMARC1; p=reject; sp=none') }],
    [89, 'B', { ...withDmarc('p=reject; sp=none'), ...withSpf('v=spf1 ip4:192.0.0.0/15 -all') }],
    [80, 'B', { ...withDmarc('p=quarantine; sp=none'), ...TESTING }],
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

describe('the range', () => {
  test('spans what DKIM may turn out to be', async () => {
    const changes = { ...withSpf('v=spf1 mx ~all'), ...withDmarc('p=quarantine'), ...NONE_PROVABLE }
    expect((await scoreFromZone(fullScoreZone(changes))).range).toEqual({ min: 69, max: 94 })
  })

  test('takes in that rejecting without DKIM costs points as well', async () => {
    const report = await scoreFromZone(fullScoreZone(NONE_PROVABLE))
    expect([report.score, report.range]).toEqual([87, { min: 72, max: 100 }])
  })

  test('spans as much where only revoked keys were found, which say nothing of others', async () => {
    const report = await scoreFromZone(
      fullScoreZone({ dkim: keyZoneLine('default', 'v=DKIM1; p=') }),
    )
    expect([report.score, report.range]).toEqual([75, { min: 72, max: 100 }])
  })

  test('keeps what is known to be wrong: a weak key is a hole even where it is of no use', async () => {
    const dkim = keyZoneLine('default', `s=other; p=${SPKI[512]}`)
    const report = await scoreFromZone(fullScoreZone({ dkim }))
    expect([report.score, report.range]).toEqual([55, { min: 55, max: 60 }])
  })

  test.each([
    ['present', {}],
    ['absent', { dkim: '' }],
    ['not needed', { ...SILENT, ...NONE_PROVABLE }],
  ])('is a point where DKIM is %s', async (_, changes) => {
    const { score, range } = await scoreFromZone(fullScoreZone(changes))
    expect(range).toEqual({ min: score, max: score })
  })
})

describe('the summary', () => {
  test('of a domain in good order', async () => {
    expect((await scoreFromZone(fullScoreZone({}))).summary).toBe(
      'acme.test scores 100 of 100 (grade A), strangers cannot send as this domain, and it loses no points.',
    )
  })

  test('names what gains most', async () => {
    expect((await scoreFromZone(fullScoreZone(withDmarc('p=quarantine; sp=none')))).summary).toBe(
      'acme.test scores 88 of 100 (grade B), strangers are only partly kept from sending as this domain, and the fault to mend first is “Forged mail goes to spam instead of being rejected”.',
    )
  })

  test('does not speak of mending where no points are lost, whatever else was found', async () => {
    const deaf = await scoreFromZone(fullScoreZone(SILENT))
    expect(deaf.findings.map(({ id }) => id)).toContain('dmarc.report-target-without-mx')
    expect(deaf.summary).toBe(
      'acme.test scores 100 of 100 (grade A), strangers cannot send as this domain, and it loses no points.',
    )
  })

  test('keeps the colons of a title apart from its own', async () => {
    expect((await scoreFromZone(fullScoreZone(withDmarc('p=none')))).summary).toBe(
      'acme.test scores 74 of 100 (grade C), strangers can send as this domain, and the fault to mend first is “DMARC policy is "none": forged mail is delivered”.',
    )
  })

  test('says how much depends on what the DNS does not show', async () => {
    expect((await scoreFromZone(fullScoreZone({ ...NONE_PROVABLE, dmarc: '' }))).summary).toMatch(
      /^acme\.test scores 47 of 100 \(grade F, or 35 to 60 depending on DKIM keys that the DNS does not show\), strangers can send as this domain, and the fault to mend first is “No DMARC record/,
    )
  })
})

describe('the findings', () => {
  test('are those of all four checks and of all together, gravest first', async () => {
    const { findings } = await scoreFromZone(
      fullScoreZone({
        ...withSpf('v=spf1 mx ptr ~all'),
        ...withDmarc('p=none; x=y'),
        mx: 'acme.test. A 192.0.2.1\n',
      }),
    )
    expect(findings.map(({ severity, id }) => `${severity} ${id}`)).toEqual([
      'high dmarc.policy-none',
      'low spf.ptr',
      'low spf.softfail-without-dmarc',
      'low mx.implicit',
      'info dmarc.unknown-tags',
    ])
  })
})

describe('when something cannot be looked up', () => {
  const run = (question: string) =>
    runScore(fullScoreZone({}), { failing: { [question]: 'servfail' } })

  test.each(['MX acme.test', 'TXT acme.test', 'A mx.acme.test', 'TXT _dmarc.acme.test'])(
    '%s, there is no score',
    async (question) => {
      const [type, name] = question.split(' ')
      expect((await run(question)).checked).toMatchObject({
        kind: 'unavailable',
        query: { name, type },
      })
    },
  )

  test('a guessed selector, there is one', async () => {
    expect((await run('TXT google._domainkey.acme.test')).checked).toMatchObject({
      kind: 'report',
      report: { score: 100 },
    })
  })

  test('what belongs to transport, nobody has asked', async () => {
    const { checked, asked } = await run('TXT _mta-sts.acme.test')
    expect(checked).toMatchObject({ kind: 'report', report: { score: 100 } })
    expect(asked).not.toContain('TXT _mta-sts.acme.test')
  })

  test('a domain that does not exist is unknown', async () => {
    expect((await runScore('other.test. MX 0 .')).checked).toEqual({ kind: 'unknown-domain' })
  })
})

test('an internationalised domain is shown as people write it, too', async () => {
  const report = await scoreFromZone('xn--mller-kva.test. MX 0 .', { domain: 'xn--mller-kva.test' })
  expect(report).toMatchObject({ domain: 'xn--mller-kva.test', unicodeDomain: 'müller.test' })
})
