/**
 * The ledger that several instances share. A reservation is a lease, renewed while the payment is
 * in progress, so a crashed instance does not block its payments.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import {
  type Ledger,
  LedgerUnavailable,
  type Reservation,
  type ReservationRequest,
  type UnknownPayment,
} from './ledger.js'
import {
  COMPLETE_SCRIPT,
  LIST_UNKNOWN_SCRIPT,
  MARK_DELIVERED_SCRIPT,
  MARK_UNKNOWN_SCRIPT,
  PREPARE_SCRIPT,
  RECORD_SCRIPT,
  RELEASE_SCRIPT,
  RENEW_SCRIPT,
  RESERVE_SCRIPT,
  RESOLVE_SCRIPT,
  SIZE_SCRIPT,
} from './redis-ledger-scripts.js'
import { type RedisScript, redisKey } from './redis-script.js'
import type { RedisStore } from './redis-store.js'
import { StoreUnavailable } from './store-unavailable.js'

export interface RedisLedgerOptions {
  readonly store: RedisStore
  /** For all instances together. */
  readonly maxEntries?: number
  /** Reports stored at once, of at most 32 KB; further ones are made again if they are due again. */
  readonly maxReports?: number
  /** How long a payment stays reserved if its instance is gone. */
  readonly leaseMs?: number
  /** How often the end of a payment is written again; tests pass their own. */
  readonly retries?: number
}

const TIMEOUT_MS = 1_000
/** After its lease other instances reconcile a payment. */
const RETRIES = 10
const RETRY_EVERY_MS = 1_000

const SETS = ['index', 'delivered', 'open']

interface Lease {
  readonly token: string
  readonly renewal: NodeJS.Timeout
}

export function createRedisLedger(options: RedisLedgerOptions): Ledger {
  const { store, maxEntries = 50_000, maxReports = 4_000, leaseMs = 10_000 } = options
  const { retries = RETRIES } = options
  /** Payments in progress in this instance, by id. */
  const leases = new Map<string, Lease>()

  async function run(script: RedisScript, id: string, token = '', args: readonly string[] = []) {
    const own = ['entry', 'report'].map((kind) => redisKey('ledger', kind, id))
    const keys = [...own, ...SETS.map((set) => redisKey('ledger', set))]
    return store.runScript(script, keys, [id, token, String(leaseMs), ...args], {
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
    await write().catch(() => void retryInBackground(write, retries))
  }

  async function runAsOwner(
    script: RedisScript,
    id: string,
    args: readonly string[],
  ): Promise<unknown> {
    const token = leases.get(id)?.token
    const reply = token && (await run(script, id, token, args).catch(rethrowAsLedgerUnavailable))
    if (reply !== 1 && reply !== 2) throw new LedgerUnavailable('the reservation was lost')
    return reply
  }

  async function tryReserve(request: ReservationRequest, token: string): Promise<Reservation> {
    const isSent = store.isUp()
    try {
      const args = [...reservationArgs(request), String(maxEntries), request.identifier ?? '']
      return parseReservation(await run(RESERVE_SCRIPT, request.id, token, args))
    } catch (error) {
      // The script may have run all the same and would block the payment for a lease.
      if (isSent) void retryInBackground(() => run(MARK_UNKNOWN_SCRIPT, request.id, token), retries)
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
      const reply = await runAsOwner(PREPARE_SCRIPT, id, [report ?? '', String(maxReports)])
      return reply === 1
    },
    async recordTransaction(id, hash) {
      await runAsOwner(RECORD_SCRIPT, id, [hash])
    },
    complete: (id, transaction, paidAt) =>
      finish(id, COMPLETE_SCRIPT, [transaction, String(paidAt ?? '')]),
    async markDelivered(id) {
      const write = () => run(MARK_DELIVERED_SCRIPT, id)
      await write().catch(() => void retryInBackground(write, retries))
    },
    markUnknown: (id) => finish(id, MARK_UNKNOWN_SCRIPT),
    release: (id) => finish(id, RELEASE_SCRIPT),
    size: async () => parseSize(await run(SIZE_SCRIPT, '').catch(rethrowAsLedgerUnavailable)),
    async resolve(id, transaction) {
      // The lease may have expired in the store while this instance still settles the payment.
      if (leases.has(id)) return false
      const reply = run(RESOLVE_SCRIPT, id, '', [transaction ?? ''])
      return (await reply.catch(rethrowAsLedgerUnavailable)) === 1
    },
    listUnknown: async () =>
      parseUnknown(await run(LIST_UNKNOWN_SCRIPT, '').catch(rethrowAsLedgerUnavailable)),
  }
}

function reservationArgs(request: ReservationRequest): string[] {
  const { fingerprint, requestKey, payer, validBefore, amount } = request
  const validUntil = Math.min(validBefore * 1_000, Number.MAX_SAFE_INTEGER)
  return [fingerprint, requestKey, payer, String(validUntil), amount]
}

const hashes = z.string().transform((text) => text.split(' ').filter(Boolean))

const reservationReply = z.union([
  z
    .tuple([z.enum(['acquired', 'inProgress', 'conflict', 'tooManyUnknown', 'full'])])
    .transform(([kind]) => ({ kind })),
  z
    .tuple([z.literal('unknown'), z.string().nullable(), hashes])
    .transform(([kind, report, transactions]) => ({ kind, report, transactions })),
  z
    .tuple([z.literal('identifierInUse'), z.enum(['0', '1'])])
    .transform(([kind, flag]) => ({ kind, isInProgress: flag === '1' })),
  z
    .tuple([z.literal('paid'), z.string().nullable(), z.string().min(1)], z.string())
    .transform(([kind, report, transaction, paidAt]) => ({
      kind,
      report,
      transaction,
      paidAt: paidAt ? Number(paidAt) : undefined,
    })),
])

const unknownReply = z.array(
  z
    .tuple([z.string(), z.coerce.number(), z.coerce.number(), hashes, z.string()])
    .transform(([id, since, validUntil, transactions, amount]) => ({
      id,
      since,
      validBefore: validUntil / 1_000,
      amount,
      transactions,
    })),
)

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

function parseUnknown(reply: unknown): UnknownPayment[] {
  const parsed = unknownReply.safeParse(reply)
  if (!parsed.success) throw new LedgerUnavailable('the store sent a malformed list')
  return parsed.data
}

async function retryInBackground(write: () => Promise<unknown>, retries: number): Promise<void> {
  for (let left = retries; left > 0; left--) {
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
