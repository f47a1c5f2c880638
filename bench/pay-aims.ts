/** How much the payment benchmark does, and what it measures against. */

export const PAYMENTS_IN_FLIGHT = 20

export const PAYMENT_ROUNDS = 7

/** Ours beside the stock middleware. */
export const PAYMENT_MAX_RATIO = 1

/** Requests of a round: over a chain each takes many times as long. */
export const PAYMENT_REQUEST_COUNTS = {
  chain: { alone: 15, inFlight: 40, warmUp: 60 },
  instant: { alone: 50, inFlight: 120, warmUp: 400 },
  challenge: { inFlight: 400, warmUp: 1_000 },
}

/** One of the zones of the check benchmark: an ordinary domain, and a long enough report. */
export const BENCH_DOMAIN = 'workspace-0.test'

export const BENCH_SCORE_PATH = `/v1/score?domain=${BENCH_DOMAIN}`

/** What all who are compared call themselves. */
export const BENCH_BASE_URL = 'https://mailgrade.example'
