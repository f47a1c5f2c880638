/**
 * Identical questions in flight at the same time are asked once, whoever asks. Nothing is kept
 * once the answer is in: results are live.
 */
import { type Answer, failed } from './dns.js'

type Start = (done: (answer: Answer) => void) => () => void

interface Flight {
  readonly waiters: Set<(answer: Answer) => void>
  cancel: () => void
}

export function createSingleFlight() {
  const flights = new Map<string, Flight>()

  function takeOff(key: string, start: Start): Flight {
    const flight: Flight = { waiters: new Set(), cancel: () => {} }
    flights.set(key, flight)
    flight.cancel = start((answer) => {
      flights.delete(key)
      for (const resolve of flight.waiters) resolve(answer)
    })
    return flight
  }

  /** Joins the flight for `key`, starting it if there is none. It ends when its last waiter leaves. */
  return function join(key: string, start: Start, signal?: AbortSignal): Promise<Answer> {
    if (signal?.aborted) return Promise.resolve(aborted(signal))
    const flight = flights.get(key) ?? takeOff(key, start)
    return new Promise((resolve) => {
      const settle = (answer: Answer) => {
        signal?.removeEventListener('abort', leave)
        resolve(answer)
      }
      const leave = () => {
        flight.waiters.delete(settle)
        if (flight.waiters.size === 0) {
          flights.delete(key)
          flight.cancel()
        }
        resolve(aborted(signal))
      }
      flight.waiters.add(settle)
      signal?.addEventListener('abort', leave, { once: true })
    })
  }
}

/** A deadline aborts with a `TimeoutError`; anything else is a caller who left. */
function aborted(signal: AbortSignal | undefined): Answer {
  return signal?.reason?.name === 'TimeoutError'
    ? failed('timeout', 'the report’s time for DNS questions ran out')
    : failed('aborted', 'the caller gave up')
}
