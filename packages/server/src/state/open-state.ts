/** What several instances must agree on: in memory while there is one, in a store when they are more. */
import type { SharedState } from '../app.js'
import type { Config } from '../config.js'
import { createMemoryLedger } from './memory-ledger.js'
import { createMemoryLimiter } from './memory-limiter.js'
import type { StoreOptions } from './store.js'

export interface MemoryOptions {
  readonly config: Pick<Config, 'rateLimitPerMinute'>
  /** Monotonic milliseconds. */
  readonly now: () => number
  /** Milliseconds since 1970. */
  readonly wallClock: () => number
}

export interface StateOptions extends MemoryOptions, Pick<StoreOptions, 'onCommand' | 'onState'> {
  readonly config: Pick<Config, 'rateLimitPerMinute' | 'redisUrl'>
}

export interface OpenState extends SharedState {
  close(): void
}

export function memoryState({ config, now, wallClock }: MemoryOptions): OpenState {
  return {
    limiter: createMemoryLimiter({ limit: config.rateLimitPerMinute, now }),
    ledger: createMemoryLedger({ now: wallClock }),
    isStoreUp: null,
    close: () => {},
  }
}

export async function openState({
  onCommand,
  onState,
  ...options
}: StateOptions): Promise<OpenState> {
  const { redisUrl: url, rateLimitPerMinute: limit } = options.config
  if (url === null) return memoryState(options)
  // By need: the store's client takes as long to load as much of the rest.
  const { openStoreState } = await import('./store-state.js')
  return openStoreState(limit, {
    url,
    now: options.now,
    ...(onCommand && { onCommand }),
    ...(onState && { onState }),
  })
}
