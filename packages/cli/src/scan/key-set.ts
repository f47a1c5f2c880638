/**
 * The domains that a scan has seen, in 16 to 32 bytes each.
 *
 * Only 64 bits of a SHA-256 digest are kept. Among a million domains, two share them with a
 * probability of one in 37 million; the second would then be skipped as a duplicate.
 */
import { hash } from 'node:crypto'

export interface KeySet {
  /** False if the key was in the set already. */
  add(key: string): boolean
}

const FIRST_CAPACITY = 1_024

/** A hash table with open addressing. A pair of zeros marks a free slot. */
export function createKeySet(): KeySet {
  let slots = new Uint32Array(2 * FIRST_CAPACITY)
  let size = 0

  function insert(high: number, low: number): boolean {
    const mask = slots.length / 2 - 1
    for (let slot = low & mask; ; slot = (slot + 1) & mask) {
      const at = 2 * slot
      if (slots[at] === 0 && slots[at + 1] === 0) {
        slots[at] = high
        slots[at + 1] = low
        return true
      }
      if (slots[at] === high && slots[at + 1] === low) return false
    }
  }

  function grow(): void {
    const old = slots
    slots = new Uint32Array(2 * old.length)
    for (let at = 0; at < old.length; at += 2) {
      const [high = 0, low = 0] = [old[at], old[at + 1]]
      if (high !== 0 || low !== 0) insert(high, low)
    }
  }

  return {
    add(key) {
      const digest = hash('sha256', key, 'buffer')
      // A digest of zeros would look like a free slot.
      const isNew = insert(digest.readUInt32LE(0) || 1, digest.readUInt32LE(4))
      if (isNew) size++
      if (size > slots.length / 4) grow()
      return isNew
    },
  }
}
