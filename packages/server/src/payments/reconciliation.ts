/**
 * Compares the payments in the ledger with the transfers on the chain, and shows the result as text
 * for people and as JSON for programs.
 */
import { stringifySafely } from '@mailgrade/core'
import { formatUnits } from 'viem'
import type { LedgerRecord } from '../state/ledger.js'
import { isOurTransaction } from '../state/ledger-rules.js'
import { DUST_BELOW } from './chain/payee-transfers.js'
import type { PayeeTransfer, PayeeTransfers } from './facilitator.js'
import { NETWORKS, type PaymentTerms, USDC_DECIMALS } from './payment-terms.js'

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

interface SettledPayment {
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
  const { since, before, after, now } = input
  const transferOf = new Map(
    [...before.transfers, ...after.transfers].map((one) => [one.paymentId, one]),
  )
  /** Another transfer with the same nonce does not pay for it. */
  function findPayment(record: LedgerRecord): PayeeTransfer | null {
    const transfer = transferOf.get(record.id)
    if (!transfer || transfer.units !== BigInt(record.amount || 0)) return null
    return isOurTransaction(transfer.transaction, record, input) ? transfer : null
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

interface ReconciliationPeriod {
  readonly terms: PaymentTerms
  readonly hours: number
  /** The time of the latest block, in seconds since 1970. */
  readonly upTo: number
}

type Row = readonly string[]

const usd = (units: bigint) => formatUnits(units, USDC_DECIMALS)
/** Without milliseconds. */
const time = (ms: number) => new Date(ms).toISOString().replace(/\.\d+/, '')
const sum = (units: readonly bigint[]) => usd(units.reduce((total, one) => total + one, 0n))
const unitsOf = (record: LedgerRecord) => BigInt(record.amount || 0)

export function toText(result: Reconciliation, period: ReconciliationPeriod): string {
  const { network, payTo } = period.terms
  const sections = [
    resultLine(result, period.hours),
    `${NETWORKS[network].name}, payee ${payTo}, up to the block of ${time(period.upTo * 1_000)}`,
    table(['', 'number', 'USDC'], countRows(result)),
    details('PAID, NOT DELIVERED', TRANSFER_HEAD, result.notDelivered.map(notDeliveredRow)),
    details('Unknown for more than a minute', RECORD_HEAD, result.unknown.map(unknownRow)),
    details(
      'Transfers without a ledger entry',
      TRANSFER_HEAD,
      result.unrecorded.map(unrecordedRow),
    ),
    details('Ledger entries without a transfer', RECORD_HEAD, result.missing.map(missingRow)),
    details('Other transfers to the payee', TRANSFER_HEAD, result.other.map(otherRow)),
  ]
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`
}

function resultLine(result: Reconciliation, hours: number): string {
  const { delivered, notDelivered, unknown, unrecorded, missing } = result
  const period = hours === 1 ? 'the last hour' : `the last ${hours} hours`
  if (!needsAttention(result)) {
    const total = sum(delivered.map(({ transfer }) => transfer.units))
    return `OK: the ledger and the chain agree for ${period}. Paid and delivered: ${delivered.length}, ${total} USDC.`
  }
  const counts: [number, string][] = [
    [notDelivered.length, 'paid and not delivered'],
    [unknown.length, 'unknown'],
    [unrecorded.length, 'on the chain only'],
    [missing.length, 'in the ledger only'],
  ]
  const found = counts.filter(([count]) => count > 0).map(([count, text]) => `${count} ${text}`)
  return `ATTENTION: payments of ${period}: ${found.join(', ')}.`
}

function countRows(result: Reconciliation): Row[] {
  const { delivered, notDelivered, unknown, inProgress, unrecorded, missing, other, dust } = result
  const row = (title: string, units: readonly bigint[]) => [title, `${units.length}`, sum(units)]
  const ofTransfer = ({ units }: PayeeTransfer) => units
  const ofPayment = ({ transfer }: SettledPayment) => transfer.units
  return [
    row('Paid and delivered', delivered.map(ofPayment)),
    row('PAID, NOT DELIVERED', notDelivered.map(ofPayment)),
    row('Unknown for more than a minute', unknown.map(unitsOf)),
    row('In progress', inProgress.map(unitsOf)),
    row('Transfers without a ledger entry', unrecorded.map(ofTransfer)),
    row('Ledger entries without a transfer', missing.map(unitsOf)),
    row('Other transfers to the payee', other.map(ofTransfer)),
    [`Transfers below ${usd(DUST_BELOW)} USDC`, String(dust.count), usd(dust.units)],
  ]
}

const TRANSFER_HEAD = ['reference', 'transaction', 'USDC', 'time', 'payer', 'what to do']
const RECORD_HEAD = ['reference', 'transactions', 'USDC', 'time', 'what to do']

function transferCells({ paymentId, transaction, units, blockTime, payer }: PayeeTransfer): Row {
  return [paymentId ?? '-', transaction, usd(units), time(blockTime * 1_000), payer]
}

function recordCells(record: LedgerRecord): Row {
  const { id, transactions, since } = record
  return [id, transactions.join(' ') || '-', usd(unitsOf(record)), time(since)]
}

function notDeliveredRow({ record, transfer }: SettledPayment): Row {
  const advice = `until ${time(record.keepUntil)}, the payer can get the report by sending the same payment again; refund it after that`
  return [...transferCells(transfer), advice]
}

const unknownRow = (record: LedgerRecord): Row => [
  ...recordCells(record),
  'check that the service is running and can reach RPC_URL; it will then resolve this payment',
]
const unrecordedRow = (transfer: PayeeTransfer): Row => [
  ...transferCells(transfer),
  'this ledger owes no report for it: refund it if the payer asks',
]
const missingRow = (record: LedgerRecord): Row => [
  ...recordCells(record),
  'look up the transaction; check RPC_URL and PAY_TO_ADDRESS',
]
const otherRow = (transfer: PayeeTransfer): Row => [
  ...transferCells(transfer),
  'nothing; it isn’t a sale',
]

function details(title: string, head: Row, rows: readonly Row[]): string {
  return rows.length === 0 ? '' : `${title}\n${table(head, rows)}`
}

function table(head: Row, rows: readonly Row[]): string {
  const all = [head, ...rows]
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)))
  const line = (row: Row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')
  return all.map((row) => line(row).trimEnd()).join('\n')
}

export function toJson(result: Reconciliation, period: ReconciliationPeriod): string {
  const { terms, hours, upTo } = period
  const settled = ({ record, transfer }: SettledPayment) => ({
    ...transferJson(transfer),
    keptUntil: time(record.keepUntil),
  })
  const json = {
    isAttentionNeeded: needsAttention(result),
    network: terms.network,
    payTo: terms.payTo,
    hours,
    upTo: time(upTo * 1_000),
    delivered: result.delivered.map(settled),
    notDelivered: result.notDelivered.map(settled),
    unknown: result.unknown.map(recordJson),
    inProgress: result.inProgress.map(recordJson),
    transfersWithoutEntry: result.unrecorded.map(transferJson),
    entriesWithoutTransfer: result.missing.map(recordJson),
    otherTransfers: result.other.map(transferJson),
    transfersTooSmall: { count: result.dust.count, usdc: usd(result.dust.units) },
  }
  return `${stringifySafely(json, 2)}\n`
}

function transferJson({ paymentId, transaction, units, blockTime, payer }: PayeeTransfer) {
  const at = time(blockTime * 1_000)
  return { reference: paymentId, transaction, usd: usd(units), time: at, payer }
}

function recordJson(record: LedgerRecord) {
  const { id, transactions, since } = record
  return { reference: id, transactions, usd: usd(unitsOf(record)), time: time(since) }
}
