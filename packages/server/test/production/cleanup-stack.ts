/** Whatever was started is stopped, the last first, also when something later does not start. */

export interface CleanupStack {
  defer(stop: () => unknown): void
  /** Waits for something that can be killed, and sees to it that it is. */
  deferKill<T extends { kill(): unknown }>(starting: Promise<T>): Promise<T>
  stop(): Promise<void>
}

export async function openWithCleanup<T>(
  open: (stops: CleanupStack) => Promise<T>,
): Promise<T & Pick<CleanupStack, 'stop'>> {
  const all: (() => unknown)[] = []
  const stop = async () => {
    for (const stopOne of all.reverse()) await stopOne()
  }
  const stops: CleanupStack = {
    defer: (stopOne) => void all.push(stopOne),
    async deferKill(starting) {
      const server = await starting
      all.push(server.kill)
      return server
    },
    stop,
  }
  try {
    return { ...(await open(stops)), stop }
  } catch (error) {
    await stop()
    throw error
  }
}
