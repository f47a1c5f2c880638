/** Random choices that are repeatable with a seed. */

export interface WeightedRandom {
  /** From `least` to `most`, both included. */
  int(least: number, most: number): number
  chance(probability: number): boolean
  pick<T>(choices: readonly T[]): T
  /** Picks each choice with the frequency of its weight. */
  weighted<T>(choices: readonly (readonly [weight: number, choice: T])[]): T
}

export function createWeightedRandom(seed: number): WeightedRandom {
  let state = seed >>> 0

  /** A mixed counter, good enough for test data. */
  function next(): number {
    state = (state + 0x9e3779b9) >>> 0
    let mixed = state
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b)
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32
  }

  const int = (least: number, most: number) => least + Math.floor(next() * (most - least + 1))

  function pick<T>(choices: readonly T[]): T {
    if (choices.length === 0) throw new Error('no choices to pick from')
    return choices[int(0, choices.length - 1)] as T
  }

  function weighted<T>(choices: readonly (readonly [number, T])[]): T {
    let left = next() * choices.reduce((sum, [weight]) => sum + weight, 0)
    for (const [weight, choice] of choices) {
      left -= weight
      if (left < 0) return choice
    }
    return pick(choices)[1]
  }

  return { int, chance: (probability) => next() < probability, pick, weighted }
}
