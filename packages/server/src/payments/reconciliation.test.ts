import { describe, expect, test } from 'vitest'
import type { LedgerRecord } from '../state/ledger.js'
import { NO_DUST } from './chain/payee-transfers.js'
import type { PayeeTransfer } from './facilitator.js'
import { needsAttention, type ReconciliationInput, reconcile, toText } from './reconciliation.js'

const NOW_SECONDS = 1_800_000_000
const HOUR = 3_600

const record = (id: string, changes: Partial<LedgerRecord> = {}): LedgerRecord => ({
  id,
  since: (NOW_SECONDS - HOUR) * 1_000,
  validBefore: NOW_SECONDS - HOUR + 120,
  amount: '10000',
  transactions: [`0x${id}`],
  state: 'paid',
  isDelivered: true,
  keepUntil: (NOW_SECONDS + 23 * HOUR) * 1_000,
  ...changes,
})
const transfer = (id: string | null, changes: Partial<PayeeTransfer> = {}): PayeeTransfer => ({
  paymentId: id,
  transaction: `0x${id}`,
  payer: '0xpayer',
  units: 10_000n,
  blockTime: NOW_SECONDS - HOUR + 2,
  ...changes,
})
const NONE = {
  delivered: [],
  notDelivered: [],
  inProgress: [],
  unknown: [],
  unrecorded: [],
  missing: [],
  other: [],
  dust: NO_DUST,
}

function compare(
  records: LedgerRecord[],
  before: PayeeTransfer[],
  changes: Partial<ReconciliationInput> & { later?: PayeeTransfer[] } = {},
) {
  const { later = [], ...input } = changes
  return reconcile({
    since: NOW_SECONDS - 24 * HOUR,
    before: { transfers: before, dust: NO_DUST, upTo: NOW_SECONDS },
    records,
    after: { transfers: later, dust: NO_DUST, upTo: NOW_SECONDS },
    recordsTransactions: true,
    now: NOW_SECONDS * 1_000,
    ...input,
  })
}

describe('agrees', () => {
  test('on a delivered payment', () => {
    const result = compare([record('a')], [transfer('a')])
    expect(result).toEqual({
      ...NONE,
      delivered: [{ record: record('a'), transfer: transfer('a') }],
    })
    expect(needsAttention(result)).toBe(false)
  })

  test('on a payment of the last minute, whatever it will become', () => {
    const young = record('a', {
      state: 'unknown',
      isDelivered: false,
      since: (NOW_SECONDS - 60) * 1_000,
    })
    const result = compare([young], [transfer('a')])
    expect([result, needsAttention(result)]).toEqual([{ ...NONE, inProgress: [young] }, false])
  })

  test('on a payment that was made between the two reads of the chain', () => {
    const result = compare([record('a')], [], { later: [transfer('a')] })
    expect([result.delivered.length, needsAttention(result)]).toEqual([1, false])
    const unread = compare([], [], { later: [transfer('b')] })
    expect([unread, needsAttention(unread)]).toEqual([NONE, false])
  })

  test('on a payment that a facilitator sold which recorded no transactions', () => {
    const sold = record('a', { transactions: [], isRecorded: false })
    const result = compare([sold], [transfer('a')])
    expect(result).toEqual({ ...NONE, delivered: [{ record: sold, transfer: transfer('a') }] })
  })

  test('on transfers that are no payments', () => {
    const result = compare([], [transfer(null)])
    expect([result, needsAttention(result)]).toEqual([{ ...NONE, other: [transfer(null)] }, false])
  })

  test('on what is older than the period', () => {
    const blockTime = NOW_SECONDS - 25 * HOUR
    const old = record('a', { since: blockTime * 1_000, isDelivered: false })
    const missing = record('b', { since: blockTime * 1_000 })
    const result = compare(
      [old, missing],
      [transfer('a', { blockTime }), transfer('c', { blockTime })],
    )
    expect([result, needsAttention(result)]).toEqual([NONE, false])
  })
})

