/**
 * The rules of the ledger: what a command makes of the entry of a payment. Stores read entries and
 * swap them; none of them decides anything.
 */
import type {
  LedgerRecord,
  Reservation,
  ReservationRequest,
  StoredReport,
  UnknownPayment,
} from './ledger.js'

export interface LedgerEntry extends ReservationRequest {
  readonly state: 'inProgress' | 'unknown' | 'paid'
  /** The reservation in progress; null if there is none. */
  readonly owner: string | null
  /** Milliseconds since 1970, like all times here unless they say otherwise. */
  readonly leaseUntil: number
  readonly report: StoredReport
  /** Hashes of the transactions that may have settled it; of a paid one, the one that did. */
  readonly transactions: readonly string[]
  readonly isDelivered: boolean
  /** In seconds since 1970. */
  readonly paidAt?: number | undefined
  /** Null if nothing can have been charged yet. */
  readonly preparedAt: number | null
  /** How long its reports are stored. */
  readonly reportUntil: number
  /** The other reports of this purchase, in the order in which they were made. */
  readonly answers?: readonly StoredAnswer[] | undefined
}

interface StoredAnswer {
  readonly requestKey: string
  readonly report: StoredReport
}

export type LedgerCommand =
  | {
      readonly kind: 'reserve'
      readonly request: ReservationRequest
      readonly owner: string
      readonly leaseMs: number
      readonly onlyKnown?: boolean
    }
  | { readonly kind: 'renew'; readonly owner: string; readonly leaseMs: number }
  | {
      readonly kind: 'prepare'
      readonly owner: string
      readonly report: StoredReport
      readonly leaseMs: number
    }
  | { readonly kind: 'recordTransaction'; readonly owner: string; readonly hash: string }
  | {
      readonly kind: 'complete'
      readonly owner: string
      /** In case that the store has lost the entry. */
      readonly request: ReservationRequest
      readonly transaction: string
      readonly paidAt: number | undefined
    }
  | {
      readonly kind: 'keepAnswer'
      readonly owner: string
      readonly requestKey: string
      readonly report: StoredReport
    }
  | { readonly kind: 'markUnknown'; readonly owner: string }
  | { readonly kind: 'release'; readonly owner: string }
  | { readonly kind: 'markDelivered' }
  | { readonly kind: 'resolve'; readonly transaction: string | null }
  | { readonly kind: 'forget'; readonly chainTime: number }

/** What a command has to know beside the entry itself. */
export interface Surroundings {
  /** How many of the payer's payments have no known outcome. */
  readonly unknownOfPayer: number
  /** Another payment with the same identifier that was prepared, if any. */
  readonly holder: LedgerEntry | null
}

export interface Transition {
  /** The same object if nothing changes; null: the payment is forgotten. */
  readonly entry: LedgerEntry | null
  readonly outcome: LedgerOutcome
}

export type LedgerOutcome =
  | Reservation
  | { readonly kind: 'done' }
  /** The reservation was lost, or the entry is not in a state for this command. */
  | { readonly kind: 'notDone' }

/** A report is stored while its payment is valid, for ten minutes at most … */
export const MAX_REPORT_MS = 10 * 60_000

/** … and at least for a minute, because the response to the first request may get lost. */
export const MIN_REPORT_MS = 60_000

/** How long after it expires a payment is kept, and its report can be fetched. */
export const RECOVERY_MS = 24 * 60 * 60_000

/** How many other reports of the same purchase one payment gets in that time, … */
export const MAX_ANSWERS = 20

/** … while all of them are stored. A payment is valid for an hour at most. */
const MAX_ANSWERS_MS = RECOVERY_MS + 60 * 60_000

/** A payer who does not pay must not fill the ledger. */
export const MAX_UNKNOWN_PER_PAYER = 5

export function transition(
  entry: LedgerEntry | null,
  command: LedgerCommand,
  now: number,
  surroundings: Surroundings,
): Transition {
  if (command.kind === 'reserve') return reserve(entry, command, now, surroundings)
  if (entry === null) {
    return command.kind === 'complete'
      ? done(paid(newEntry(command, now), command, now))
      : notDone(entry)
  }
  switch (command.kind) {
    case 'markDelivered':
      return markDelivered(entry, now)
    case 'resolve':
      return resolve(entry, command.transaction, now)
    case 'forget': {
      const isOver = command.chainTime * 1_000 >= keepUntil(entry)
      return isOver && !isInProgress(entry, now) ? done(null) : notDone(entry)
    }
    default:
      return entry.owner === command.owner
        ? asOwner(entry, command, now, surroundings)
        : notDone(entry)
  }
}

type OwnerCommand = Exclude<
  LedgerCommand,
  { readonly kind: 'reserve' | 'markDelivered' | 'resolve' | 'forget' }
>

