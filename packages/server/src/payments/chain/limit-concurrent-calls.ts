/** Runs at most `limit` calls at once; the others wait in order. */
export function limitConcurrentCalls(limit: number) {
  const waiters: (() => void)[] = []
  let free = limit
  return async <Result>(call: () => Promise<Result>): Promise<Result> => {
    if (free > 0) free -= 1
    else await new Promise<void>((resolve) => waiters.push(resolve))
    try {
      return await call()
    } finally {
      // Passed on directly, so a new call cannot overtake those that wait.
      const next = waiters.shift()
      if (next) next()
      else free += 1
    }
  }
}
