/**
 * Identical queries in flight share one request. Nothing is cached: once the answer is in, the
 * next query starts a new request.
 */
import { type DnsAnswer, failed } from './dns.js'

type Deliver = (answer: DnsAnswer) => void

/** Starts the request and returns how to cancel it. */
type Start = (done: Deliver) => () => void

interface Flight {
  readonly key: string
  readonly waiters: Set<Waiter>
  cancel: () => void
}

interface Waiter {
  readonly flight: Flight
  readonly resolve: Deliver
  readonly group: SignalGroup | null
}

/** All waiters of one signal, with one listener: a report has one signal for all its queries. */
interface SignalGroup {
  readonly signal: AbortSignal
  readonly waiters: Set<Waiter>
  readonly onAbort: () => void
}

export function createSingleFlight() {
  const flights = new Map<string, Flight>()
  const groups = new Map<AbortSignal, SignalGroup>()

  function groupFor(signal: AbortSignal): SignalGroup {
    const known = groups.get(signal)
    if (known) return known
    const group = { signal, waiters: new Set<Waiter>(), onAbort: () => abortGroup(group) }
    groups.set(signal, group)
    signal.addEventListener('abort', group.onAbort)
    return group
  }

  function removeGroup({ signal, onAbort }: SignalGroup): void {
    groups.delete(signal)
    signal.removeEventListener('abort', onAbort)
  }

  function abortGroup(group: SignalGroup): void {
    removeGroup(group)
    for (const waiter of group.waiters) {
      const { flight, resolve } = waiter
      flight.waiters.delete(waiter)
      if (flight.waiters.size === 0) {
        flights.delete(flight.key)
        flight.cancel()
      }
      resolve(abortedAnswer(group.signal))
    }
  }

  function addWaiter(flight: Flight, resolve: Deliver, signal: AbortSignal | undefined): void {
    const group = signal ? groupFor(signal) : null
    const waiter = { flight, resolve, group }
    flight.waiters.add(waiter)
    group?.waiters.add(waiter)
  }

  function finishFlight(flight: Flight, answer: DnsAnswer): void {
    // A cancelled flight may still be answered; its successor keeps the key.
    if (flights.get(flight.key) === flight) flights.delete(flight.key)
    for (const waiter of flight.waiters) {
      const { group, resolve } = waiter
      if (group?.waiters.delete(waiter) && group.waiters.size === 0) removeGroup(group)
      resolve(answer)
    }
  }

  /** Joins the flight for `key`, or starts it. */
  return function joinFlight(key: string, start: Start, signal?: AbortSignal): Promise<DnsAnswer> {
    if (signal?.aborted) return Promise.resolve(abortedAnswer(signal))
    return new Promise((resolve) => {
      const known = flights.get(key)
      if (known) {
        addWaiter(known, resolve, signal)
        return
      }
      const flight: Flight = { key, waiters: new Set(), cancel: () => {} }
      flights.set(key, flight)
      // First, because `start` may deliver the answer at once.
      addWaiter(flight, resolve, signal)
      flight.cancel = start((answer) => finishFlight(flight, answer))
    })
  }
}

/** Any reason but a deadline or a limit means that the caller left. */
function abortedAnswer({ reason }: AbortSignal): DnsAnswer {
  switch (reason?.name) {
    case 'TimeoutError':
      return failed('timeout', 'the deadline for DNS queries passed')
    case 'QuotaExceededError':
      return failed('budget', reason.message)
    default:
      return failed('aborted', 'the caller aborted the query')
  }
}
