/**
 * Identical questions in flight at the same time are asked once, whoever asks. Nothing is kept
 * once the answer is in: results are live.
 */
import { type Answer, failed } from './dns.js'

type Land = (answer: Answer) => void

type Start = (land: Land) => () => void

interface Flight {
  readonly key: string
  waiters: Waiter[]
  cancel: () => void
}

interface Waiter {
  readonly flight: Flight
  readonly tell: Land
  /** Whoever has one may leave. */
  readonly signal: AbortSignal | undefined
}

const NOTHING = () => {}

export function createSingleFlight() {
  const flights = new Map<string, Flight>()
  /**
   * Who leaves when which signal aborts. A report has one signal for its hundred questions, and a
   * listener takes three times as long as an entry here.
   */
  const leaving = new Map<AbortSignal, Set<Waiter>>()

  function takeOff(key: string, start: Start, tell: Land, signal: AbortSignal | undefined): void {
    const flight: Flight = { key, waiters: [], cancel: NOTHING }
    flight.waiters = [boarded(flight, tell, signal)]
    flights.set(key, flight)
    // Only now, lest it be answered before anyone waits.
    flight.cancel = start((answer) => land(flight, answer))
  }

  function land(flight: Flight, answer: Answer): void {
    // Given up and yet landing, it must not take its successor's place.
    if (flights.get(flight.key) === flight) flights.delete(flight.key)
    for (const waiter of flight.waiters) {
      if (waiter.signal) stay(waiter, waiter.signal)
      waiter.tell(answer)
    }
  }

  function boarded(flight: Flight, tell: Land, signal: AbortSignal | undefined): Waiter {
    const waiter = { flight, tell, signal }
    if (!signal) return waiter
    const others = leaving.get(signal)
    if (others) others.add(waiter)
    else {
      leaving.set(signal, new Set([waiter]))
      signal.addEventListener('abort', leaveTogether, { once: true })
    }
    return waiter
  }

  function stay(waiter: Waiter, signal: AbortSignal): void {
    const all = leaving.get(signal)
    if (!all?.delete(waiter) || all.size > 0) return
    leaving.delete(signal)
    signal.removeEventListener('abort', leaveTogether)
  }

  function leaveTogether({ target }: Event): void {
    const signal = target as AbortSignal
    const all = leaving.get(signal) ?? []
    leaving.delete(signal)
    for (const waiter of all) leave(waiter, aborted(signal))
  }

  /** With the last waiter the flight ends. */
  function leave({ flight, tell }: Waiter, answer: Answer): void {
    flight.waiters = flight.waiters.filter((waiter) => waiter.tell !== tell)
    if (flight.waiters.length === 0) {
      flights.delete(flight.key)
      flight.cancel()
    }
    tell(answer)
  }

  /** Joins the flight for `key`, starting it if there is none. */
  return function join(key: string, start: Start, signal?: AbortSignal): Promise<Answer> {
    if (signal?.aborted) return Promise.resolve(aborted(signal))
    return new Promise((tell) => {
      const flight = flights.get(key)
      if (flight) flight.waiters.push(boarded(flight, tell, signal))
      else takeOff(key, start, tell, signal)
    })
  }
}

/** A deadline aborts with a `TimeoutError`; anything else is a caller who left. */
function aborted(signal: AbortSignal): Answer {
  return signal.reason?.name === 'TimeoutError'
    ? failed('timeout', 'the report’s time for DNS questions ran out')
    : failed('aborted', 'the caller gave up')
}
