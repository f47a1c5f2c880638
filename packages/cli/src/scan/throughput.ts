/** How many domains per second were checked recently. */

const WINDOW_MS = 30_000

export function createThroughput(now: () => number) {
  let samples = [{ at: now(), done: 0 }]
  return {
    measure(done: number): number {
      const at = now()
      const recent = samples.filter((sample) => at - sample.at <= WINDOW_MS)
      samples = [...(recent.length > 0 ? recent : samples.slice(-1)), { at, done }]
      const [first = { at, done }] = samples
      return at > first.at ? ((done - first.done) * 1_000) / (at - first.at) : 0
    },
  }
}
