/**
 * Identical queries in flight share one request. Nothing is cached: once the answer is in, the
 * next query starts a new request.
 */
import { type DnsAnswer, failed, type OnEachAnswer } from './dns.js'
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
  signal?: AbortSignal,
) => void

interface Waiter {
  readonly flight: Flight
  readonly onAnswer: OnEachAnswer
  readonly index: number
  readonly group: SignalGroup | null
  isWaiting: boolean
}

/** All waiters of one signal, with one listener: a report has one signal for all its queries. */
interface SignalGroup {
  readonly signal: AbortSignal
  readonly onAbort: () => void
  /** Since the group was created; those that wait no longer stay until it ends. */
  readonly waiters: Waiter[]
  /** How many of them still wait. */
  waiting: number
}

/** A class, because one is created for every query in flight. */
class Flight implements AnswerSink {
  readonly query: EncodedQuery
  waiters: Waiter[] | null = null
  /** Whether equal queries join it. A cancelled flight may still be answered. */
  isOpen = true
  request: Cancellable | null = null
  readonly #finish: (flight: Flight, answer: DnsAnswer) => void

  constructor(query: EncodedQuery, finish: (flight: Flight, answer: DnsAnswer) => void) {
    this.query = query
    this.#finish = finish
  }

  onAnswer(answer: DnsAnswer): void {
    this.#finish(this, answer)
  }
}

export function createSingleFlight(start: Start): JoinFlight {
  const flights = new Map<string, Flight>()
  const groups = new Map<AbortSignal, SignalGroup>()

  function groupFor(signal: AbortSignal): SignalGroup {
    const known = groups.get(signal)
    if (known) return known
    const group: SignalGroup = {
      signal,
      onAbort: () => abortGroup(group),
      waiters: [],
      waiting: 0,
    }
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
    const answer = abortedAnswer(group.signal)
    for (const waiter of group.waiters) {
      if (!waiter.isWaiting) continue
      waiter.isWaiting = false
      const { flight } = waiter
      if (!flight.waiters?.some(({ isWaiting }) => isWaiting)) {
        close(flight)
        flight.request?.cancel()
      }
      waiter.onAnswer(answer, waiter.index)
    }
  }

  function close(flight: Flight): void {
    if (flight.isOpen) flights.delete(flight.query.dnsParameter)
    flight.isOpen = false
  }

  function finish(flight: Flight, answer: DnsAnswer): void {
    close(flight)
    for (const waiter of flight.waiters ?? []) {
      if (!waiter.isWaiting) continue
      waiter.isWaiting = false
      const { group } = waiter
      if (group) {
        group.waiting--
        if (group.waiting === 0) removeGroup(group)
      }
      waiter.onAnswer(answer, waiter.index)
    }
  }

  return function joinFlight(query, onAnswer, index, signal) {
    if (signal?.aborted) {
      onAnswer(abortedAnswer(signal), index)
      return
    }
    const known = flights.get(query.dnsParameter)
    const flight = known ?? new Flight(query, finish)
    const group = signal ? groupFor(signal) : null
    const waiter: Waiter = { flight, onAnswer, index, group, isWaiting: true }
    if (group) {
      group.waiters.push(waiter)
      group.waiting++
    }
    if (known) {
      known.waiters?.push(waiter)
      return
    }
    // A literal, because the first `push` into an empty array makes room for 17.
    flight.waiters = [waiter]
    flights.set(query.dnsParameter, flight)
    flight.request = start(query, flight)
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
