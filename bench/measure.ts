/** Measuring on a shared machine: interleaved rounds, medians, table rows and targets. */

/**
 * Runs the contestants by turns, so a slow moment of the machine affects all of them. Every other
 * round runs in reverse order, so none profits from its place.
 */
export async function runInterleaved<Name extends string, Result>(
  contestants: Record<Name, () => Promise<Result>>,
  rounds: number,
): Promise<Record<Name, Result[]>> {
  const names = Object.keys(contestants) as Name[]
  const results = Object.fromEntries(names.map((name) => [name, [] as Result[]]))
  for (let round = 0; round <= rounds; round++) {
    for (const name of round % 2 ? names : names.toReversed()) {
      const result = await contestants[name]()
      // The first round is a warm-up.
      if (round > 0) results[name]?.push(result)
    }
  }
  return results as Record<Name, Result[]>
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5)
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length * share)] ?? 0
}

/** The median of the ratios within each round, where both ran under the same conditions. */
export function medianRatio(ours: readonly number[], theirs: readonly number[]): number {
  return median(ours.map((value, round) => value / (theirs[round] ?? Number.NaN)))
}

export function roundTo(value: number, digits = 1): number {
  return Number(value.toFixed(digits))
}

export function printTarget(
  target: string,
  outcomes: readonly (readonly [string, boolean])[],
): void {
  const missed = outcomes.filter(([, isMet]) => !isMet).map(([name]) => name)
  console.log(
    `Target ${target}: ${missed.length === 0 ? 'met' : `NOT met by ${missed.join(', ')}`}`,
  )
}

/** One measured value, with what it is compared with and its target. */
export interface ServiceRow {
  readonly name: string
  readonly value: number
  readonly 'compared with'?: number
  readonly ratio?: number
  readonly target?: string
  readonly met?: boolean
}

export function serviceRow(name: string, value: number, digits = 0): ServiceRow {
  return { name, value: roundTo(value, digits) }
}

export function atLeast(row: ServiceRow, target: number): ServiceRow {
  return { ...row, target: `≥ ${target}`, met: row.value >= target }
}

export function atMost(row: ServiceRow, target: number): ServiceRow {
  return { ...row, target: `≤ ${target}`, met: row.value <= target }
}

export function comparedWith(
  row: ServiceRow,
  other: number,
  digits = 0,
): ServiceRow & { readonly ratio: number } {
  return { ...row, 'compared with': roundTo(other, digits), ratio: roundTo(row.value / other, 2) }
}

export function ratioAtLeast(
  row: ServiceRow & { readonly ratio: number },
  target: number,
): ServiceRow {
  return { ...row, target: `ratio ≥ ${target}`, met: row.ratio >= target }
}
