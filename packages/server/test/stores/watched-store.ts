/** A store as the service opens it, with its events recorded. */
import { onTestFinished } from 'vitest'
import {
  openRedisStore,
  type RedisCommand,
  type RedisStore,
  STORE_TIMEOUTS,
} from '../../src/state/redis-store.js'

export interface WatchedStore extends RedisStore {
  /** `up`, or the cause, for every change. */
  readonly states: string[]
  readonly commands: RedisCommand[]
  waitUntilUp(): Promise<void>
  waitUntilDown(): Promise<void>
}

export interface WatchedServer {
  readonly url: string
  /** Whether it never answers; never by default. */
  isFrozen?(): boolean
}

/** A server that is not frozen answers, however busy this machine is. */
const PATIENCE_MS = 120_000

/** Its timeouts are those of the service while the server is frozen. */
export function openWatchedStore({ url, isFrozen = () => false }: WatchedServer): WatchedStore {
  const states: string[] = []
  const commands: RedisCommand[] = []
  const waiting = new Set<() => void>()
  const patient = (timeoutMs: number) => (isFrozen() ? timeoutMs : PATIENCE_MS)
  const store = openRedisStore({
    url,
    now: () => performance.now(),
    onCommand: (command) => commands.push(command),
    onState(isUp, cause) {
      states.push(isUp ? 'up' : cause)
      for (const check of waiting) check()
    },
    timeouts: {
      get connectMs() {
        return patient(STORE_TIMEOUTS.connectMs)
      },
      get probeMs() {
        return patient(STORE_TIMEOUTS.probeMs)
      },
    },
  })
  onTestFinished(store.close)
  const becomes = (isUp: boolean) =>
    new Promise<void>((resolve) => {
      const check = () => {
        if (store.isUp() !== isUp) return
        waiting.delete(check)
        resolve()
      }
      waiting.add(check)
      check()
    })
  return {
    ...store,
    runScript: (script, keys, args, { timeoutMs }) =>
      store.runScript(script, keys, args, { timeoutMs: patient(timeoutMs) }),
    states,
    commands,
    waitUntilUp: () => becomes(true),
    waitUntilDown: () => becomes(false),
  }
}

export async function connectWatchedStore(server: WatchedServer): Promise<WatchedStore> {
  const store = openWatchedStore(server)
  await store.firstAttempt
  return store
}

/** How the commands ended that were sent, or not sent, since there were so many. */
export function outcomesSince(
  { commands }: WatchedStore,
  count: number,
  isCounted: (command: string) => boolean,
): RedisCommand['outcome'][] {
  return commands
    .slice(count)
    .filter(({ command }) => isCounted(command))
    .map(({ outcome }) => outcome)
}

/** Returns the result or the error. */
export async function outcomeOf<Value>(work: () => Value | Promise<Value>): Promise<unknown> {
  try {
    return await work()
  } catch (error) {
    return error
  }
}
