/** Who was here in the last minute, as far as memory is to be spent on it. */

const RECENT_MS = 60_000
/** More than these are many, whatever their number. */
const MAX_CALLERS = 100_000

export function createRecentCallers(now: () => number) {
  /** By when each was last seen, oldest first. */
  const seen = new Map<string, number>()

  function forget(): void {
    for (const [caller, at] of seen) {
      if (now() - at < RECENT_MS && seen.size <= MAX_CALLERS) return
      seen.delete(caller)
    }
  }

  return {
    add(caller: string): void {
      seen.delete(caller)
      seen.set(caller, now())
      if (seen.size > MAX_CALLERS) forget()
    },
    count(): number {
      forget()
      return seen.size
    },
  }
}
