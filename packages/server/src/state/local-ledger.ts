/** The ledger of a single instance: in memory, and in a journal that survives a restart. */
import {
  type Ledger,
  LedgerUnavailable,
  MAX_REPORT_MS,
  MAX_UNKNOWN_PER_PAYER,
  MIN_REPORT_MS,
  RECOVERY_MS,
  type Reservation,
  type ReservationRequest,
  type StoredReport,
} from './ledger.js'

export interface LocalLedgerOptions {
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Null: a restart loses everything. */
  readonly journal?: LedgerJournal | null
  readonly maxEntries?: number
  /** The total length of all reports; beyond it, reports are not stored. */
  readonly maxCharacters?: number
}

/** Where entries survive a restart. Writes take effect in the order of the calls. */
export interface LedgerJournal {
  /** What it held when it was opened. */
  readonly entries: readonly LedgerEntry[]
  /** `isSynced`: resolves when the entry would survive a loss of power. */
  put(entry: LedgerEntry, isSynced: boolean): Promise<void>
  delete(id: string): Promise<void>
}

export interface LedgerEntry extends ReservationRequest {
  readonly state: 'inProgress' | 'unknown' | 'paid'
  readonly report: StoredReport
  /** Hashes of the transactions that may have settled it; of a paid one, the one that did. */
  readonly transactions: readonly string[]
  readonly isDelivered: boolean
  /** In seconds since 1970. */
  readonly paidAt?: number | undefined
  /** Milliseconds since 1970, like all times here; null if nothing can have been charged yet. */
  readonly preparedAt: number | null
  readonly reportUntil: number
  readonly keepUntil: number
}

const SWEEP_EVERY_MS = 10_000
const MAX_LISTED = 1_000

