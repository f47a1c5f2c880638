/** Where the entries of the ledger are. A store reads and swaps them; `ledger-rules.ts` decides. */
import type { UnknownPayment } from './ledger.js'
import type { LedgerEntry, Surroundings } from './ledger-rules.js'

/** Of all instances together, if they share the store. */
export const MAX_ENTRIES = 50_000

export interface LedgerStore {
  /** How long a reservation outlives its process; infinite if no other process shares the store. */
  readonly leaseMs: number
  /** The entry now. `related` is given for a new one, which the store cannot know yet. */
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
