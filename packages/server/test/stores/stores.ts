/** Stores as instances of the service have them, and what they have to say. */
import { onTestFinished, vi } from 'vitest'
import { openStore, type Store, type StoreCommand } from '../../src/state/store.js'

export interface WatchedStore extends Store {
  /** Every time it went up or down: `up`, or why not. */
  readonly states: string[]
  readonly commands: StoreCommand[]
  /** Resolves when it is up, by itself. */
  back(): Promise<void>
  /** Resolves when it has noticed that it is not. */
  gone(): Promise<void>
}

export function watchStore(url: string): WatchedStore {
  const states: string[] = []
  const commands: StoreCommand[] = []
  const store = openStore({
    url,
    now: () => performance.now(),
    onCommand: (command) => commands.push(command),
    onState: (isUp, cause) => states.push(isUp ? 'up' : cause),
  })
  onTestFinished(store.close)
  const becomes = (isUp: boolean) =>
    vi.waitUntil(() => store.isUp() === isUp, { timeout: 20_000, interval: 5 })
  return {
    ...store,
    states,
    commands,
    back: async () => void (await becomes(true)),
    gone: async () => void (await becomes(false)),
  }
}

export async function connectedStore(url: string): Promise<WatchedStore> {
  const store = watchStore(url)
  await store.tried
  return store
}

/** What it came to, and how long it took. */
export async function timed<Value>(work: () => Value | Promise<Value>) {
  const startedAt = performance.now()
  const outcome = await Promise.resolve(work()).catch((error: unknown) => error)
  return { outcome, ms: performance.now() - startedAt }
}
