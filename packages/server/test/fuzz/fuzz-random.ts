/** Random numbers that depend only on the seed and a subject, so a run can be repeated. */
import { createHash } from 'node:crypto'
import { RANDOM_SEED } from './fuzz-settings.js'

export interface FuzzRandom {
  /** From 0 to below `limit`. */
  integerBelow(limit: number): number
  pick<Item>(items: readonly Item[]): Item
}

export function createFuzzRandom(subject: string): FuzzRandom {
  let turn = 0
  function integerBelow(limit: number): number {
    const digest = createHash('sha1').update(`${RANDOM_SEED} ${subject} ${turn++}`).digest()
    return digest.readUInt32BE(0) % limit
  }
  return {
    integerBelow,
    pick: (items) => items[integerBelow(items.length)] as (typeof items)[number],
  }
}
