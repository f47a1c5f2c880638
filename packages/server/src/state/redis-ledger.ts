/**
 * The ledger that several instances share. A claim is a lease, renewed for as long as its sale is
 * under way, so that a payment is not lost with the instance that had it.
 */
import { createHash, randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { SettlementResponse } from '../payments/facilitator.js'
import {
  type Ledger,
  LedgerUnavailable,
  type Reservation,
  type ReservationRequest,
} from './ledger.js'
import {
  COMPLETE_SCRIPT,
  MARK_UNKNOWN_SCRIPT,
  PREPARE_SCRIPT,
  RELEASE_SCRIPT,
  RENEW_SCRIPT,
  RESERVE_SCRIPT,
  SIZE_SCRIPT,
} from './redis-ledger-scripts.js'
import { type RedisScript, redisKey } from './redis-script.js'
import type { RedisStore } from './redis-store.js'
import { StoreUnavailable } from './store-unavailable.js'

export interface RedisLedgerOptions {
  readonly store: RedisStore
  /** Of all instances together. */
  readonly maxEntries?: number
  /** How long a payment stays claimed when its instance is gone. */
  readonly leaseMs?: number
}

const TIMEOUT_MS = 1_000
/** How often the end of a sale is written down again; past its lease, others may find out. */
const RETRIES = 10
const RETRY_EVERY_MS = 1_000

interface Held {
  readonly token: string
  readonly renewal: NodeJS.Timeout
}

export function createRedisLedger(options: RedisLedgerOptions): Ledger {
  const { store, maxEntries = 8_000, leaseMs = 10_000 } = options
  /** What this instance is working on, by payment. */
  const held = new Map<string, Held>()

  async function run(script: RedisScript, id: string, token = '', args: readonly string[] = []) {
    const digest = sha256(id)
    const keys = [redisKey('payment', digest), redisKey('payments'), redisKey('payments', 'sold')]
    return store.runScript(script, keys, [digest, token, String(leaseMs), ...args], {
      timeoutMs: TIMEOUT_MS,
    })
  }

  function hold(id: string, token: string): void {
    const renew = async () => {
      const isOurs = await run(RENEW_SCRIPT, id, token).catch(() => 1)
      if (isOurs === 0) clearInterval(renewal)
    }
    const renewal = setInterval(renew, leaseMs * 0.3).unref()
    held.set(id, { token, renewal })
  }

  /** The answer waits for the first attempt only. Whoever lost the claim meanwhile changes nothing. */
  async function end(id: string, script: RedisScript, args: readonly string[] = []): Promise<void> {
    const claim = held.get(id)
    if (!claim) return
    held.delete(id)
    clearInterval(claim.renewal)
    const write = () => run(script, id, claim.token, args)
    await write().catch(() => void tryAgain(write))
  }

  async function askFor(sale: ReservationRequest, token: string): Promise<Reservation> {
    const isSent = store.isUp()
    try {
      return claimOf(
        await run(RESERVE_SCRIPT, sale.id, token, [...termsOf(sale), String(maxEntries)]),
      )
    } catch (error) {
      // It may have been carried out all the same, and then nobody else gets the payment for a lease.
      if (isSent) void tryAgain(() => run(MARK_UNKNOWN_SCRIPT, sale.id, token))
      return fail(error)
    }
  }

  return {
    async reserve(sale) {
      // It may have lapsed while the store was away; two sales of one payment here would share its end.
      if (held.has(sale.id)) return { kind: 'busy' }
      const token = randomUUID()
      const claim = await askFor(sale, token)
      if (claim.kind === 'yours' || claim.kind === 'doubtful') hold(sale.id, token)
      return claim
    },
    async prepare(id, report) {
      const token = held.get(id)?.token
      const reply = token && (await run(PREPARE_SCRIPT, id, token, [report]).catch(fail))
      if (reply !== 1) throw new LedgerUnavailable('the claim was lost')
    },
    complete: (id, receipt) => end(id, COMPLETE_SCRIPT, [JSON.stringify(receipt)]),
    markUnknown: (id) => end(id, MARK_UNKNOWN_SCRIPT),
    release: (id) => end(id, RELEASE_SCRIPT),
    size: async () => Number(await run(SIZE_SCRIPT, '').catch(fail)),
  }
}

/** A request may hold a mail address: its digest tells as well whether it is the same. */
function termsOf({ fingerprint, requestKey, validBefore }: ReservationRequest): string[] {
  const validUntil = Math.min(validBefore * 1_000, Number.MAX_SAFE_INTEGER)
  return [fingerprint, sha256(requestKey), String(validUntil)]
}

function claimOf(reply: unknown): Reservation {
  const [kind, report = '', receipt = ''] = reply as readonly string[]
  switch (kind) {
    case 'sold':
      return { kind, report, settlement: JSON.parse(receipt) as SettlementResponse }
    case 'doubtful':
      return { kind, report }
    default:
      return { kind: kind as 'yours' | 'busy' | 'spent' | 'full' }
  }
}

async function tryAgain(write: () => Promise<unknown>): Promise<void> {
  for (let left = RETRIES; left > 0; left--) {
    await delay(RETRY_EVERY_MS, null, { ref: false })
    const isWritten = await write().then(
      () => true,
      () => false,
    )
    if (isWritten) return
  }
}

function fail(error: unknown): never {
  throw error instanceof StoreUnavailable ? new LedgerUnavailable(error.message) : error
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}
