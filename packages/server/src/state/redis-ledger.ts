/**
 * The ledger that several instances share. A reservation is a lease, renewed while the payment is
 * in progress, so a crashed instance does not block its payments.
 */
import { createHash, randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
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
  /** For all instances together. */
  readonly maxEntries?: number
  /** How long a payment stays reserved if its instance is gone. */
  readonly leaseMs?: number
}

const TIMEOUT_MS = 1_000
/** How often the end of a payment is written again. After its lease other instances reconcile it. */
const RETRIES = 10
const RETRY_EVERY_MS = 1_000

interface Lease {
  readonly token: string
  readonly renewal: NodeJS.Timeout
}

export function createRedisLedger(options: RedisLedgerOptions): Ledger {
  const { store, maxEntries = 8_000, leaseMs = 10_000 } = options
  /** Payments in progress in this instance, by id. */
  const leases = new Map<string, Lease>()

  async function run(script: RedisScript, id: string, token = '', args: readonly string[] = []) {
    const digest = sha256(id)
    const keys = [redisKey('payment', digest), redisKey('payments'), redisKey('payments', 'sold')]
    return store.runScript(script, keys, [digest, token, String(leaseMs), ...args], {
      timeoutMs: TIMEOUT_MS,
    })
  }

  function keepLease(id: string, token: string): void {
    const renew = async () => {
      const reply = await run(RENEW_SCRIPT, id, token).catch(() => 1)
      if (reply === 0) clearInterval(renewal)
    }
    const renewal = setInterval(renew, leaseMs * 0.3).unref()
    leases.set(id, { token, renewal })
  }

  /**
   * Waits for the first attempt only and retries in the background. The script changes nothing if
   * the lease was lost. If the process stops first, the lease expires and the outcome is unknown.
   */
  async function finish(
    id: string,
    script: RedisScript,
    args: readonly string[] = [],
  ): Promise<void> {
    const lease = leases.get(id)
    if (!lease) return
    leases.delete(id)
    clearInterval(lease.renewal)
    const write = () => run(script, id, lease.token, args)
    await write().catch(() => void retryInBackground(write))
  }

  async function tryReserve(request: ReservationRequest, token: string): Promise<Reservation> {
    const isSent = store.isUp()
    try {
      const args = [...reservationArgs(request), String(maxEntries)]
      return parseReservation(await run(RESERVE_SCRIPT, request.id, token, args))
    } catch (error) {
      // The script may have run all the same and would block the payment for a lease.
      if (isSent) void retryInBackground(() => run(MARK_UNKNOWN_SCRIPT, request.id, token))
      return rethrowAsLedgerUnavailable(error)
    }
  }

  return {
    async reserve(request) {
      // The lease may have expired in the store; two holders in one instance would share its end.
      if (leases.has(request.id)) return { kind: 'inProgress' }
      const token = randomUUID()
      const reservation = await tryReserve(request, token)
      const { kind } = reservation
      if (kind === 'acquired' || kind === 'unknown') keepLease(request.id, token)
      return reservation
    },
    async prepare(id, report) {
      const token = leases.get(id)?.token
      const reply =
        token && (await run(PREPARE_SCRIPT, id, token, [report]).catch(rethrowAsLedgerUnavailable))
      if (reply !== 1) throw new LedgerUnavailable('the reservation was lost')
    },
    complete: (id, settlement) => finish(id, COMPLETE_SCRIPT, [JSON.stringify(settlement)]),
    markUnknown: (id) => finish(id, MARK_UNKNOWN_SCRIPT),
    release: (id) => finish(id, RELEASE_SCRIPT),
    size: async () => parseSize(await run(SIZE_SCRIPT, '').catch(rethrowAsLedgerUnavailable)),
  }
}

/** The request key may hold an email address, so only its digest is stored. */
function reservationArgs({ fingerprint, requestKey, validBefore }: ReservationRequest): string[] {
  const validUntil = Math.min(validBefore * 1_000, Number.MAX_SAFE_INTEGER)
  return [fingerprint, sha256(requestKey), String(validUntil)]
}

const settlementSchema = z.object({
  success: z.boolean(),
  transaction: z.string(),
  network: z.templateLiteral([z.string(), ':', z.string()]),
  payer: z.string().exactOptional(),
  errorReason: z.string().exactOptional(),
})

const settlementJson = z.string().transform((text, context) => {
  try {
    return settlementSchema.parse(JSON.parse(text))
  } catch {
    context.addIssue('not a settlement')
    return z.NEVER
  }
})

const reservationReply = z.union([
  z
    .tuple([z.enum(['acquired', 'inProgress', 'conflict', 'full'])])
    .transform(([kind]) => ({ kind })),
  z.tuple([z.literal('unknown'), z.string()]).transform(([kind, report]) => ({ kind, report })),
  z
    .tuple([z.literal('completed'), z.string(), settlementJson])
    .transform(([kind, report, settlement]) => ({ kind, report, settlement })),
])

export function parseReservation(reply: unknown): Reservation {
  const parsed = reservationReply.safeParse(reply)
  if (!parsed.success) throw new LedgerUnavailable('the store sent a malformed reservation')
  return parsed.data
}

function parseSize(reply: unknown): number {
  if (!Number.isSafeInteger(reply)) {
    throw new LedgerUnavailable('the store sent a malformed size')
  }
  return Number(reply)
}

async function retryInBackground(write: () => Promise<unknown>): Promise<void> {
  for (let left = RETRIES; left > 0; left--) {
    await delay(RETRY_EVERY_MS, null, { ref: false })
    const isWritten = await write().then(
      () => true,
      () => false,
    )
    if (isWritten) return
  }
}

function rethrowAsLedgerUnavailable(error: unknown): never {
  throw error instanceof StoreUnavailable ? new LedgerUnavailable(error.message) : error
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}
