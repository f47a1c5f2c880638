/**
 * The limit on free requests, and what callers are told of it
 * (draft-ietf-httpapi-ratelimit-headers-10).
 *
 * Every request that reaches a free operation counts, whatever its answer: a rule that callers can
 * count along with.
 */
import type { Context } from 'hono'
import type { Problem } from '../operations/perform.js'
import { rateLimited } from '../operations/rate-limited.js'
import type { Limiter } from '../state/limiter.js'
import type { HttpEnv } from './http-env.js'
import type { Handle, Refuse } from './mount.js'
import { problem } from './problem.js'
import { carry } from './reply.js'
import type { CallerOf } from './visitor.js'

export interface RateLimitOptions {
  readonly limiter: Limiter
  readonly callerOf: CallerOf
  readonly log: LimitLog
}

export interface LimitLog {
  /** A caller was refused; who it was is to be counted, and never written down. */
  limited(caller: string): void
}

/** Counts a request of this caller and says so in its headers; the problem, if it is one too many. */
export type TakeTurn = (c: Context<HttpEnv>) => Promise<Problem | null>

export function turnTaker({ limiter, callerOf, log }: RateLimitOptions): TakeTurn {
  const { limit, windowSeconds } = limiter
  const policy = `"free";q=${limit};w=${windowSeconds}`
  return async function takeTurn(c) {
    const caller = callerOf(c)
    const { isAccepted, remaining, resetSeconds } = await limiter.take(caller)
    carry(c, 'RateLimit-Policy', policy)
    carry(c, 'RateLimit', `"free";r=${remaining};t=${resetSeconds}`)
    if (isAccepted) return null
    log.limited(caller)
    return rateLimited(limiter, resetSeconds)
  }
}

/** Puts handlers under one common limit. */
export function rateLimit(takeTurn: TakeTurn, refuse: Refuse = problem) {
  return (handle: Handle): Handle =>
    async function handleLimited(c) {
      const refusal = await takeTurn(c)
      return refusal ? refuse(c, refusal.code, refusal) : handle(c)
    }
}
