/**
 * What several instances share, on Redis or Valkey. It is there or it is not: after one failure every
 * call is refused at once until the store itself has written something again, so that a server that
 * hangs costs a few requests their timeout and not all of them.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { evaluateScript } from './evaluate.js'
import { assertRedisUrl, connectRedis, type RedisConnection } from './redis-connection.js'
import { type RedisScript, redisKey } from './redis-script.js'
import { redisErrorCode, StoreUnavailable, toStoreUnavailable } from './store-unavailable.js'
import { withTimeout } from './within.js'

export interface RedisStore {
  /** Rejects with `StoreUnavailable`, and then nobody knows whether the script has run. */
  runScript(
    script: RedisScript,
    keys: readonly string[],
    args: readonly string[],
    options: { readonly timeoutMs: number },
  ): Promise<unknown>
  isUp(): boolean
  /** The first attempt to connect is over, one way or the other. */
  readonly firstAttempt: Promise<void>
  close(): void
}

export interface RedisStoreOptions {
  /** `redis://` or `rediss://` */
  readonly url: string
  /** Monotonic milliseconds. */
  readonly now: () => number
  readonly onCommand?: (command: RedisCommand) => void
  readonly onState?: (isUp: boolean, cause: string) => void
}

export interface RedisCommand {
  readonly command: string
  /** `skipped`: refused without asking, because the store is known to be down. */
  readonly outcome: 'ok' | 'failed' | 'skipped'
  readonly ms: number
}

const CONNECT_TIMEOUT_MS = 1_000
const PROBE_TIMEOUT_MS = 250
/** Drawn anew each time, so that many instances do not come back as one. */
const restMs = () => 500 + Math.random() * 500

/** A write: reads go well on a server that is out of memory or a replica. */
const PROBE = ['SET', redisKey('probe'), '1', 'PX', '1000']

export function openRedisStore({ url, now, onCommand, onState }: RedisStoreOptions): RedisStore {
  assertRedisUrl(url)
  const closing = new AbortController()
  let connection: RedisConnection | null = null
  let isUp = false
  let cause = 'not connected yet'

  async function attempt(): Promise<void> {
    try {
      connection ??= await open()
      await timed('probe', connection, PROBE_TIMEOUT_MS, (used) => used.send(PROBE))
      if (closing.signal.aborted) return
      isUp = true
      onState?.(true, '')
    } catch (error) {
      if (closing.signal.aborted) return
      const before = cause
      cause = toStoreUnavailable(error).message
      // Once for each cause, not for each attempt.
      if (cause !== before) onState?.(false, cause)
    }
  }

  async function open(): Promise<RedisConnection> {
    const opened = await connectRedis({
      url,
      timeoutMs: CONNECT_TIMEOUT_MS,
      onLost: (error) => fail(opened, error),
    })
    if (!closing.signal.aborted) return opened
    opened.drop()
    throw new StoreUnavailable('closed')
  }

  /** Runs whenever the store is down, and only then. */
  async function recover(): Promise<void> {
    while (!isUp && !closing.signal.aborted) {
      await delay(restMs(), null, { ref: false, signal: closing.signal }).catch(() => {})
      if (!closing.signal.aborted) await attempt()
    }
  }

  function fail(used: RedisConnection, error: unknown): void {
    if (used !== connection) return
    const code = redisErrorCode(error)
    // A server that answers is worth keeping; one that has become a replica has a successor.
    if (code === null || code === 'READONLY') {
      connection = null
      used.drop()
    }
    if (!isUp) return
    isUp = false
    cause = toStoreUnavailable(error).message
    onState?.(false, cause)
    void recover()
  }

  async function timed(
    command: string,
    used: RedisConnection,
    timeoutMs: number,
    send: (used: RedisConnection) => Promise<unknown>,
  ): Promise<unknown> {
    const startedAt = now()
    const note = (outcome: RedisCommand['outcome']) =>
      onCommand?.({ command, outcome, ms: now() - startedAt })
    try {
      const reply = await withTimeout(timeoutMs, send(used))
      note('ok')
      return reply
    } catch (error) {
      note('failed')
      fail(used, error)
      throw toStoreUnavailable(error)
    }
  }

  const tried = attempt()
  void tried.then(recover)
  return {
    async runScript(script, keys, args, { timeoutMs }) {
      const send = (used: RedisConnection) => evaluateScript(used, script, keys, args)
      if (isUp && connection) return timed(script.name, connection, timeoutMs, send)
      onCommand?.({ command: script.name, outcome: 'skipped', ms: 0 })
      throw new StoreUnavailable(cause)
    },
    isUp: () => isUp,
    firstAttempt: tried,
    close() {
      isUp = false
      cause = 'closed'
      closing.abort()
      connection?.drop()
      connection = null
    },
  }
}
