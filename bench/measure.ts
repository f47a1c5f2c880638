/** Measuring on a machine that is shared: taking turns, medians, and whether an aim is met. */

/** Contestants take turns, so that the machine's moods meet them all alike. */
export async function runInterleaved<Name extends string, Result>(
  contestants: Record<Name, () => Promise<Result>>,
  rounds: number,
): Promise<Record<Name, Result[]>> {
  const names = Object.keys(contestants) as Name[]
  const results = Object.fromEntries(names.map((name) => [name, [] as Result[]]))
  for (let round = 0; round <= rounds; round++) {
    for (const name of names) {
      const result = await contestants[name]()
      // The first round only warms up.
      if (round > 0) results[name]?.push(result)
    }
  }
  return results as Record<Name, Result[]>
}

export function median(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0
}

export function roundTo(value: number, digits = 1): number {
  return Number(value.toFixed(digits))
}

export function printTarget(aim: string, outcomes: readonly (readonly [string, boolean])[]): void {
  const missed = outcomes.filter(([, isMet]) => !isMet).map(([name]) => name)
  console.log(`Aim: ${aim}: ${missed.length === 0 ? 'met' : `NOT met by ${missed.join(', ')}`}`)
}
