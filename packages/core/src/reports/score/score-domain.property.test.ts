import { propertyRuns } from '@mailgrade/testing/property-runs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  formatZoneLines,
  RANDOM_ZONE_DOMAIN,
  randomDmarcTags,
  randomZone,
  randomZoneWithoutDmarc,
  replaceRecord,
  txtLine,
  type ZoneLine,
} from '../../../test/support/random-zones.js'
import { scoreFromZone } from '../../../test/support/score-fixture.js'
import { FINDINGS } from '../../catalog/findings.js'
import type { ScoreReport } from './score-report.js'

const scoreIn = (lines: readonly ZoneLine[]) =>
  scoreFromZone(formatZoneLines(lines), { domain: RANDOM_ZONE_DOMAIN })

/** The same zones every time. */
const FIXED = { seed: 9989 } as const
test('adds up all points and names a finding for every lost one', async () => {
  await fc.assert(
    fc.asyncProperty(randomZone, async (lines) => {
      const { score, components, findings, range } = await scoreIn(lines)
      const ids = new Set(findings.map(({ id }) => id))
      for (const { points, max, deductions } of Object.values(components)) {
        expect(points).toBeGreaterThanOrEqual(0)
        expect(deductions.reduce((sum, each) => sum + each.points, points)).toBe(max)
        expect(deductions.filter((each) => each.points < 1 || !ids.has(each.id))).toEqual([])
        expect(new Set(deductions.map(({ id }) => id)).size).toBe(deductions.length)
      }
      expect(Object.values(components).reduce((sum, { points }) => sum + points, 0)).toBe(score)
      expect(Object.values(components).reduce((sum, { max }) => sum + max, 0)).toBe(100)
      expect(range.min).toBeLessThanOrEqual(score)
      expect(range.max).toBeGreaterThanOrEqual(score)
    }),
    { ...FIXED, numRuns: propertyRuns(200) },
  )
})

/** Publishes the records one after the other: no record undoes an earlier one. */
async function expectExactGains(
  lines: readonly ZoneLine[],
  score: number,
  fixes: ScoreReport['topFixes'],
) {
  let [published, reached] = [lines, score]
  for (const { record, pointsGained } of fixes) {
    // Later gains are measured with this fix carried out, and only its owner knows the values.
    if (!record) return
    published = replaceRecord(published, record)
    const next = await scoreIn(published)
    expect(next.score - reached).toBe(pointsGained)
    reached = next.score
  }
}

test('lists at most three fixes in order, and each record gains what it says', async () => {
  await fc.assert(
    fc.asyncProperty(randomZone, async (lines) => {
      const { score, topFixes } = await scoreIn(lines)
      if (score === 100) expect(topFixes).toEqual([])
      topFixes.forEach(({ rank, id, action, record, pointsGained }, index) => {
        expect(rank).toBe(index + 1)
        expect(Object.hasOwn(FINDINGS, id)).toBe(true)
        expect(pointsGained).toBeGreaterThan(0)
        if (record) expect(action).toContain(record.value)
      })
      const gained = topFixes.reduce((sum, each) => sum + each.pointsGained, 0)
      expect(score + gained).toBeLessThanOrEqual(100)
      await expectExactGains(lines, score, topFixes)
    }),
    { ...FIXED, numRuns: propertyRuns(150) },
  )
})

test('the grade and the headline agree', async () => {
  await fc.assert(
    fc.asyncProperty(randomZone, async (lines) => {
      const { score, grade, spoofable, findings } = await scoreIn(lines)
      const needsChange = findings.some(({ severity }) => severity !== 'info')
      if (spoofable === 'yes') expect(['D', 'F']).toContain(grade)
      if (spoofable === 'no' && !needsChange) expect(score).toBeGreaterThanOrEqual(80)
    }),
    { ...FIXED, numRuns: propertyRuns(300) },
  )
})

test('never proposes a record that lowers the score', async () => {
  await fc.assert(
    fc.asyncProperty(randomZone, async (lines) => {
      const { score, findings } = await scoreIn(lines)
      for (const { record } of findings) {
        if (!record) continue
        const fixed = await scoreIn(replaceRecord(lines, record))
        expect(fixed.score).toBeGreaterThanOrEqual(score)
      }
    }),
    { ...FIXED, numRuns: propertyRuns(80) },
  )
})

/** What reject demands of everything around it, beyond the policy itself. */
const ONLY_UNDER_REJECT: ReadonlySet<string> = new Set([
  'dmarc.subdomains-weaker',
  'dmarc.nonexistent-weaker',
  'dmarc.reject-without-dkim',
])

test('never scores a stricter policy lower', async () => {
  await fc.assert(
    fc.asyncProperty(randomZoneWithoutDmarc, randomDmarcTags, async (lines, rest) => {
      const scoreUnder = async (p: string) => {
        const own = txtLine(`_dmarc.${RANDOM_ZONE_DOMAIN}`, `v=DMARC1; p=${p}${rest}`)
        const { score, components } = await scoreIn([...lines, own])
        const extra = components.dmarc.deductions.filter(({ id }) => ONLY_UNDER_REJECT.has(id))
        return extra.reduce((sum, { points }) => sum + points, score)
      }
      const [none, quarantine, reject] = [
        await scoreUnder('none'),
        await scoreUnder('quarantine'),
        await scoreUnder('reject'),
      ]
      expect(quarantine).toBeGreaterThanOrEqual(none)
      expect(reject).toBeGreaterThanOrEqual(quarantine)
    }),
    { ...FIXED, numRuns: propertyRuns(60) },
  )
})
