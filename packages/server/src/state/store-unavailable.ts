/**
 * The only error that the store throws. Its message gives operators the reason but never what was
 * sent: a server may repeat an unknown command, including the password.
 */
import { ErrorReply } from '@redis/client'

export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable'
}

/** The first word of an error reply, such as `OOM` or `READONLY`; null for other errors. */
export function redisErrorCode(error: unknown): string | null {
  if (!(error instanceof ErrorReply)) return null
  return /^[A-Z]+/.exec(error.message)?.[0] ?? 'ERR'
}

export function toStoreUnavailable(error: unknown): StoreUnavailable {
  if (error instanceof StoreUnavailable) return error
  const code = redisErrorCode(error)
  if (code) return new StoreUnavailable(`the store says ${code}`)
  return new StoreUnavailable(`the connection failed: ${describeError(error)}`)
}

function describeError(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  return 'code' in error && typeof error.code === 'string' ? error.code : error.constructor.name
}

const SLICES = 5

/**
 * Counts time in slices, so a pause of this process costs one slice at most. The store is not to
 * blame for a reply that we were too busy to read.
 */
export function withTimeout<Value>(timeoutMs: number, promise: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    let left = SLICES
    const timer = setInterval(() => {
      left -= 1
      if (left > 0) return
      clearInterval(timer)
      reject(new StoreUnavailable(`no answer within ${timeoutMs} ms`))
    }, timeoutMs / SLICES)
    promise.then(resolve, reject).finally(() => clearInterval(timer))
  })
}
