/**
 * The limit on free requests, and what callers are told of it
 * (draft-ietf-httpapi-ratelimit-headers-10).
 *
 * Every request that reaches a free operation counts, whatever its answer: a rule that callers can
 * count along with.
 */
import type { Context } from 'hono'
import { type Problem, rateLimitedProblem } from '../operations/run-operation.js'
import type { RateLimiter } from '../state/rate-limiter.js'
import type { RouteHandler, SendProblem } from './add-route.js'
import type { HttpEnv } from './http-env.js'
import { sendProblemJson } from './problem-response.js'
import type { ReadCaller } from './request-context.js'
import { setHeader } from './respond.js'

export interface RateLimitOptions {
  readonly limiter: RateLimiter
  readonly readCaller: ReadCaller
  readonly log: RateLimitLog
}

export interface RateLimitLog {
  /** A caller was refused; who it was is to be counted, and never written down. */
  rateLimitExceeded(caller: string): void
}

/** Counts a request of this caller and says so in its headers; the problem, if it is one too many. */
export type ConsumeRateLimit = (c: Context<HttpEnv>) => Promise<Problem | null>

export function createConsumeRateLimit({
  limiter,
  readCaller,
  log,
}: RateLimitOptions): ConsumeRateLimit {
  const { limit, windowSeconds } = limiter
  const policy = `"free";q=${limit};w=${windowSeconds}`
  return async function takeTurn(c) {
    const caller = readCaller(c)
    const { isAllowed, remaining, resetSeconds } = await limiter.consume(caller)
    setHeader(c, 'RateLimit-Policy', policy)
    setHeader(c, 'RateLimit', `"free";r=${remaining};t=${resetSeconds}`)
    if (isAllowed) return null
    log.rateLimitExceeded(caller)
    return rateLimitedProblem(limiter, resetSeconds)
  }
}

/** Puts handlers under one common limit. */
export function withRateLimit(takeTurn: ConsumeRateLimit, refuse: SendProblem = sendProblemJson) {
  return (handle: RouteHandler): RouteHandler =>
    async function handleLimited(c) {
      const refusal = await takeTurn(c)
      return refusal ? refuse(c, refusal.code, refusal) : handle(c)
    }
}
