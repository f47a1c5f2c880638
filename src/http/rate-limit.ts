/**
 * The limit on free requests, and what callers are told of it
 * (draft-ietf-httpapi-ratelimit-headers-10).
 *
 * Every request that reaches a free operation counts, whatever its answer: a rule that callers can
 * count along with.
 */
import { callerOf } from '../limits/caller.js'
import type { Limiter } from '../limits/limiter.js'
import type { Handle } from './mount.js'
import { problem } from './problem.js'

export interface RateLimitOptions {
  readonly limiter: Limiter
  readonly trustProxyHops: number
}

/** Puts handlers under one common limit. */
export function rateLimit({ limiter, trustProxyHops }: RateLimitOptions) {
  const { limit, windowSeconds } = limiter
  const policy = `"free";q=${limit};w=${windowSeconds}`
  return (handle: Handle): Handle =>
    async function handleLimited(c) {
      const peerAddress = c.env.incoming?.socket.remoteAddress
      const caller = callerOf(peerAddress, c.req.header('x-forwarded-for'), trustProxyHops)
      const { isAccepted, remaining, resetSeconds } = await limiter.take(caller)
      c.header('RateLimit-Policy', policy)
      c.header('RateLimit', `"free";r=${remaining};t=${resetSeconds}`)
      if (isAccepted) return handle(c)
      c.header('Retry-After', String(resetSeconds))
      return problem(c, 'rate_limited', {
        detail: `The free checks answer one caller ${limit} times in any ${windowSeconds} seconds. Ask again in ${seconds(resetSeconds)}.`,
      })
    }
}

function seconds(count: number): string {
  return count === 1 ? '1 second' : `${count} seconds`
}
