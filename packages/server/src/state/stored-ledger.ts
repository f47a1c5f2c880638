/** The ledger over any store: reads an entry, asks the rules, swaps it, and keeps leases alive. */
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import {
  type Ledger,
  LedgerUnavailable,
  type Reservation,
  type ReservationRequest,
  type ReserveOptions,
  type UnknownPayment,
} from './ledger.js'
import {
  type LedgerCommand,
  type LedgerEntry,
  type LedgerOutcome,
  type Surroundings,
  transition,
} from './ledger-rules.js'

/** Of all instances together, if they share the store. */
export const MAX_ENTRIES = 50_000

/** Where the entries are. A store reads and swaps them; `ledger-rules.ts` decides. */
export interface LedgerStore {
  /** How long a reservation outlives its process; infinite if no other process shares the store. */
  readonly leaseMs: number
  /** The entry now. `related` is given to reserve it, because the store may not know it yet. */
  read(id: string, related?: RelatedTo): Promise<LedgerSnapshot>
  /**
   * Replaces the entry of a snapshot if it is still the same, in one step; null removes it. Rejects
   * with `LedgerUnavailable`, and may have swapped it all the same.
   */
  swap(before: LedgerSnapshot, after: LedgerEntry | null, options: SwapOptions): Promise<Swapped>
  size(): Promise<number>
  listUnknown(): Promise<readonly UnknownPayment[]>
  /** Ids of the entries that were over at this time, in milliseconds since 1970. */
  listOver(time: number): Promise<readonly string[]>
}

interface RelatedTo {
  readonly payer: string
  readonly identifier?: string | null | undefined
  /** Of the answers, only the report of this one is read. */
  readonly requestKey: string
}

export interface LedgerSnapshot extends Surroundings {
  readonly id: string
  readonly entry: LedgerEntry | null
  /** The time of the store, in milliseconds since 1970. */
  readonly now: number
}

interface SwapOptions {
  /** Whether it must survive a loss of power before this resolves. */
  readonly isDurable: boolean
}

type Swapped =
  | 'swapped'
  /** The entry has changed, or another payment with its identifier was prepared. */
  | 'changed'
  /** There is no room for a new entry. */
  | 'full'

export interface StoredLedgerOptions {
  /** How often the end of a payment is written again; tests pass their own. */
  readonly retries?: number
}

/** After its lease, other instances look up a payment on the chain. */
const RETRIES = 10
const RETRY_EVERY_MS = 1_000
/** Requests for one payment at the same moment; each round, one of them succeeds. */
const MAX_ROUNDS = 100

interface Lease {
  readonly owner: string
  readonly request: ReservationRequest
  readonly renewal: NodeJS.Timeout | undefined
}

export function createStoredLedger(
  store: LedgerStore,
  { retries = RETRIES }: StoredLedgerOptions = {},
): Ledger {
  const { leaseMs } = store
  const leases = new Map<string, Lease>()

  async function apply(
    id: string,
    command: LedgerCommand,
    isDurable = false,
  ): Promise<LedgerOutcome> {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const related = command.kind === 'reserve' ? command.request : undefined
      const before = await store.read(id, related)
      const { entry, outcome } = transition(before.entry, command, before.now, before)
      if (entry === before.entry) return outcome
      const swapped = await store.swap(before, entry, { isDurable })
      if (swapped === 'full') return { kind: 'full' }
      if (swapped === 'swapped') return outcome
    }
    throw new LedgerUnavailable('the entry keeps changing')
  }

  function keepLease(request: ReservationRequest, owner: string): void {
    const { id } = request
    const renew = async () => {
      const { kind } = await apply(id, { kind: 'renew', owner, leaseMs }).catch(() => ({
        kind: 'done',
      }))
      if (kind === 'notDone') clearInterval(renewal)
    }
    const renewal = Number.isFinite(leaseMs) ? setInterval(renew, leaseMs * 0.3).unref() : undefined
    leases.set(id, { owner, request, renewal })
  }

  async function applyAsOwner(
    id: string,
    commandOf: (lease: Lease) => LedgerCommand,
  ): Promise<LedgerOutcome> {
    const lease = leases.get(id)
    const outcome = lease ? await apply(id, commandOf(lease), true) : null
    if (outcome === null || outcome.kind === 'notDone') {
      throw new LedgerUnavailable('the reservation was lost')
    }
    return outcome
  }

  /**
   * Waits for the first attempt only and retries in the background. The rules change nothing if the
   * lease was lost. If the process stops first, the lease expires and the outcome is unknown.
   */
  async function finish(id: string, commandOf: (lease: Lease) => LedgerCommand): Promise<boolean> {
    const lease = endLease(id)
    return lease ? applyOrRetry(id, commandOf(lease)) : false
  }

  function endLease(id: string): Lease | undefined {
    const lease = leases.get(id)
    leases.delete(id)
    clearInterval(lease?.renewal)
    return lease
  }

  /** False if the rules changed nothing. */
  async function applyOrRetry(id: string, command: LedgerCommand): Promise<boolean> {
    try {
      return (await apply(id, command)).kind !== 'notDone'
    } catch {
      void retryInBackground(() => apply(id, command), retries)
      return true
    }
  }

  async function tryReserve(
    request: ReservationRequest,
    owner: string,
    options: ReserveOptions,
  ): Promise<Reservation> {
    const { id } = request
    try {
      const reserve = { kind: 'reserve', request, owner, leaseMs, ...options } as const
      return (await apply(id, reserve)) as Reservation
    } catch (error) {
      // It may have been reserved all the same, and would be blocked for a lease.
      void retryInBackground(() => apply(id, { kind: 'markUnknown', owner }), retries)
      throw error
    }
  }

  return {
    async reserve(request, options = {}) {
      // The lease may have expired in the store; two holders in one process would share its end.
      if (leases.has(request.id)) return { kind: 'inProgress' }
      const owner = randomUUID()
      const reservation = await tryReserve(request, owner, options)
      if (['acquired', 'unknown', 'answering'].includes(reservation.kind)) {
        keepLease(request, owner)
      }
      return reservation
    },
    async prepare(id, report) {
      const prepare = ({ owner }: Lease) => ({ kind: 'prepare', owner, report, leaseMs }) as const
      return (await applyAsOwner(id, prepare)).kind === 'done'
    },
    async recordTransaction(id, hash) {
      await applyAsOwner(id, ({ owner }) => ({ kind: 'recordTransaction', owner, hash }))
    },
    async keepAnswer(id, report) {
      await applyAsOwner(id, ({ owner, request: { requestKey } }) => ({
        kind: 'keepAnswer',
        owner,
        requestKey,
        report,
      }))
      endLease(id)
    },
    complete: (id, transaction, paidAt) =>
      finish(id, ({ owner, request }) => ({
        kind: 'complete',
        owner,
        request,
        transaction,
        paidAt,
      })),
    async markDelivered(id) {
      await applyOrRetry(id, { kind: 'markDelivered' })
    },
    async markUnknown(id) {
      await finish(id, ({ owner }) => ({ kind: 'markUnknown', owner }))
    },
    release: (id) => finish(id, ({ owner }) => ({ kind: 'release', owner })),
    size: store.size,
    async resolve(id, transaction) {
      // The lease may have expired in the store while this process still settles the payment.
      if (leases.has(id)) return false
      return (await apply(id, { kind: 'resolve', transaction })).kind === 'done'
    },
    listUnknown: store.listUnknown,
    async forgetOld(chainTime) {
      for (const id of await store.listOver(chainTime * 1_000)) {
        await apply(id, { kind: 'forget', chainTime })
      }
    },
  }
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
