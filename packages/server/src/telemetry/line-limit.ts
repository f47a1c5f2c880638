/** Limits how many lines are written, so callers cannot fill the disk. The others are counted. */

export interface LineLimit {
  /**
   * Whether one more line may be written: at most `limit` of a group until the next `takeCounts`. If
   * not, it is counted under its kind. Kinds come from the code, so there are few.
   */
  admit(kind: string, limit: number, group?: string): boolean
  /** How many lines of each kind were not written since the last call. */
  takeCounts(): Record<string, number>
}

export function createLineLimit(): LineLimit {
  let written = new Map<string, number>()
  let counts = new Map<string, number>()
  return {
    admit(kind, limit, group = kind) {
      const lines = written.get(group) ?? 0
      if (lines < limit) written.set(group, lines + 1)
      else counts.set(kind, (counts.get(kind) ?? 0) + 1)
      return lines < limit
    },
    takeCounts() {
      const taken = Object.fromEntries(counts)
      written = new Map()
      counts = new Map()
      return taken
    },
  }
}
