/** The problem of a caller who has asked for too much that is free. */
import type { Problem } from './run-operation.js'

interface Limit {
  /** This many requests are answered … */
  readonly limit: number
  /** … in any span of this length. */
  readonly windowSeconds: number
}

export function rateLimitedProblem({ limit, windowSeconds }: Limit, resetSeconds: number): Problem {
  return {
    kind: 'problem',
    code: 'rate_limited',
    detail: `The free checks answer one caller ${limit} times in any ${windowSeconds} seconds. Ask again in ${seconds(resetSeconds)}.`,
    retryAfterSeconds: resetSeconds,
    cause: 'over the limit',
  }
}

function seconds(count: number): string {
  return count === 1 ? '1 second' : `${count} seconds`
}
