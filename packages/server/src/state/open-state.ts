/** State of the service: in memory for the sandbox, on disk for one live instance, in a store for several. */
import type { SharedState } from '../app.js'
import type { Config } from '../config.js'
import { createLocalLedgerStore } from './local-ledger-store.js'
import { createMemoryRateLimiter } from './memory-rate-limiter.js'
import type { RedisStoreOptions } from './redis-store.js'
import { createStoredLedger } from './stored-ledger.js'

export interface MemoryStateOptions {
  readonly config: Pick<Config, 'rateLimitPerMinute'>
  /** Monotonic milliseconds. */
  readonly now: () => number
  /** Milliseconds since 1970. */
  readonly wallClock: () => number
}

/** What the disk lost of the ledger; called at start. */
type OnDroppedBytes = (bytes: number) => void

/** Nothing was ever sold with this ledger; called at start, or when the store answers. */
type OnNewLedger = () => void

export interface OpenStateOptions
  extends MemoryStateOptions,
    Pick<RedisStoreOptions, 'onCommand' | 'onState' | 'onRisk'> {
  readonly config: Pick<
    Config,
    'mode' | 'rateLimitPerMinute' | 'redisUrl' | 'dataDir' | 'acceptedLoss'
  >
  readonly onDroppedBytes?: OnDroppedBytes
  readonly onNewLedger?: OnNewLedger
}

export interface ClosableState extends SharedState {
  close(): void | Promise<void>
}

export function createMemoryState({ config, now, wallClock }: MemoryStateOptions): ClosableState {
  return {
    rateLimiter: createMemoryRateLimiter({ limit: config.rateLimitPerMinute, now }),
    ledger: createStoredLedger(createLocalLedgerStore({ now: wallClock })),
    isStoreUp: null,
    close: () => {},
  }
}

export async function openState({
  onCommand,
  onState,
  onRisk,
  onDroppedBytes = () => {},
  onNewLedger = () => {},
  ...options
}: OpenStateOptions): Promise<ClosableState> {
  const { mode, redisUrl: url, rateLimitPerMinute: limit } = options.config
  if (url === null && mode === 'live') return openDiskState(options, onDroppedBytes, onNewLedger)
  if (url === null) return createMemoryState(options)
  // Lazy: the Redis client is slow to load.
  const { openRedisState } = await import('./redis-state.js')
  return openRedisState(limit, {
    url,
    now: options.now,
    wallClock: options.wallClock,
    onNewLedger,
    ...(onCommand && { onCommand }),
    ...(onState && { onState }),
    ...(onRisk && { onRisk }),
  })
}

/** Payments survive a restart; rate limits need not. */
async function openDiskState(
  options: MemoryStateOptions & Pick<OpenStateOptions, 'config'>,
  onDroppedBytes: OnDroppedBytes,
  onNewLedger: OnNewLedger,
): Promise<ClosableState> {
  const [{ openLevelJournal }, { removeOldCopies }] = await Promise.all([
    import('./level-journal.js'),
    import('./journal-records.js'),
  ])
  const { dataDir } = options.config
  await removeOldCopies(dataDir)
  const journal = await openLevelJournal(dataDir, options.config)
  if (journal.droppedBytes > 0) onDroppedBytes(journal.droppedBytes)
  if (journal.isNew) onNewLedger()
  return {
    ...createMemoryState(options),
    ledger: createStoredLedger(createLocalLedgerStore({ now: options.wallClock, journal })),
    close: journal.close,
  }
}