describe('needs attention', () => {
  const lost = record('a', { state: 'unknown', isDelivered: false })

  test('for a payment that is due', () => {
    const due = record('a', { isDelivered: false })
    const result = compare([due], [transfer('a')])
    expect(result).toEqual({ ...NONE, notDelivered: [{ record: due, transfer: transfer('a') }] })
    expect(needsAttention(result)).toBe(true)
  })

  test('for an unknown payment that the chain shows as paid', () => {
    const result = compare([lost], [transfer('a')])
    expect(result).toEqual({ ...NONE, notDelivered: [{ record: lost, transfer: transfer('a') }] })
  })

  test('for an unknown payment, however old', () => {
    const result = compare([lost, { ...lost, id: 'b', since: 0 }], [])
    expect(result).toEqual({ ...NONE, unknown: [lost, { ...lost, id: 'b', since: 0 }] })
    expect(needsAttention(result)).toBe(true)
  })

  test('for an unknown payment that was prepared while our clock was ahead', () => {
    const future = { ...lost, since: (NOW_SECONDS + 26 * HOUR) * 1_000 }
    expect(compare([future], [])).toEqual({ ...NONE, unknown: [future] })
  })

  test('for a payment that the ledger does not have', () => {
    const result = compare([], [transfer('a')])
    expect([result, needsAttention(result)]).toEqual([
      { ...NONE, unrecorded: [transfer('a')] },
      true,
    ])
  })

  test('for a payment that the chain does not have', () => {
    const result = compare([record('a')], [])
    expect([result, needsAttention(result)]).toEqual([{ ...NONE, missing: [record('a')] }, true])
  })

  test('for another amount than the ledger has', () => {
    const other = transfer('a', { units: 1n })
    expect(compare([lost], [other])).toEqual({ ...NONE, unknown: [lost], unrecorded: [other] })
  })

  test('for a transaction that was not recorded, unless the facilitator records none', () => {
    const past = transfer('a', { transaction: '0xpast' })
    expect(compare([lost], [past])).toEqual({ ...NONE, unknown: [lost], unrecorded: [past] })
    expect(compare([lost], [past], { recordsTransactions: false })).toEqual({
      ...NONE,
      notDelivered: [{ record: lost, transfer: past }],
    })
  })
})

describe('as text', () => {
  const period = {
    terms: { network: 'eip155:8453', asset: '0xasset', payTo: '0xpayee' },
    hours: 24,
    upTo: NOW_SECONDS,
  } as const

  test('says first that all agrees', () => {
    const text = toText(compare([record('a'), record('b')], [transfer('a'), transfer('b')]), period)
    expect(text.split('\n')).toEqual([
      'OK: the ledger and the chain agree for the last 24 hours. Paid and delivered: 2, 0.02 USDC.',
      '',
      'Base, payee 0xpayee, up to the block of 2027-01-15T08:00:00Z',
      '',
      '                                   number  USDC',
      'Paid and delivered                 2       0.02',
      'PAID, NOT DELIVERED                0       0',
      'Unknown for more than a minute     0       0',
      'In progress                        0       0',
      'Transfers without a ledger entry   0       0',
      'Ledger entries without a transfer  0       0',
      'Other transfers to the payee       0       0',
      'Transfers below 0.001 USDC         0       0',
      '',
    ])
  })

  test('says first what needs attention, and for each payment what to do', () => {
    const due = record('due', { isDelivered: false })
    const lost = record('lost', { state: 'unknown', isDelivered: false, transactions: [] })
    const text = toText(
      compare([due, lost, record('gone')], [transfer('due'), transfer('past'), transfer(null)]),
      period,
    )
    const [first, ...sections] = text.trimEnd().split('\n\n')
    expect(first).toBe(
      'ATTENTION: payments of the last 24 hours: 1 paid and not delivered, 1 unknown, 1 on the chain only, 1 in the ledger only.',
    )
    expect(sections.slice(2)).toEqual([
      [
        'PAID, NOT DELIVERED',
        'reference  transaction  USDC  time                  payer    what to do',
        'due        0xdue        0.01  2027-01-15T07:00:02Z  0xpayer  until 2027-01-16T07:00:00Z, the payer can get the report by sending the same payment again; refund it after that',
      ].join('\n'),
      [
        'Unknown for more than a minute',
        'reference  transactions  USDC  time                  what to do',
        'lost       -             0.01  2027-01-15T07:00:00Z  check that the service is running and can reach RPC_URL; it will then resolve this payment',
      ].join('\n'),
      [
        'Transfers without a ledger entry',
        'reference  transaction  USDC  time                  payer    what to do',
        'past       0xpast       0.01  2027-01-15T07:00:02Z  0xpayer  this ledger owes no report for it: refund it if the payer asks',
      ].join('\n'),
      [
        'Ledger entries without a transfer',
        'reference  transactions  USDC  time                  what to do',
        'gone       0xgone        0.01  2027-01-15T07:00:00Z  look up the transaction; check RPC_URL and PAY_TO_ADDRESS',
      ].join('\n'),
      [
        'Other transfers to the payee',
        'reference  transaction  USDC  time                  payer    what to do',
        '-          0xnull       0.01  2027-01-15T07:00:02Z  0xpayer  nothing; it isn’t a sale',
      ].join('\n'),
    ])
  })
})