function asOwner(
  entry: LedgerEntry,
  command: OwnerCommand,
  now: number,
  { holder }: Surroundings,
): Transition {
  switch (command.kind) {
    case 'renew':
      return done({ ...entry, leaseUntil: now + command.leaseMs })
    case 'prepare': {
      if (holder) return { entry, outcome: inUse(holder, now) }
      const { report, leaseMs } = command
      const prepared = { ...entry, report, preparedAt: now, leaseUntil: now + leaseMs }
      return done({ ...prepared, reportUntil: reportUntil(prepared, now) })
    }
    case 'recordTransaction':
      return done({ ...entry, transactions: [...entry.transactions, command.hash] })
    case 'complete':
      return done(paid(entry, command, now))
    case 'keepAnswer': {
      const { requestKey, report } = command
      const answers = [...(entry.answers ?? []), { requestKey, report }]
      return done({ ...withoutOwner(entry), answers })
    }
    case 'markUnknown':
      return done(endWithout(entry, 'unknown'))
    case 'release':
      return done(endWithout(entry, null))
  }
}

/** What was paid stays paid, whatever became of another report of it. */
function endWithout(entry: LedgerEntry, state: 'unknown' | null): LedgerEntry | null {
  if (entry.state === 'paid') return withoutOwner(entry)
  return state === null || entry.preparedAt === null ? null : { ...withoutOwner(entry), state }
}

function reserve(
  entry: LedgerEntry | null,
  { request, owner, leaseMs, onlyKnown }: Extract<LedgerCommand, { kind: 'reserve' }>,
  now: number,
  { unknownOfPayer, holder }: Surroundings,
): Transition {
  const lease = { owner, leaseUntil: now + leaseMs }
  if (entry && isInProgress(entry, now)) return { entry, outcome: { kind: 'inProgress' } }
  // One that was not prepared has cost nobody anything, and its lease is over.
  if (entry && entry.preparedAt !== null) return reserveAgain(entry, request, lease, now)
  if (onlyKnown) return { entry, outcome: { kind: 'notKnown' } }
  if (holder) return { entry, outcome: inUse(holder, now) }
  if (unknownOfPayer >= MAX_UNKNOWN_PER_PAYER) return { entry, outcome: { kind: 'tooManyUnknown' } }
  const reserved = { ...newEntry({ request, owner }), leaseUntil: lease.leaseUntil }
  return { entry: reserved, outcome: { kind: 'acquired' } }
}

type NewLease = Pick<LedgerEntry, 'owner' | 'leaseUntil'>

/** For a payment that may have been charged. */
function reserveAgain(
  entry: LedgerEntry,
  request: ReservationRequest,
  lease: NewLease,
  now: number,
): Transition {
  const { fingerprint, requestKey, purchaseKey, state, transactions, isRecorded } = entry
  const isSame = requestKey === request.requestKey
  const isBought = isSame || (purchaseKey !== undefined && purchaseKey === request.purchaseKey)
  if (fingerprint !== request.fingerprint || !isBought) {
    return { entry, outcome: { kind: 'conflict' } }
  }
  if (state === 'paid') return isSame ? due(entry, entry, now) : answer(entry, request, lease, now)
  // Nobody has a report yet, so the one that is asked for last is the one that is bought.
  const asked = isSame ? entry : { ...entry, requestKey: request.requestKey, report: null }
  const report = storedReport(asked, now)
  return {
    entry: { ...asked, ...lease },
    outcome: { kind: 'unknown', report, transactions, isRecorded },
  }
}

function due(entry: LedgerEntry, { report }: StoredAnswer, now: number): Transition {
  const { transactions, paidAt } = entry
  const [transaction = ''] = transactions
  const stored = isReportStored(entry, now) ? report : null
  return { entry, outcome: { kind: 'paid', report: stored, transaction, paidAt } }
}

/** For another report of the same purchase. */
function answer(
  entry: LedgerEntry,
  { requestKey }: ReservationRequest,
  lease: NewLease,
  now: number,
): Transition {
  const { answers = [], transactions, paidAt } = entry
  if (now >= keepUntil(entry)) return { entry, outcome: { kind: 'noAnswer', isOver: true } }
  const given = answers.find((it) => it.requestKey === requestKey)
  if (given) return due(entry, given, now)
  if (answers.length >= MAX_ANSWERS) return { entry, outcome: { kind: 'noAnswer', isOver: false } }
  const [transaction = ''] = transactions
  return { entry: { ...entry, ...lease }, outcome: { kind: 'answering', transaction, paidAt } }
}

function newEntry(
  { request, owner }: Pick<Extract<LedgerCommand, { kind: 'reserve' }>, 'request' | 'owner'>,
  preparedAt: number | null = null,
): LedgerEntry {
  return {
    ...request,
    owner,
    leaseUntil: 0,
    state: 'inProgress',
    report: null,
    transactions: [],
    isDelivered: false,
    preparedAt,
    reportUntil: 0,
  }
}

function markDelivered(entry: LedgerEntry, now: number): Transition {
  if (entry.state !== 'paid' || entry.isDelivered) return notDone(entry)
  return done({ ...withoutOldReports(entry, now), isDelivered: true })
}

