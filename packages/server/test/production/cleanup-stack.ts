/** Stops everything that was started, in reverse order, also when a later start fails. */

export interface CleanupStack {
  defer(stop: () => unknown): void
  /** Waits for a server to start, and kills it at the end. */
  deferKill<T extends { kill(): unknown }>(starting: Promise<T>): Promise<T>
  stop(): Promise<void>
}

export async function openWithCleanup<T>(
  open: (cleanup: CleanupStack) => Promise<T>,
): Promise<T & Pick<CleanupStack, 'stop'>> {
  const deferred: (() => unknown)[] = []
  const stop = async () => {
    for (const stopOne of deferred.reverse()) await stopOne()
  }
  const cleanup: CleanupStack = {
    defer: (stopOne) => void deferred.push(stopOne),
    async deferKill(starting) {
      const server = await starting
      deferred.push(server.kill)
      return server
    },
    stop,
  }
  try {
    return { ...(await open(cleanup)), stop }
  } catch (error) {
    await stop()
    throw error
  }
}
