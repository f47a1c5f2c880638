/**
 * How much is done at once. Whoever finds every place taken waits for a short while; who waits is
 * let in by turns of callers, so that one who asks for much delays himself first. When there is no
 * room to wait either, the last comer of the longest line makes room (the idea of fair queuing,
 * RFC 8290 §4.2.1: drop from the fattest).
 */

export interface FairSemaphoreOptions {
  /** So many are let in at once … */
  readonly permits: number
  /** … and so many wait, … */
  readonly maxWaiting: number
  /** … each at most this long. */
  readonly maxWaitMs: number
}

export interface FairSemaphore {
  /** Resolves to what gives the place back, or to null: there was none in time, or the caller left. */
  acquire(caller: string, signal: AbortSignal): Promise<ReleasePermit | null>
  /** How many are inside at present, and how many wait. */
  running(): number
  waiting(): number
}

export type ReleasePermit = () => void

type Tell = (leave: ReleasePermit | null) => void

export function createFairSemaphore({
  permits,
  maxWaiting,
  maxWaitMs,
}: FairSemaphoreOptions): FairSemaphore {
  /** The callers whose turn it is first stand first. */
  const lines = new Map<string, Tell[]>()
  let running = 0
  let waiting = 0

  /** May be called twice, and counts once. */
  function letIn(): ReleasePermit {
    running++
    let isInside = true
    return () => {
      if (!isInside) return
      isInside = false
      running--
      callNext()
    }
  }

  function callNext(): void {
    const [turn] = lines
    if (!turn || running >= permits) return
    const [caller, line] = turn
    const [tell] = line
    if (!tell) return
    stepOut(caller, tell)
    // Behind everybody else who waits, for the next of his own.
    if (lines.delete(caller) && line.length > 0) lines.set(caller, line)
    tell(letIn())
  }

  function stepOut(caller: string, tell: Tell): void {
    const line = lines.get(caller) ?? []
    line.splice(line.indexOf(tell), 1)
    waiting--
    if (line.length === 0) lines.delete(caller)
  }

  /** False when this caller's own line is the longest. */
  function makeRoom(caller: string): boolean {
    if (waiting < maxWaiting) return true
    const own = lines.get(caller)?.length ?? 0
    let longest = { of: caller, length: own + 1 }
    for (const [of, { length }] of lines) if (length > longest.length) longest = { of, length }
    const last = longest.of === caller ? undefined : lines.get(longest.of)?.at(-1)
    if (!last) return false
    stepOut(longest.of, last)
    last(null)
    return true
  }

  function wait(caller: string, signal: AbortSignal): Promise<ReleasePermit | null> {
    return new Promise((resolve) => {
      const tell: Tell = (leave) => {
        clearTimeout(timer)
        signal.removeEventListener('abort', giveUp)
        resolve(leave)
      }
      const giveUp = () => {
        stepOut(caller, tell)
        tell(null)
      }
      const timer = setTimeout(giveUp, maxWaitMs)
      signal.addEventListener('abort', giveUp)
      const line = lines.get(caller)
      if (line) line.push(tell)
      else lines.set(caller, [tell])
      waiting++
    })
  }

  return {
    async acquire(caller, signal) {
      if (running < permits) return letIn()
      if (signal.aborted || !makeRoom(caller)) return null
      return wait(caller, signal)
    },
    running: () => running,
    waiting: () => waiting,
  }
}
