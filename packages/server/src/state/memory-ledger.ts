/** The ledger of a single instance: nothing outlives the payment it is about, nor the process. */
import type { SettlementResponse } from '../payments/facilitator.js'
import {
  type Ledger,
  LedgerUnavailable,
  type Reservation,
  type ReservationRequest,
} from './ledger.js'
import { MAX_RETENTION_MS, MIN_RETENTION_MS } from './ledger-terms.js'

export interface MemoryLedgerOptions {
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly maxEntries?: number
  /** Of all reports together, in characters. */
  readonly maxCharacters?: number
}

interface Entry extends ReservationRequest {
  readonly state: 'working' | 'doubtful' | 'sold'
  readonly report: string
  readonly receipt: SettlementResponse | null
  /** Milliseconds since 1970. */
  readonly keepUntil: number
}

const SWEEP_EVERY_MS = 10_000

export function createMemoryLedger({
  now,
  maxEntries = 20_000,
  maxCharacters = 64 * 1024 * 1024,
}: MemoryLedgerOptions): Ledger {
  /** Oldest first. */
  const entries = new Map<string, Entry>()
  let characters = 0
  let sweepAt = 0

  function put(id: string, entry: Entry): void {
    drop(id)
    entries.set(id, entry)
    characters += entry.report.length
  }

  function drop(id: string): void {
    characters -= entries.get(id)?.report.length ?? 0
    entries.delete(id)
  }

  function change(id: string, changes: Partial<Entry>): void {
    const entry = entries.get(id)
    if (entry) put(id, { ...entry, ...changes })
  }

  function validUntilOf(id: string): number {
    return (entries.get(id)?.validBefore ?? 0) * 1_000
  }

  function sweep(): void {
    if (now() < sweepAt) return
    sweepAt = now() + SWEEP_EVERY_MS
    for (const [id, entry] of entries) if (isOver(entry)) drop(id)
  }

  const isOver = ({ state, keepUntil }: Entry) => state !== 'working' && keepUntil <= now()
  const isFull = () => entries.size >= maxEntries || characters > maxCharacters

  /** Sold reports go first and oldest first; the chain still knows that they were paid for. */
  function makeRoom(): boolean {
    for (const [id, entry] of entries) {
      if (!isFull()) break
      if (entry.state === 'sold' || isOver(entry)) drop(id)
    }
    return !isFull()
  }

  function claimed(entry: Entry, { fingerprint, requestKey }: ReservationRequest): Reservation {
    if (entry.state === 'working') return { kind: 'busy' }
    if (entry.fingerprint !== fingerprint || entry.requestKey !== requestKey)
      return { kind: 'spent' }
    if (entry.receipt) return { kind: 'sold', report: entry.report, settlement: entry.receipt }
    change(entry.id, { state: 'working' })
    return { kind: 'doubtful', report: entry.report }
  }

  return {
    async reserve(sale) {
      sweep()
      const entry = entries.get(sale.id)
      if (entry && !isOver(entry)) return claimed(entry, sale)
      if (isFull() && !makeRoom()) return { kind: 'full' }
      put(sale.id, { ...sale, state: 'working', report: '', receipt: null, keepUntil: 0 })
      return { kind: 'yours' }
    },
    async prepare(id, report) {
      if (entries.get(id)?.state !== 'working') throw new LedgerUnavailable('nobody has claimed it')
      change(id, { report })
    },
    async complete(id, receipt) {
      const validUntil = Math.max(validUntilOf(id), now() + MIN_RETENTION_MS)
      const keepUntil = Math.min(validUntil, now() + MAX_RETENTION_MS)
      change(id, { state: 'sold', receipt, keepUntil })
    },
    async markUnknown(id) {
      // Beyond the payment’s own end: the money may be gone already, and the report is still owed.
      const keepUntil = Math.min(validUntilOf(id), now()) + MAX_RETENTION_MS
      change(id, { state: 'doubtful', keepUntil })
    },
    async release(id) {
      drop(id)
    },
    async size() {
      sweep()
      return entries.size
    },
  }
}
