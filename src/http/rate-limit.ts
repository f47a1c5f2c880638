/**
 * The limit on free requests, and what callers are told of it
 * (draft-ietf-httpapi-ratelimit-headers-10).
 *
 * Every request that reaches a free operation counts, whatever its answer: a rule that callers can
 * count along with.
 */
import type { Context } from 'hono'
import { callerOf } from '../limits/caller.js'
import type { Limiter } from '../limits/limiter.js'
import type { Problem } from '../operations/perform.js'
import { rateLimited } from '../operations/rate-limited.js'
import type { HttpEnv } from './http-env.js'
import type { Handle, Refuse } from './mount.js'
import { problem } from './problem.js'

export interface RateLimitOptions {
  readonly limiter: Limiter
  readonly trustProxyHops: number
}

/** Counts a request of this caller and says so in its headers; the problem, if it is one too many. */
export type TakeTurn = (c: Context<HttpEnv>) => Promise<Problem | null>

export function turnTaker({ limiter, trustProxyHops }: RateLimitOptions): TakeTurn {
  const { limit, windowSeconds } = limiter
  const policy = `"free";q=${limit};w=${windowSeconds}`
  return async function takeTurn(c) {
    const peerAddress = c.env.incoming?.socket.remoteAddress
    const caller = callerOf(peerAddress, c.req.header('x-forwarded-for'), trustProxyHops)
    const { isAccepted, remaining, resetSeconds } = await limiter.take(caller)
    c.header('RateLimit-Policy', policy)
    c.header('RateLimit', `"free";r=${remaining};t=${resetSeconds}`)
    if (isAccepted) return null
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