/** A lease that is over leaves a prepared payment unknown. */
function resolve(entry: LedgerEntry, transaction: string | null, now: number): Transition {
  const { state, preparedAt } = entry
  if (state === 'paid' || preparedAt === null || isInProgress(entry, now)) return notDone(entry)
  return done(
    transaction === null ? null : paid(entry, { transaction, paidAt: toSeconds(now) }, now),
  )
}

function paid(
  entry: LedgerEntry,
  { transaction, paidAt }: { readonly transaction: string; readonly paidAt: number | undefined },
  now: number,
): LedgerEntry {
  return {
    // If its time was over, the caller gets a new one, and must not get this one later.
    ...withoutOldReports(withoutOwner(entry), now),
    state: 'paid',
    transactions: [transaction],
    paidAt: paidAt ?? toSeconds(now),
    reportUntil: reportUntil(entry, now),
  }
}

function isInProgress({ owner, leaseUntil }: LedgerEntry, now: number): boolean {
  return owner !== null && leaseUntil > now
}

/** A payment that was not prepared is forgotten with its lease, any other one a day after it expires. */
export function keepUntil({
  preparedAt,
  leaseUntil,
  validBefore,
}: Pick<LedgerEntry, 'preparedAt' | 'leaseUntil' | 'validBefore'>): number {
  return preparedAt === null ? leaseUntil : validBefore * 1_000 + RECOVERY_MS
}

function storedReport(entry: LedgerEntry, now: number): StoredReport {
  return isReportStored(entry, now) ? entry.report : null
}

/** Not longer than that after a clock was set back, either. */
function isReportStored({ reportUntil, purchaseKey }: LedgerEntry, now: number): boolean {
  const longest = purchaseKey === undefined ? MAX_REPORT_MS : MAX_ANSWERS_MS
  return reportUntil > now && reportUntil <= now + longest
}

/** The same object if none is stored that should not be. */
export function withoutOldReports(entry: LedgerEntry, now: number): LedgerEntry {
  if (isReportStored(entry, now)) return entry
  const { report, answers } = entry
  const isClean = report === null && !answers?.some((it) => it.report !== null)
  return isClean ? entry : withoutReports(entry)
}

/** All of them, or all except these. */
export function withoutReports(entry: LedgerEntry, kept: LedgerEntry | null = null): LedgerEntry {
  return {
    ...entry,
    report: kept !== null && entry.report === kept.report ? entry.report : null,
    answers: entry.answers?.map((it) =>
      kept?.answers?.includes(it) ? it : { ...it, report: null },
    ),
  }
}

/** In characters. */
export function reportsLength({ report, answers = [] }: LedgerEntry): number {
  const lengths = [report, ...answers.map((it) => it.report)].map((it) => it?.length ?? 0)
  return lengths.reduce((sum, length) => sum + length)
}

type StoredEntry = Omit<LedgerEntry, 'owner' | 'leaseUntil'>

/** For stores to list; none if it was not prepared. */
export function toUnknownPayment(entry: LedgerEntry): UnknownPayment[] {
  return entry.preparedAt === null ? [] : [describePrepared(entry)]
}

/** A prepared payment, for accounting. */
export function toLedgerRecord(entry: StoredEntry): LedgerRecord {
  return {
    ...describePrepared(entry),
    state: entry.state === 'paid' ? 'paid' : 'unknown',
    isDelivered: entry.isDelivered,
    keepUntil: keepUntil({ ...entry, leaseUntil: 0 }),
  }
}

function describePrepared(entry: StoredEntry): UnknownPayment {
  const { id, preparedAt, validBefore, amount, transactions, terms, isRecorded } = entry
  return { id, since: preparedAt ?? 0, validBefore, amount, transactions, terms, isRecorded }
}

/**
 * Whether a transaction that used the authorization of a payment was made for us. If each of ours is
 * recorded before it is sent, by this facilitator and by the one that sold it, another one was made
 * by the payer, or by an instance with a ledger of its own.
 */
export function isOurTransaction(
  transaction: string,
  { transactions, isRecorded = true }: Pick<UnknownPayment, 'transactions' | 'isRecorded'>,
  { recordsTransactions }: { readonly recordsTransactions: boolean },
): boolean {
  return !(recordsTransactions && isRecorded) || transactions.includes(transaction)
}

function reportUntil({ validBefore, purchaseKey }: LedgerEntry, now: number): number {
  if (purchaseKey !== undefined) return validBefore * 1_000 + RECOVERY_MS
  return Math.min(Math.max(validBefore * 1_000, now + MIN_REPORT_MS), now + MAX_REPORT_MS)
}

function withoutOwner(entry: LedgerEntry): LedgerEntry {
  return { ...entry, owner: null, leaseUntil: 0 }
}

function inUse(holder: LedgerEntry, now: number): Reservation {
  return { kind: 'identifierInUse', isInProgress: isInProgress(holder, now) }
}

const toSeconds = (ms: number) => Math.floor(ms / 1_000)

function done(entry: LedgerEntry | null): Transition {
  return { entry, outcome: { kind: 'done' } }
}

function notDone(entry: LedgerEntry | null): Transition {
  return { entry, outcome: { kind: 'notDone' } }
}
