import { StoreUnavailable } from './store-unavailable.js'

const SLICES = 5

/**
 * Counted in slices, of which a pause of this process uses up one at most: while we are held up
 * ourselves, an answer cannot be read, and the store is not to blame.
 */
export function withTimeout<Value>(timeoutMs: number, promise: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    let left = SLICES
    const clock = setInterval(() => {
      left -= 1
      if (left > 0) return
      clearInterval(clock)
      reject(new StoreUnavailable(`no answer within ${timeoutMs} ms`))
    }, timeoutMs / SLICES)
    promise.then(resolve, reject).finally(() => clearInterval(clock))
  })
}
