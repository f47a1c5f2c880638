/** State that all instances share: in memory for a single instance, otherwise in a store. */
import type { SharedState } from '../app.js'
import type { Config } from '../config.js'
import { createMemoryLedger } from './memory-ledger.js'
import { createMemoryRateLimiter } from './memory-rate-limiter.js'
import type { RedisStoreOptions } from './redis-store.js'

export interface MemoryStateOptions {
  readonly config: Pick<Config, 'rateLimitPerMinute'>
  /** Monotonic milliseconds. */
  readonly now: () => number
  /** Milliseconds since 1970. */
  readonly wallClock: () => number
}

export interface OpenStateOptions
  extends MemoryStateOptions,
    Pick<RedisStoreOptions, 'onCommand' | 'onState'> {
  readonly config: Pick<Config, 'rateLimitPerMinute' | 'redisUrl'>
}

export interface ClosableState extends SharedState {
  close(): void
}

export function createMemoryState({ config, now, wallClock }: MemoryStateOptions): ClosableState {
  return {
    rateLimiter: createMemoryRateLimiter({ limit: config.rateLimitPerMinute, now }),
    ledger: createMemoryLedger({ now: wallClock }),
    isStoreUp: null,
    close: () => {},
  }
}

export async function openState({
  onCommand,
  onState,
  ...options
}: OpenStateOptions): Promise<ClosableState> {
  const { redisUrl: url, rateLimitPerMinute: limit } = options.config
  if (url === null) return createMemoryState(options)
  // Lazy: the Redis client is slow to load.
  const { openRedisState } = await import('./redis-state.js')
  return openRedisState(limit, {
    url,
    now: options.now,
    ...(onCommand && { onCommand }),
    ...(onState && { onState }),
  })
}
