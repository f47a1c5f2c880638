/** The arithmetic that all components share. */
import type { Finding } from '../../checks/finding.js'
import type { Deduction, ScoreComponent } from './score-report.js'

/**
 * Nothing falls below 0: the deduction that would is shortened, and those after it are left out.
 * What is lost and what is left make up `max`, therefore, whatever the deductions are.
 */
export function buildComponent(max: number, deductions: readonly Deduction[]): ScoreComponent {
  const fitting = limitDeductions(max, deductions)
  return { points: max - sumPoints(fitting), max, deductions: fitting }
}

/** As much of the deductions, in their order, as a number of points has room for. */
export function limitDeductions(room: number, deductions: readonly Deduction[]): Deduction[] {
  let left = room
  return deductions.flatMap(({ id, points }) => {
    const fitting = Math.min(points, left)
    left -= fitting
    return fitting > 0 ? [{ id, points: fitting }] : []
  })
}

/** No more than `most` points, because of a finding. */
export function capPoints(whole: ScoreComponent, { id, points: most }: Deduction): ScoreComponent {
  return buildComponent(whole.max, [...whole.deductions, { id, points: whole.points - most }])
}

export function sumPoints(deductions: readonly Deduction[]): number {
  return deductions.reduce((sum, { points }) => sum + points, 0)
}

/** Reads off what the findings of a part cost; one that is not there costs nothing. */
export function findingDeductions({ issues }: { readonly issues: readonly Finding[] }) {
  const ids = new Set(issues.map(({ id }) => id))
  return (id: string, points: number): Deduction[] => (ids.has(id) ? [{ id, points }] : [])
}
