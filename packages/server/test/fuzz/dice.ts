/** Chance that depends on nothing but the seed and what it is thrown for: the same in every run. */
import { createHash } from 'node:crypto'
import { SEED } from './settings.js'

export interface Dice {
  /** From 0 to below `limit`. */
  roll(limit: number): number
  pick<Item>(items: readonly Item[]): Item
}

export function diceFor(subject: string): Dice {
  let turn = 0
  function roll(limit: number): number {
    const digest = createHash('sha1').update(`${SEED} ${subject} ${turn++}`).digest()
    return digest.readUInt32BE(0) % limit
  }
  return { roll, pick: (items) => items[roll(items.length)] as (typeof items)[number] }
}
