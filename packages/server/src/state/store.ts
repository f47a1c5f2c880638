/**
 * What several instances share, on Redis or Valkey. It is there or it is not: after one failure every
 * call is refused at once until the store itself has written something again, so that a server that
 * hangs costs a few requests their timeout and not all of them.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { assertStoreUrl, type Connection, connect } from './connection.js'
import { evaluate } from './evaluate.js'
import { type Script, storeKey } from './script.js'
import { replyCodeOf, StoreUnavailable, unavailable } from './store-unavailable.js'
import { within } from './within.js'

export interface Store {
  /** Rejects with `StoreUnavailable`, and then nobody knows whether the script has run. */
  run(
    script: Script,
    keys: readonly string[],
    args: readonly string[],
    options: { readonly timeoutMs: number },
  ): Promise<unknown>
  isUp(): boolean
  /** The first attempt to connect is over, one way or the other. */
  readonly tried: Promise<void>
  close(): void
}

export interface StoreOptions {
  /** `redis://` or `rediss://` */
  readonly url: string
  /** Monotonic milliseconds. */
  readonly now: () => number
  readonly onCommand?: (command: StoreCommand) => void
  readonly onState?: (isUp: boolean, cause: string) => void
}

export interface StoreCommand {
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
const PROBE = ['SET', storeKey('probe'), '1', 'PX', '1000']

export function openStore({ url, now, onCommand, onState }: StoreOptions): Store {
  assertStoreUrl(url)
  const closing = new AbortController()
  let connection: Connection | null = null
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
      cause = unavailable(error).message
      // Once for each cause, not for each attempt.
      if (cause !== before) onState?.(false, cause)
    }
  }

  async function open(): Promise<Connection> {
    const opened = await connect({
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

  function fail(used: Connection, error: unknown): void {
    if (used !== connection) return
    const code = replyCodeOf(error)
    // A server that answers is worth keeping; one that has become a replica has a successor.
    if (code === null || code === 'READONLY') {
      connection = null
      used.drop()
    }
    if (!isUp) return
    isUp = false
    cause = unavailable(error).message
    onState?.(false, cause)
    void recover()
  }

  async function timed(
    command: string,
    used: Connection,
    timeoutMs: number,
    send: (used: Connection) => Promise<unknown>,
  ): Promise<unknown> {
    const startedAt = now()
    const note = (outcome: StoreCommand['outcome']) =>
      onCommand?.({ command, outcome, ms: now() - startedAt })
    try {
      const reply = await within(timeoutMs, send(used))
      note('ok')
      return reply
    } catch (error) {
      note('failed')
      fail(used, error)
      throw unavailable(error)
    }
  }

  const tried = attempt()
  void tried.then(recover)
  return {
    async run(script, keys, args, { timeoutMs }) {
      const send = (used: Connection) => evaluate(used, script, keys, args)
      if (isUp && connection) return timed(script.name, connection, timeoutMs, send)
      onCommand?.({ command: script.name, outcome: 'skipped', ms: 0 })
      throw new StoreUnavailable(cause)
    },
    isUp: () => isUp,
    tried,
    close() {
      isUp = false
      cause = 'closed'
      closing.abort()
      connection?.drop()
      connection = null
    },
  }
}
