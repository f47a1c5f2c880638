/** Lets so many works go on at once; the others wait in line. */
export function limitConcurrentCalls(limit: number) {
  const line: (() => void)[] = []
  let free = limit
  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (free > 0) free -= 1
    else await new Promise<void>((resolve) => line.push(resolve))
    try {
      return await work()
    } finally {
      // A place goes to the next in line, so that nobody jumps the queue in between.
      const next = line.shift()
      if (next) next()
      else free += 1
    }
  }
}
