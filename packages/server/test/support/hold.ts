/** Stops something at a point until a test lets it go on; if the test never does, it is lost. */
export interface Hold {
  /** Resolves when something waits here. */
  readonly reached: Promise<void>
  /** Waits here. */
  wait(): Promise<void>
  release(): void
}

export function createHold(): Hold {
  const reached = createSignal()
  const released = createSignal()
  return {
    reached: reached.promise,
    wait() {
      reached.resolve()
      return released.promise
    },
    release: released.resolve,
  }
}

function createSignal() {
  let resolve = () => {}
  const promise = new Promise<void>((settle) => {
    resolve = settle
  })
  return { promise, resolve: () => resolve() }
}
