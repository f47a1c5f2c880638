/**
 * Identical questions in flight at the same time are asked once, whoever asks. Nothing is kept
 * once the answer is in: results are live.
 */
import { type DnsAnswer, failed } from './dns.js'

type Land = (answer: DnsAnswer) => void

type Start = (land: Land) => () => void

interface Flight {
  readonly key: string
  waiters: Waiter[]
  cancel: () => void
}

interface Waiter {
  readonly flight: Flight
  readonly tell: Land
  /** Whoever is of one may leave. */
  readonly party: Party | null
  hasLanded: boolean
}

/** All who leave when one signal aborts. */
interface Party {
  readonly signal: AbortSignal
  /** Those who have landed too, until all have: to strike each off takes longer than to pass over it. */
  readonly waiters: Waiter[]
  waiting: number
}

const NOTHING = () => {}

export function createSingleFlight() {
  const flights = new Map<string, Flight>()
  /** A report has one signal for its hundred questions, and a listener takes longer than an entry. */
  const parties = new Map<AbortSignal, Party>()

  function takeOff(key: string, start: Start, tell: Land, signal: AbortSignal | undefined): void {
    const flight: Flight = { key, waiters: [], cancel: NOTHING }
    flight.waiters = [boarded(flight, tell, signal)]
    flights.set(key, flight)
    // Only now, lest it be answered before anyone waits.
    flight.cancel = start((answer) => land(flight, answer))
  }

  function land(flight: Flight, answer: DnsAnswer): void {
    // Given up and yet landing, it must not take its successor's place.
    if (flights.get(flight.key) === flight) flights.delete(flight.key)
    for (const waiter of flight.waiters) {
      waiter.hasLanded = true
      if (waiter.party) leaveBehind(waiter.party)
      waiter.tell(answer)
    }
  }

  function boarded(flight: Flight, tell: Land, signal: AbortSignal | undefined): Waiter {
    const party = signal ? partyOf(signal) : null
    const waiter = { flight, tell, party, hasLanded: false }
    if (party) {
      party.waiting++
      party.waiters.push(waiter)
    }
    return waiter
  }

  function partyOf(signal: AbortSignal): Party {
    const known = parties.get(signal)
    if (known) return known
    const party = { signal, waiters: [], waiting: 0 }
    parties.set(signal, party)
    signal.addEventListener('abort', leaveTogether, { once: true })
    return party
  }

  /** With its last waiter the party ends. */
  function leaveBehind(party: Party): void {
    party.waiting--
    if (party.waiting > 0 || parties.get(party.signal) !== party) return
    parties.delete(party.signal)
    party.signal.removeEventListener('abort', leaveTogether)
  }

  function leaveTogether({ target }: Event): void {
    const signal = target as AbortSignal
    const all = parties.get(signal)?.waiters ?? []
    parties.delete(signal)
    for (const waiter of all) if (!waiter.hasLanded) leave(waiter, aborted(signal))
  }

  /** With the last waiter the flight ends. */
  function leave({ flight, tell }: Waiter, answer: DnsAnswer): void {
    flight.waiters = flight.waiters.filter((waiter) => waiter.tell !== tell)
    if (flight.waiters.length === 0) {
      flights.delete(flight.key)
      flight.cancel()
    }
    tell(answer)
  }

  /** Joins the flight for `key`, starting it if there is none. */
  return function join(key: string, start: Start, signal?: AbortSignal): Promise<DnsAnswer> {
    if (signal?.aborted) return Promise.resolve(aborted(signal))
    return new Promise((tell) => {
      const flight = flights.get(key)
      if (flight) flight.waiters.push(boarded(flight, tell, signal))
      else takeOff(key, start, tell, signal)
    })
  }
}

/** A deadline aborts with a `TimeoutError`; anything else is a caller who left. */
function aborted(signal: AbortSignal): DnsAnswer {
  return signal.reason?.name === 'TimeoutError'
    ? failed('timeout', 'the report’s time for DNS questions ran out')
    : failed('aborted', 'the caller gave up')
}