export function createLocalLedger({
  now,
  journal = null,
  maxEntries = 50_000,
  maxCharacters = 64 * 1024 * 1024,
}: LocalLedgerOptions): Ledger {
  const entries = new Map<string, LedgerEntry>()
  /** Ids of the payments in progress; one that was unknown stays so until it is resolved. */
  const reserved = new Set<string>()
  /** Ids of the delivered payments, longest ago first. */
  const delivered = new Set<string>()
  const unknownByPayer = new Map<string, number>()
  /** The id of the prepared payment that has each identifier. */
  const idByIdentifier = new Map<string, string>()
  let characters = 0
  let sweepAt = 0

  function set(entry: LedgerEntry): void {
    count(entries.get(entry.id), -1)
    count(entry, 1)
    entries.set(entry.id, entry)
    if (entry.identifier && entry.preparedAt !== null) {
      idByIdentifier.set(entry.identifier, entry.id)
    }
  }

  function count(entry: LedgerEntry | undefined, change: 1 | -1): void {
    if (!entry) return
    characters += change * (entry.report?.length ?? 0)
    if (entry.state !== 'unknown') return
    const unknown = (unknownByPayer.get(entry.payer) ?? 0) + change
    if (unknown === 0) unknownByPayer.delete(entry.payer)
    else unknownByPayer.set(entry.payer, unknown)
  }

  /** Nothing is charged after these writes, and without them a restart asks the chain. */
  const writeIfPossible = (write: Promise<void> | undefined) => write?.catch(() => {})

  async function update(entry: LedgerEntry, changes: Partial<LedgerEntry>): Promise<void> {
    const updated = { ...entry, ...changes }
    set(updated)
    await writeIfPossible(journal?.put(updated, false))
  }

  async function forget(entry: LedgerEntry): Promise<void> {
    const { id, identifier, preparedAt } = entry
    count(entry, -1)
    entries.delete(id)
    // An expired payment may be followed by another one with its identifier.
    if (identifier && idByIdentifier.get(identifier) === id) idByIdentifier.delete(identifier)
    reserved.delete(id)
    delivered.delete(id)
    if (preparedAt !== null) await writeIfPossible(journal?.delete(id))
  }

  const findReserved = (id: string) => (reserved.has(id) ? entries.get(id) : undefined)

  /** Money may move as soon as this resolves. If it rejects, the journal may have it all the same. */
  async function updateDurably(
    id: string,
    change: (entry: LedgerEntry) => Partial<LedgerEntry>,
  ): Promise<void> {
    const entry = findReserved(id)
    if (!entry) throw new LedgerUnavailable('the payment is not reserved')
    const updated = { ...entry, ...change(entry) }
    set(updated)
    await journal?.put(updated, true).catch((error: NodeJS.ErrnoException) => {
      throw new LedgerUnavailable(`the journal cannot be written: ${error.code ?? error.name}`)
    })
  }

  const isExpired = ({ id, keepUntil }: LedgerEntry) => !reserved.has(id) && keepUntil <= now()
  const hasReport = ({ reportUntil }: LedgerEntry) => reportUntil > now()
  const reportOf = (entry: LedgerEntry) => (hasReport(entry) ? entry.report : null)

  function sweep(): void {
    if (now() < sweepAt) return
    sweepAt = now() + SWEEP_EVERY_MS
    for (const entry of entries.values()) {
      if (isExpired(entry)) void forget(entry)
      else if (entry.report !== reportOf(entry)) void update(entry, { report: null })
    }
  }

  /** Evicts delivered payments; the chain still rejects a second use of them. */
  function makeRoom(): boolean {
    for (const id of delivered) {
      const entry = entries.get(id)
      if (entries.size < maxEntries) break
      if (entry) void forget(entry)
    }
    return entries.size < maxEntries
  }

  function reserveExisting(entry: LedgerEntry, request: ReservationRequest): Reservation {
    const { id, state, transactions, isDelivered, paidAt } = entry
    if (reserved.has(id)) return { kind: 'inProgress' }
    const { fingerprint, requestKey } = request
    if (entry.fingerprint !== fingerprint || entry.requestKey !== requestKey) {
      return { kind: 'conflict' }
    }
    const report = reportOf(entry)
    if (state !== 'paid') {
      reserved.add(id)
      return { kind: 'unknown', report, transactions }
    }
    return isDelivered && !hasReport(entry)
      ? { kind: 'conflict' }
      : { kind: 'paid', report, transaction: transactions[0] ?? '', paidAt }
  }

  /** Another payment with this identifier that was prepared and is still known, if any. */
  function findOther({ id, identifier }: ReservationRequest): LedgerEntry | null {
    const entry = identifier ? entries.get(idByIdentifier.get(identifier) ?? '') : undefined
    return entry && entry.id !== id && !isExpired(entry) ? entry : null
  }

  const reportUntil = ({ validBefore }: LedgerEntry) =>
    Math.min(Math.max(validBefore * 1_000, now() + MIN_REPORT_MS), now() + MAX_REPORT_MS)
  /** A day after it expires; a payment that is valid for years counts from this time. */
  const keepUntil = ({ validBefore }: LedgerEntry, from: number) =>
    Math.min(validBefore * 1_000, from + MAX_REPORT_MS) + RECOVERY_MS

  const setPaid = (entry: LedgerEntry, transaction: string, paidAt?: number) =>
    update(entry, {
      state: 'paid',
      // If its time was over, the caller gets a new one, and must not get this one later.
      report: reportOf(entry),
      transactions: [transaction],
      paidAt,
      reportUntil: reportUntil(entry),
      keepUntil: keepUntil(entry, now()),
    })

  for (const entry of journal?.entries ?? []) {
    // The process ended while this payment was in progress.
    set(entry.state === 'inProgress' ? { ...entry, state: 'unknown' } : entry)
    if (entry.isDelivered) delivered.add(entry.id)
  }

  return {
    async reserve(request) {
      sweep()
      const { id, payer } = request
      const entry = entries.get(id)
      if (entry && !isExpired(entry)) return reserveExisting(entry, request)
      if (entry) void forget(entry)
      const other = findOther(request)
      if (other) return { kind: 'identifierInUse', isInProgress: reserved.has(other.id) }
      if ((unknownByPayer.get(payer) ?? 0) >= MAX_UNKNOWN_PER_PAYER) {
        return { kind: 'tooManyUnknown' }
      }
      if (!makeRoom()) return { kind: 'full' }
      set({
        ...request,
        state: 'inProgress',
        report: null,
        transactions: [],
        isDelivered: false,
        preparedAt: null,
        reportUntil: 0,
        keepUntil: 0,
      })
      reserved.add(id)
      return { kind: 'acquired' }
    },
    async prepare(id, report) {
      const reservation = findReserved(id)
      if (reservation && findOther(reservation)) return false
      await updateDurably(id, (entry) => ({
        report: characters + (report?.length ?? 0) <= maxCharacters ? report : null,
        preparedAt: now(),
        reportUntil: reportUntil(entry),
        keepUntil: keepUntil(entry, now()),
      }))
      return true
    },
    recordTransaction: (id, hash) =>
      updateDurably(id, ({ transactions }) => ({ transactions: [...transactions, hash] })),
    async complete(id, transaction, paidAt) {
      const entry = findReserved(id)
      if (!entry) return
      reserved.delete(id)
      await setPaid(entry, transaction, paidAt)
    },
    async markDelivered(id) {
      const entry = entries.get(id)
      if (entry?.state !== 'paid') return
      delivered.delete(id)
      delivered.add(id)
      if (entry.isDelivered) return
      // One that was made again, after its time, can also be fetched once more.
      const until = Math.max(entry.reportUntil, now() + MIN_REPORT_MS)
      await update(entry, { isDelivered: true, reportUntil: until })
    },
    async markUnknown(id) {
      const entry = findReserved(id)
      if (!entry) return
      reserved.delete(id)
      const { preparedAt } = entry
      if (preparedAt === null) return forget(entry)
      // Not from now: a payer who sends it again and again would keep it for ever.
      await update(entry, { state: 'unknown', keepUntil: keepUntil(entry, preparedAt) })
    },
    async release(id) {
      const entry = findReserved(id)
      if (entry) await forget(entry)
    },
    async size() {
      sweep()
      return entries.size
    },
    async resolve(id, transaction) {
      const entry = entries.get(id)
      if (entry?.state !== 'unknown' || reserved.has(id)) return false
      if (transaction === null) await forget(entry)
      else await setPaid(entry, transaction, Math.floor(now() / 1_000))
      return true
    },
    async listUnknown() {
      return [...entries.values()]
        .filter((entry) => entry.state !== 'paid' && !isExpired(entry))
        .flatMap(({ id, preparedAt: since, validBefore, amount, transactions }) =>
          since === null ? [] : { id, since, validBefore, amount, transactions },
        )
        .sort((one, other) => one.since - other.since)
        .slice(0, MAX_LISTED)
    },
  }
}
