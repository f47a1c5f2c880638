/**
 * The rate limit for free requests and its headers (draft-ietf-httpapi-ratelimit-headers-10). Every
 * request to a free operation counts, whatever its response.
 */
import { type Problem, rateLimitedProblem } from '@mailgrade/operations/run-operation'
import type { Context, MiddlewareHandler } from 'hono'
import type { RateLimiter } from '../state/memory-rate-limiter.js'
import type { ReadCaller } from './request-context.js'
import {
  type HttpEnv,
  responseHeaders,
  type SendProblem,
  sendProblemJson,
  setHeader,
} from './respond.js'

export interface RateLimitOptions {
  readonly limiter: RateLimiter
  readonly readCaller: ReadCaller
  readonly log: RateLimitLog
}

export interface RateLimitLog {
  /** A caller was rate limited. Count the caller, but never log who it was. */
  rateLimitExceeded(caller: string): void
}

/** Counts a request and sets its headers; returns the problem if it exceeds the limit. */
export type ConsumeRateLimit = (c: Context<HttpEnv>) => Promise<Problem | null>

export function createConsumeRateLimit({
  limiter,
  readCaller,
  log,
}: RateLimitOptions): ConsumeRateLimit {
  const { limit, windowSeconds } = limiter
  const policy = `"free";q=${limit};w=${windowSeconds}`
  return async function consumeRateLimit(c) {
    const caller = readCaller(c)
    const { isAllowed, remaining, resetSeconds } = await limiter.consume(caller)
    setHeader(c, 'RateLimit-Policy', policy)
    setHeader(c, 'RateLimit', `"free";r=${remaining};t=${resetSeconds}`)
    if (isAllowed) return null
    log.rateLimitExceeded(caller)
    return rateLimitedProblem(limiter, resetSeconds)
  }
}

/** For a response that caches share: the limit of one caller is wrong for the others. */
export function removeRateLimitHeaders(c: Context<HttpEnv>): void {
  const headers = responseHeaders(c)
  delete headers['RateLimit-Policy']
  delete headers.RateLimit
}

/** All routes with the same `consumeRateLimit` share one limit. */
export function rateLimit(
  consumeRateLimit: ConsumeRateLimit,
  sendProblem: SendProblem = sendProblemJson,
): MiddlewareHandler<HttpEnv> {
  return async function limitRate(c, next) {
    const problem = await consumeRateLimit(c)
    return problem ? sendProblem(c, problem.code, problem) : next()
  }
}
