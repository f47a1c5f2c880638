/**
 * Identical questions in flight at the same time are asked once, whoever asks. Nothing is kept
 * once the answer is in: results are live.
 */
import { type Answer, failed } from './dns.js'

type Start = (done: (answer: Answer) => void) => () => void

type Waiter = (answer: Answer) => void

interface Flight {
  readonly waiters: Waiter[]
  cancel: () => void
}

export function createSingleFlight() {
  const flights = new Map<string, Flight>()

  function takeOff(key: string, flight: Flight, start: Start): void {
    flights.set(key, flight)
    flight.cancel = start((answer) => {
      // Given up and yet landing, it must not take its successor's place.
      if (flights.get(key) === flight) flights.delete(key)
      for (const tell of flight.waiters) tell(answer)
    })
  }

  /** A waiter who may leave; with the last one the flight ends. */
  function leavable(key: string, flight: Flight, signal: AbortSignal, tell: Waiter): Waiter {
    const waiter = (answer: Answer) => {
      signal.removeEventListener('abort', leave)
      tell(answer)
    }
    const leave = () => {
      flight.waiters.splice(flight.waiters.indexOf(waiter), 1)
      if (flight.waiters.length === 0) {
        flights.delete(key)
        flight.cancel()
      }
      tell(aborted(signal))
    }
    signal.addEventListener('abort', leave, { once: true })
    return waiter
  }

  /** Joins the flight for `key`, starting it if there is none. */
  return function join(key: string, start: Start, signal?: AbortSignal): Promise<Answer> {
    if (signal?.aborted) return Promise.resolve(aborted(signal))
    return new Promise((resolve) => {
      const underway = flights.get(key)
      const flight = underway ?? { waiters: [], cancel: () => {} }
      flight.waiters.push(signal ? leavable(key, flight, signal, resolve) : resolve)
      // Only now, lest it be answered before anyone waits.
      if (!underway) takeOff(key, flight, start)
    })
  }
}

/** A deadline aborts with a `TimeoutError`; anything else is a caller who left. */
function aborted(signal: AbortSignal): Answer {
  return signal.reason?.name === 'TimeoutError'
    ? failed('timeout', 'the report’s time for DNS questions ran out')
    : failed('aborted', 'the caller gave up')
}
