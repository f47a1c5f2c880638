/** How much the payment benchmark does, and what it measures against. */

export const IN_FLIGHT = 20

export const ROUNDS = 7

/** Ours beside the stock middleware. */
export const MOST = 1

/** Requests of a round: over a chain each takes many times as long. */
export const REQUESTS = {
  chain: { alone: 15, inFlight: 40, warmUp: 60 },
  instant: { alone: 50, inFlight: 120, warmUp: 400 },
  challenge: { inFlight: 400, warmUp: 1_000 },
}

/** One of the zones of the check benchmark: an ordinary domain, and a long enough report. */
export const DOMAIN = 'workspace-0.test'

export const PATH = `/v1/score?domain=${DOMAIN}`

/** What all who are compared call themselves. */
export const BASE_URL = 'https://mailgrade.example'
