/** PROPERTY_RUNS scales the runs of every property test: 0.03 by default, 1 for the full number. */
const DEFAULT_FACTOR = 0.03

/** Fewer runs would hardly test the property at all. */
const MIN_RUNS = 5

export function propertyRuns(base: number): number {
  const factor = Number(process.env.PROPERTY_RUNS ?? DEFAULT_FACTOR)
  if (!(factor > 0)) throw new Error('PROPERTY_RUNS must be a positive number')
  return Math.max(MIN_RUNS, Math.round(base * factor))
}
