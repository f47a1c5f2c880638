/** Random numbers from a seed (mulberry32). */
export interface SeededRandom {
  integerBelow(bound: number): number
  pick<T>(items: readonly T[]): T
  shuffle<T>(items: readonly T[]): T[]
}

export function createSeededRandom(seed: number): SeededRandom {
  let state = seed
  function next(): number {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const integerBelow = (bound: number) => Math.floor(next() * bound)
  return {
    integerBelow,
    pick: <T>(items: readonly T[]) => items[integerBelow(items.length)] as T,
    shuffle: <T>(items: readonly T[]) =>
      items
        .map((item) => ({ item, order: next() }))
        .sort((one, other) => one.order - other.order)
        .map(({ item }) => item),
  }
}
