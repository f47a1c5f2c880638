/** What holds of every score, shown on domains made of random pieces. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  DOMAIN,
  type Line,
  laidOver,
  others,
  tags,
  text,
  written,
  zone,
} from '../../../test/support/random-zones.js'
import { scoreOf } from '../../../test/support/score-story.js'
import { COMPONENTS } from './score-report.js'

const scoreIn = (lines: readonly Line[]) => scoreOf(written(lines), { domain: DOMAIN })

/** The same zones every time. */
const FIXED = { seed: 9989 } as const
const PATIENCE_MS = 30_000

test(
  'the points add up, and every one that is lost has its finding',
  async () => {
    await fc.assert(
      fc.asyncProperty(zone, async (lines) => {
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
      { ...FIXED, numRuns: 200 },
    )
  },
  PATIENCE_MS,
)

test(
  'what to mend is at most three things, in order, and something wherever points are lost',
  async () => {
    await fc.assert(
      fc.asyncProperty(zone, async (lines) => {
        const { score, topFixes, components } = await scoreIn(lines)
        expect(topFixes.length === 0).toBe(score === 100)
        const ordered = topFixes.toSorted(
          (one, other) =>
            other.pointsGained - one.pointsGained ||
            COMPONENTS.indexOf(one.component) - COMPONENTS.indexOf(other.component),
        )
        expect(topFixes).toEqual(ordered)
        const deductions = Object.values(components).flatMap((each) => each.deductions)
        topFixes.forEach(({ rank, id, action, record, pointsGained }, index) => {
          expect(rank).toBe(index + 1)
          const costs = deductions.filter((each) => each.id === id)
          expect(pointsGained).toBeGreaterThanOrEqual(
            costs.reduce((sum, { points }) => sum + points, 0),
          )
          expect(score + pointsGained).toBeLessThanOrEqual(100)
          if (record) expect(action).toContain(record.value)
        })
      }),
      { ...FIXED, numRuns: 150 },
    )
  },
  PATIENCE_MS,
)

test(
  'no record that is recommended anywhere lowers the score',
  async () => {
    await fc.assert(
      fc.asyncProperty(zone, async (lines) => {
        const { score, findings } = await scoreIn(lines)
        for (const { record } of findings) {
          if (!record) continue
          const mended = await scoreIn(laidOver(lines, record))
          expect(mended.score).toBeGreaterThanOrEqual(score)
        }
      }),
      { ...FIXED, numRuns: 200 },
    )
  },
  PATIENCE_MS,
)

test(
  'a stricter policy never scores less',
  async () => {
    await fc.assert(
      fc.asyncProperty(others, tags, async (lines, rest) => {
        const scoreUnder = async (p: string) =>
          (await scoreIn([...lines, text(`_dmarc.${DOMAIN}`, `v=DMARC1; p=${p}${rest}`)])).score
        const [none, quarantine, reject] = [
          await scoreUnder('none'),
          await scoreUnder('quarantine'),
          await scoreUnder('reject'),
        ]
        expect(quarantine).toBeGreaterThanOrEqual(none)
        expect(reject).toBeGreaterThanOrEqual(quarantine)
      }),
      { ...FIXED, numRuns: 100 },
    )
  },
  PATIENCE_MS,
)
