/** A store as the service opens it, with its events recorded. */
import { onTestFinished, vi } from 'vitest'
import { openRedisStore, type RedisCommand, type RedisStore } from '../../src/state/redis-store.js'

export interface WatchedStore extends RedisStore {
  /** `up`, or the cause, for every change. */
  readonly states: string[]
  readonly commands: RedisCommand[]
  waitUntilUp(): Promise<void>
  waitUntilDown(): Promise<void>
}

export function openWatchedStore(url: string): WatchedStore {
  const states: string[] = []
  const commands: RedisCommand[] = []
  const store = openRedisStore({
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
    waitUntilUp: async () => void (await becomes(true)),
    waitUntilDown: async () => void (await becomes(false)),
  }
}

export async function connectWatchedStore(url: string): Promise<WatchedStore> {
  const store = openWatchedStore(url)
  await store.firstAttempt
  return store
}

/** Returns the result or the error, and the time it took. */
export async function timeOutcome<Value>(work: () => Value | Promise<Value>) {
  const startedAt = performance.now()
  const outcome = await Promise.resolve(work()).catch((error: unknown) => error)
  return { outcome, ms: performance.now() - startedAt }
}
