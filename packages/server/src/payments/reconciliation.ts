/** Compares the payments in the ledger with the transfers on the chain. */
import type { LedgerRecord } from '../state/ledger.js'
import type { PayeeTransfer, PayeeTransfers } from './facilitator.js'

export interface ReconciliationInput {
  /** Seconds since 1970. */
  readonly since: number
  /** Read before the ledger, which has every payment before its transfer is made. */
  readonly before: PayeeTransfers
  readonly records: readonly LedgerRecord[]
  /** Read after the ledger, for payments that were made meanwhile. */
  readonly after: PayeeTransfers
  /** As of the facilitator. */
  readonly recordsTransactions: boolean
  /** Milliseconds since 1970. */
  readonly now: number
}

export interface SettledPayment {
  readonly record: LedgerRecord
  readonly transfer: PayeeTransfer
}

export interface Reconciliation {
  readonly delivered: readonly SettledPayment[]
  readonly notDelivered: readonly SettledPayment[]
  /** Not older than a minute. */
  readonly inProgress: readonly LedgerRecord[]
  readonly unknown: readonly LedgerRecord[]
  /** Payments on the chain that the ledger does not have. */
  readonly unrecorded: readonly PayeeTransfer[]
  /** Paid according to the ledger, but not on the chain. */
  readonly missing: readonly LedgerRecord[]
  /** Transfers that are no payments. */
  readonly other: readonly PayeeTransfer[]
  readonly dust: PayeeTransfers['dust']
}

const IN_PROGRESS_MS = 60_000

export function reconcile(input: ReconciliationInput): Reconciliation {
  const { since, before, after, recordsTransactions, now } = input
  const transferOf = new Map(
    [...before.transfers, ...after.transfers].map((one) => [one.paymentId, one]),
  )
  /** As in `resolve-unknown.ts`: another transfer with the same nonce does not pay for it. */
  function findPayment(record: LedgerRecord): PayeeTransfer | null {
    const transfer = transferOf.get(record.id)
    if (!transfer || transfer.units !== BigInt(record.amount || 0)) return null
    const { transaction } = transfer
    return recordsTransactions && !record.transactions.includes(transaction) ? null : transfer
  }

  const isUnknown = ({ state }: LedgerRecord) => state === 'unknown'
  const isYoung = (record: LedgerRecord) =>
    isUnknown(record) && Math.abs(now - record.since) <= IN_PROGRESS_MS
  const compared = input.records.map((record) => ({ record, transfer: findPayment(record) }))
  const settled = compared.flatMap(({ record, transfer }) => (transfer ? { record, transfer } : []))
  const known = new Set<string | null>(settled.map(({ record }) => record.id))
  const open = input.records.filter((record) => !known.has(record.id) && !isYoung(record))
  const ended = settled.filter(({ record, transfer }) => {
    const isInPeriod = isUnknown(record) || transfer.blockTime >= since
    return isInPeriod && !isYoung(record)
  })
  const inPeriod = before.transfers.filter(({ blockTime }) => blockTime >= since)
  return {
    delivered: ended.filter(({ record }) => record.isDelivered),
    notDelivered: ended.filter(({ record }) => !record.isDelivered),
    inProgress: input.records.filter(isYoung),
    unknown: open.filter(isUnknown),
    unrecorded: inPeriod.filter(({ paymentId }) => paymentId !== null && !known.has(paymentId)),
    missing: open.filter((record) => !isUnknown(record) && record.since / 1_000 >= since),
    other: inPeriod.filter(({ paymentId }) => paymentId === null),
    dust: before.dust,
  }
}

export function needsAttention(result: Reconciliation): boolean {
  const { notDelivered, unknown, unrecorded, missing } = result
  return [notDelivered, unknown, unrecorded, missing].some((list) => list.length > 0)
}
