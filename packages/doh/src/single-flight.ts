/**
 * Identical queries in flight share one request. Nothing is cached: once the answer is in, the
 * next query starts a new request.
 */
import {
  type DnsAnswer,
  failed,
  type OnEachAnswer,
  type QuerySignal,
  type RecordType,
} from './dns.js'
import type { Cancellable } from './doh-connection.js'
import type { AnswerSink } from './doh-resolver.js'
import type { EncodedQuery } from './wire/encode-query.js'

/** Starts the request. It may be answered before this returns. */
type Start = (query: EncodedQuery, sink: AnswerSink) => Cancellable

/** Joins the flight of an equal query, or starts one. `onAnswer` gets the answer with `index`. */
type JoinFlight = (
  query: EncodedQuery,
  onAnswer: OnEachAnswer,
  index: number,
  signal?: QuerySignal,
) => void

interface Waiter {
  readonly onAnswer: OnEachAnswer
  readonly index: number
  readonly group: SignalGroup | null
}

/** All waiters of one signal, with one listener: a report has one signal for many queries. */
interface SignalGroup {
  readonly signal: QuerySignal
  readonly onAbort: () => void
  waiting: number
}

/**
 * A class, because one is created for every query in flight. It lets go of everything when it is
 * over: when a `Map` grows or shrinks, its former table keeps what was in it from young collections.
 */
class Flight implements AnswerSink {
  /** Null when equal queries no longer join it. A cancelled flight may still be answered. */
  query: EncodedQuery | null
  waiters: Waiter[]
  request: Cancellable | null = null
  readonly #finish: (flight: Flight, answer: DnsAnswer) => void

  constructor(
    query: EncodedQuery,
    first: Waiter,
    finish: (flight: Flight, answer: DnsAnswer) => void,
  ) {
    this.query = query
    this.waiters = [first]
    this.#finish = finish
  }

  onAnswer(answer: DnsAnswer): void {
    this.#finish(this, answer)
  }

  takeWaiters(): readonly Waiter[] {
    const { waiters } = this
    this.waiters = NO_WAITERS
    return waiters
  }
}

const NO_WAITERS: Waiter[] = []

export function createSingleFlight(start: Start): JoinFlight {
  const byType = new Map<RecordType, Map<string, Flight>>()
  const groups = new Map<QuerySignal, SignalGroup>()

  function flightsOf(type: RecordType): Map<string, Flight> {
    const known = byType.get(type)
    if (known) return known
    const created = new Map<string, Flight>()
    byType.set(type, created)
    return created
  }

  function close(flight: Flight): void {
    if (flight.query) flightsOf(flight.query.type).delete(flight.query.name)
    flight.query = flight.request = null
  }

  function finish(flight: Flight, answer: DnsAnswer): void {
    close(flight)
    for (const { group, onAnswer, index } of flight.takeWaiters()) {
      if (group) {
        group.waiting--
        if (group.waiting === 0) removeGroup(group)
      }
      onAnswer(answer, index)
    }
  }

  function groupFor(signal: QuerySignal): SignalGroup {
    const known = groups.get(signal)
    if (known) return known
    const group: SignalGroup = { signal, onAbort: () => abortGroup(group), waiting: 0 }
    groups.set(signal, group)
    signal.addEventListener('abort', group.onAbort)
    return group
  }

  function removeGroup({ signal, onAbort }: SignalGroup): void {
    groups.delete(signal)
    signal.removeEventListener('abort', onAbort)
  }

  /** Few reports are aborted, so looking at every flight costs less than a list for each group. */
  function abortGroup(group: SignalGroup): void {
    removeGroup(group)
    const answer = abortedAnswer(group.signal)
    for (const flights of byType.values()) {
      for (const flight of flights.values()) leave(flight, group, answer)
    }
  }

  function leave(flight: Flight, group: SignalGroup, answer: DnsAnswer): void {
    const leaving = flight.waiters.filter((waiter) => waiter.group === group)
    if (leaving.length === 0) return
    flight.waiters = flight.waiters.filter((waiter) => waiter.group !== group)
    if (flight.waiters.length === 0) {
      const { request } = flight
      close(flight)
      request?.cancel()
    }
    for (const { onAnswer, index } of leaving) onAnswer(answer, index)
  }

  return function joinFlight(query, onAnswer, index, signal) {
    if (signal?.aborted) {
      onAnswer(abortedAnswer(signal), index)
      return
    }
    const group = signal ? groupFor(signal) : null
    if (group) group.waiting++
    const waiter: Waiter = { onAnswer, index, group }
    const flights = flightsOf(query.type)
    const known = flights.get(query.name)
    if (known) {
      known.waiters.push(waiter)
      return
    }
    const flight = new Flight(query, waiter, finish)
    flights.set(query.name, flight)
    flight.request = start(query, flight)
  }
}

/** Any reason but a deadline or a limit means that the caller left. */
function abortedAnswer({ reason }: QuerySignal): DnsAnswer {
  const { name, message = '' }: Partial<Error> = Object(reason)
  if (name === 'TimeoutError') return failed('timeout', 'the deadline for DNS queries passed')
  if (name === 'QuotaExceededError') return failed('budget', message)
  return failed('aborted', 'the caller aborted the query')
}
