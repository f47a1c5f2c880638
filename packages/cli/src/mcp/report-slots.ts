/** Limits how many reports run at once, so an agent with many calls does not flood the resolver. */
import type { AcquireSlot } from '@mailgrade/operations/run-operation'

/** Calls wait in their order, as long as they are not cancelled. */
export function createReportSlots(limit: number): AcquireSlot {
  const waiting = new Set<() => void>()
  let free = limit

  function release(): void {
    const [next] = waiting
    if (next) next()
    else free += 1
  }

  return async function acquire(_caller, signal) {
    if (signal.aborted) return null
    if (free > 0) {
      free -= 1
      return release
    }
    return new Promise((resolve) => {
      const settle = (slot: typeof release | null) => {
        waiting.delete(start)
        signal.removeEventListener('abort', cancel)
        resolve(slot)
      }
      const start = () => settle(release)
      const cancel = () => settle(null)
      waiting.add(start)
      signal.addEventListener('abort', cancel)
    })
  }
}
