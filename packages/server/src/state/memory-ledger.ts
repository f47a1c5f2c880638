/** The ledger of a single instance, in memory. A restart loses it. */
import type { SettlementResponse } from '../payments/facilitator.js'
import {
  type Ledger,
  LedgerUnavailable,
  MAX_RETENTION_MS,
  MIN_RETENTION_MS,
  type Reservation,
  type ReservationRequest,
} from './ledger.js'

export interface MemoryLedgerOptions {
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly maxEntries?: number
  /** The total length of all reports. */
  readonly maxCharacters?: number
}

interface Entry extends ReservationRequest {
  readonly state: 'inProgress' | 'unknown' | 'completed'
  readonly report: string
  readonly settlement: SettlementResponse | null
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
    remove(id)
    entries.set(id, entry)
    characters += entry.report.length
  }

  function remove(id: string): void {
    characters -= entries.get(id)?.report.length ?? 0
    entries.delete(id)
  }

  function update(id: string, changes: Partial<Entry>): void {
    const entry = entries.get(id)
    if (entry) put(id, { ...entry, ...changes })
  }

  function validUntilMs(id: string): number {
    return (entries.get(id)?.validBefore ?? 0) * 1_000
  }

  function sweep(): void {
    if (now() < sweepAt) return
    sweepAt = now() + SWEEP_EVERY_MS
    for (const [id, entry] of entries) if (isExpired(entry)) remove(id)
  }

  const isExpired = ({ state, keepUntil }: Entry) => state !== 'inProgress' && keepUntil <= now()
  const isFull = () => entries.size >= maxEntries || characters > maxCharacters

  /** Evicts completed payments, oldest first; the chain still rejects a second use of them. */
  function evictCompleted(): boolean {
    for (const [id, entry] of entries) {
      if (!isFull()) break
      if (entry.state === 'completed' || isExpired(entry)) remove(id)
    }
    return !isFull()
  }

  function reserveExisting(
    entry: Entry,
    { fingerprint, requestKey }: ReservationRequest,
  ): Reservation {
    if (entry.state === 'inProgress') return { kind: 'inProgress' }
    if (entry.fingerprint !== fingerprint || entry.requestKey !== requestKey)
      return { kind: 'conflict' }
    const { report, settlement } = entry
    if (settlement) return { kind: 'completed', report, settlement }
    update(entry.id, { state: 'inProgress' })
    return { kind: 'unknown', report }
  }

  return {
    async reserve(request) {
      sweep()
      const entry = entries.get(request.id)
      if (entry && !isExpired(entry)) return reserveExisting(entry, request)
      if (isFull() && !evictCompleted()) return { kind: 'full' }
      put(request.id, {
        ...request,
        state: 'inProgress',
        report: '',
        settlement: null,
        keepUntil: 0,
      })
      return { kind: 'acquired' }
    },
    async prepare(id, report) {
      if (entries.get(id)?.state !== 'inProgress') {
        throw new LedgerUnavailable('the payment is not reserved')
      }
      update(id, { report })
    },
    async complete(id, settlement) {
      const validUntil = Math.max(validUntilMs(id), now() + MIN_RETENTION_MS)
      const keepUntil = Math.min(validUntil, now() + MAX_RETENTION_MS)
      update(id, { state: 'completed', settlement, keepUntil })
    },
    async markUnknown(id) {
      // Kept after the payment expires: it may have been charged, and then the report is due.
      const keepUntil = Math.min(validUntilMs(id), now()) + MAX_RETENTION_MS
      update(id, { state: 'unknown', keepUntil })
    },
    async release(id) {
      remove(id)
    },
    async size() {
      sweep()
      return entries.size
    },
  }
}
