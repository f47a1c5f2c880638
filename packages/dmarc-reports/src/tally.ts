/** Counts by name, with a limit on the names. */

export interface Tally {
  readonly counts: Map<string, number>
  /** The sum of the names beyond the limit. */
  others: number
  readonly limit: number
}

export function createTally(limit: number): Tally {
  return { counts: new Map(), others: 0, limit }
}

export function addToTally(tally: Tally, name: string, count: number): void {
  const before = tally.counts.get(name)
  if (before === undefined && tally.counts.size >= tally.limit) {
    tally.others = addCounts(tally.others, count)
  } else {
    tally.counts.set(name, addCounts(before ?? 0, count))
  }
}

export function mergeTally(into: Tally, from: Tally): void {
  for (const [name, count] of from.counts) addToTally(into, name, count)
  into.others = addCounts(into.others, from.others)
}

/** Most first. */
export function sortedCounts({ counts }: Tally): { name: string; messages: number }[] {
  return [...counts]
    .map(([name, messages]) => ({ name, messages }))
    .sort((one, other) => other.messages - one.messages || (one.name < other.name ? -1 : 1))
}

/** Sums stay exact integers. */
export function addCounts(one: number, other: number): number {
  return Math.min(one + other, Number.MAX_SAFE_INTEGER)
}
