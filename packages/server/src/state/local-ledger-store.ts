/** The entries of a single instance: in memory, and in a journal that survives a restart. */
import { LedgerUnavailable } from './ledger.js'
import {
  keepUntil,
  type LedgerEntry,
  reportsLength,
  toUnknownPayment,
  withoutOldReports,
  withoutReports,
} from './ledger-rules.js'
import { type LedgerStore, MAX_ENTRIES } from './stored-ledger.js'

export interface LocalLedgerStoreOptions {
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Null: a restart loses everything. */
  readonly journal?: LedgerJournal | null
  readonly maxEntries?: number
  /** The total length of all reports; beyond it, reports are not stored. */
  readonly maxCharacters?: number
}

/** An entry without its reservation, which ends with the process. */
export type JournalEntry = Omit<LedgerEntry, 'owner' | 'leaseUntil' | 'preparedAt'> & {
  readonly preparedAt: number
}

/** Where entries survive a restart. Writes take effect in the order of the calls. */
export interface LedgerJournal {
  /** What it held when it was opened. */
  readonly entries: readonly JournalEntry[]
  /** `isSynced`: resolves when the entry would survive a loss of power. */
  put(entry: JournalEntry, isSynced: boolean): Promise<void>
  delete(id: string): Promise<void>
}

const SWEEP_EVERY_MS = 10_000

export function createLocalLedgerStore({
  now,
  journal = null,
  maxEntries = MAX_ENTRIES,
  maxCharacters = 64 * 1024 * 1024,
}: LocalLedgerStoreOptions): LedgerStore {
  const entries = new Map<string, LedgerEntry>()
  /** Ids of the delivered payments, longest ago first. */
  const delivered = new Set<string>()
  const unknownByPayer = new Map<string, number>()
  /** The id of the prepared payment that has each identifier. */
  const idByIdentifier = new Map<string, string>()
  let characters = 0
  let sweepAt = 0

  function replace(id: string, after: LedgerEntry | null): void {
    const before = entries.get(id)
    if (before) count(before, -1)
    if (after) count(after, 1)
    if (after) entries.set(id, after)
    else entries.delete(id)
    if (after?.isDelivered) delivered.add(id)
    else delivered.delete(id)
  }

  function count(entry: LedgerEntry, change: 1 | -1): void {
    const { id, payer, state, identifier, preparedAt } = entry
    characters += change * reportsLength(entry)
    if (state === 'unknown') {
      const unknown = (unknownByPayer.get(payer) ?? 0) + change
      if (unknown === 0) unknownByPayer.delete(payer)
      else unknownByPayer.set(payer, unknown)
    }
    if (!identifier || preparedAt === null) return
    if (change === 1) idByIdentifier.set(identifier, id)
    else if (idByIdentifier.get(identifier) === id) idByIdentifier.delete(identifier)
  }

  function forget(entry: LedgerEntry): void {
    replace(entry.id, null)
    void write(entry, null, false).catch(() => {})
  }

  /** Deletes reports from memory and disk when their time is over. */
  function sweep(): void {
    const time = now()
    // Farther away than that only after the clock was set back.
    if (time < sweepAt && sweepAt - time <= SWEEP_EVERY_MS) return
    sweepAt = time + SWEEP_EVERY_MS
    for (const entry of entries.values()) {
      const swept = withoutOldReports(entry, time)
      if (swept === entry) continue
      replace(entry.id, swept)
      if (entry.owner === null) void write(entry, swept, false).catch(() => {})
    }
  }

  /** Evicts delivered payments; the chain still rejects a second use of them. */
  function hasRoom(): boolean {
    for (const id of delivered) {
      const entry = entries.get(id)
      if (entries.size < maxEntries) break
      if (entry) forget(entry)
    }
    return entries.size < maxEntries
  }

  function withinLimit(before: LedgerEntry | null, after: LedgerEntry): LedgerEntry {
    const others = characters - (before ? reportsLength(before) : 0)
    return others + reportsLength(after) > maxCharacters ? withoutReports(after, before) : after
  }

  function findHolder(id: string, identifier: string | null | undefined): LedgerEntry | null {
    const holder = identifier ? idByIdentifier.get(identifier) : undefined
    return (holder !== id && entries.get(holder ?? '')) || null
  }

  async function write(
    before: LedgerEntry | null,
    after: LedgerEntry | null,
    isDurable: boolean,
  ): Promise<void> {
    if (after === null) {
      if (before && before.preparedAt !== null) await journal?.delete(before.id)
      return
    }
    const { owner, leaseUntil, preparedAt, ...entry } = after
    // A reservation ends with the process, so there is nothing to write.
    if (preparedAt === null || (owner !== null && !isDurable)) return
    await journal?.put({ ...entry, preparedAt }, isDurable)
  }

  for (const entry of journal?.entries ?? []) {
    // The process ended while this payment was in progress.
    const state = entry.state === 'inProgress' ? 'unknown' : entry.state
    replace(entry.id, { ...entry, state, owner: null, leaseUntil: 0 })
  }

  return {
    leaseMs: Number.POSITIVE_INFINITY,
    async read(id, related) {
      sweep()
      const entry = entries.get(id) ?? null
      const { payer = '', identifier = null } = related ?? entry ?? {}
      const unknownOfPayer = unknownByPayer.get(payer) ?? 0
      return { id, entry, now: now(), unknownOfPayer, holder: findHolder(id, identifier) }
    },
    async swap({ id, entry: before }, after, { isDurable }) {
      if ((entries.get(id) ?? null) !== before) return 'changed'
      // Another payment with this identifier was prepared meanwhile.
      const isPrepared = before?.preparedAt === null && after?.preparedAt !== null
      if (isPrepared && findHolder(id, after?.identifier)) return 'changed'
      if (before === null && !hasRoom()) return 'full'
      const stored = after && withinLimit(before, after)
      replace(id, stored)
      const written = write(before, stored, isDurable)
      // Without another write, a restart asks the chain.
      await written.catch((error: NodeJS.ErrnoException) => {
        if (!isDurable) return
        throw new LedgerUnavailable(`the journal cannot be written: ${error.code ?? error.name}`)
      })
      return 'swapped'
    },
    async size() {
      sweep()
      return entries.size
    },
    async listUnknown() {
      // Asked for every few seconds, also when nobody buys and the chain cannot be read.
      sweep()
      return [...entries.values()]
        .filter((entry) => entry.state !== 'paid')
        .flatMap(toUnknownPayment)
        .sort((one, other) => one.since - other.since)
    },
    async listOver(time) {
      sweep()
      return [...entries.values()]
        .filter((entry) => entry.preparedAt !== null && keepUntil(entry) <= time)
        .map(({ id }) => id)
    },
  }
}
