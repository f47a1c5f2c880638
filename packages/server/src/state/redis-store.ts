/**
 * The store on Redis or Valkey, either up or down. After a failure every call is rejected at once
 * until a probe has written something, so a hanging server delays only a few requests.
 */
import { setTimeout as delay } from 'node:timers/promises'
import {
  assertRedisUrl,
  connectRedis,
  evaluateScript,
  type RedisConnection,
  type RedisScript,
  redisErrorCode,
  redisKey,
  StoreUnavailable,
  toStoreUnavailable,
  withTimeout,
} from './redis-connection.js'

export interface RedisStore {
  /** Rejects with `StoreUnavailable`; the script may or may not have run. */
  runScript(
    script: RedisScript,
    keys: readonly string[],
    args: readonly string[],
    options: { readonly timeoutMs: number },
  ): Promise<unknown>
  isUp(): boolean
  /** Resolves when the first attempt to connect has succeeded or failed. */
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
  readonly onRisk?: (risk: StoreRisk) => void
  /** Tests pass their own. */
  readonly timeouts?: StoreTimeouts
}

/** How the server may lose what was paid. */
export type StoreRisk =
  /** It drops entries when its memory is full. */
  | { readonly kind: 'evicts'; readonly policy: string }
  /** It has no append-only file, so it forgets when it restarts. */
  | { readonly kind: 'forgets' }
  /** This user may not ask it. */
  | { readonly kind: 'unchecked' }

export interface StoreTimeouts {
  readonly connectMs: number
  readonly probeMs: number
}

export interface RedisCommand {
  readonly command: string
  /** `skipped`: not sent, because the store is down. */
  readonly outcome: 'ok' | 'failed' | 'skipped'
  readonly ms: number
}

export const STORE_TIMEOUTS: StoreTimeouts = { connectMs: 1_000, probeMs: 250 }
/** Random, so instances do not all reconnect at once. */
const retryDelayMs = () => 500 + Math.random() * 500

/** A write, because reads also succeed on a replica or a server that is out of memory. */
const PROBE = ['SET', redisKey('probe'), '1', 'PX', '1000']

async function findRisks(connection: RedisConnection): Promise<StoreRisk[]> {
  const ask = (section: string) => connection.send(['INFO', section])
  const info = await Promise.all([ask('memory'), ask('persistence')]).then(
    (sections) => sections.join('\n'),
    (error) => (redisErrorCode(error) === null ? null : ''),
  )
  // The next connection asks again.
  if (info === null) return []
  const setting = (name: string) => new RegExp(`^${name}:(\\S+)`, 'm').exec(info)?.[1]
  const policy = setting('maxmemory_policy')
  const appendOnly = setting('aof_enabled')
  const risks: (StoreRisk | false)[] = [
    policy !== undefined && policy !== 'noeviction' && { kind: 'evicts', policy },
    appendOnly === '0' && { kind: 'forgets' },
    (policy === undefined || appendOnly === undefined) && { kind: 'unchecked' },
  ]
  return risks.filter((risk) => risk !== false)
}

export function openRedisStore(options: RedisStoreOptions): RedisStore {
  const { url, now, onCommand, onState, onRisk, timeouts = STORE_TIMEOUTS } = options
  assertRedisUrl(url)
  const closing = new AbortController()
  let connection: RedisConnection | null = null
  let isUp = false
  let cause = 'not connected yet'

  async function attempt(): Promise<void> {
    try {
      connection ??= await open()
      await runTimed('probe', connection, timeouts.probeMs, (used) => used.send(PROBE))
      if (closing.signal.aborted) return
      isUp = true
      onState?.(true, '')
    } catch (error) {
      if (closing.signal.aborted) return
      const previousCause = cause
      cause = toStoreUnavailable(error).message
      // Reported once for each cause, not for each attempt.
      if (cause !== previousCause) onState?.(false, cause)
    }
  }

  async function open(): Promise<RedisConnection> {
    const opened = await connectRedis({
      url,
      timeoutMs: timeouts.connectMs,
      onLost: (error) => markDown(opened, error),
    })
    if (!closing.signal.aborted) {
      void reportRisks(opened)
      return opened
    }
    opened.drop()
    throw new StoreUnavailable('closed')
  }

  async function reportRisks(opened: RedisConnection): Promise<void> {
    for (const risk of await findRisks(opened)) onRisk?.(risk)
  }

  /** Runs while the store is down. */
  async function recover(): Promise<void> {
    while (!isUp && !closing.signal.aborted) {
      await delay(retryDelayMs(), null, { ref: false, signal: closing.signal }).catch(() => {})
      if (!closing.signal.aborted) await attempt()
    }
  }

  function markDown(used: RedisConnection, error: unknown): void {
    if (used !== connection) return
    const code = redisErrorCode(error)
    // Keep a server that answers, unless it has become a replica: another one took over.
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

  async function runTimed(
    command: string,
    used: RedisConnection,
    timeoutMs: number,
    send: (used: RedisConnection) => Promise<unknown>,
  ): Promise<unknown> {
    const startedAt = now()
    const report = (outcome: RedisCommand['outcome']) =>
      onCommand?.({ command, outcome, ms: now() - startedAt })
    try {
      const reply = await withTimeout(timeoutMs, send(used))
      report('ok')
      return reply
    } catch (error) {
      report('failed')
      markDown(used, error)
      throw toStoreUnavailable(error)
    }
  }

  const firstAttempt = attempt()
  void firstAttempt.then(recover)
  return {
    async runScript(script, keys, args, { timeoutMs }) {
      const send = (used: RedisConnection) => evaluateScript(used, script, keys, args)
      if (isUp && connection) return runTimed(script.name, connection, timeoutMs, send)
      onCommand?.({ command: script.name, outcome: 'skipped', ms: 0 })
      throw new StoreUnavailable(cause)
    },
    isUp: () => isUp,
    firstAttempt,
    close() {
      isUp = false
      cause = 'closed'
      closing.abort()
      connection?.drop()
      connection = null
    },
  }
}
