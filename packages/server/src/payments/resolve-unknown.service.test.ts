import { type LocalAccount, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ChainServer, startChainServer } from '../../test/support/chain-server.js'
import { openDiskLedger } from '../../test/support/disk-ledger.js'
import {
  cancelTransaction,
  signTestPayment,
  TEST_MAX_COST,
  testTerms,
  transferTransaction,
} from '../../test/support/payment-fixtures.js'
import { FACILITATOR_WALLET } from '../sandbox/chain/sandbox-wallets.js'
import type { ReservationRequest } from '../state/ledger.js'
import { connectPayeeTransferReader } from './chain/chain-backend.js'
import { connectChain } from './chain/chain-client.js'
import { createGasPayer, type GasPayer } from './chain/gas-payer.js'
import { type Payment, paymentTermsId } from './payment.js'
import { createUnknownResolver, type ResolvedPayment } from './resolve-unknown.js'

const NETWORK = 'eip155:84532'

let server: ChainServer
let payer: LocalAccount
let gasPayer: GasPayer
beforeAll(async () => {
  server = await startChainServer({ chainId: 84532 })
  payer = await server.newWallet()
  const client = connectChain([server.url], NETWORK)
  gasPayer = createGasPayer(client, privateKeyToAccount(FACILITATOR_WALLET.privateKey))
})
afterAll(() => server.close())

/** Each test starts where the time of the chain is, which only moves forward. */
async function chainSeconds(): Promise<number> {
  const params = ['latest', false]
  const block = await server.chain.request({ method: 'eth_getBlockByNumber', params })
  return Number((block as { timestamp: string }).timestamp)
}

const send = (
  transaction: Pick<Parameters<GasPayer['send']>[0], 'to' | 'data'>,
  recordTransaction: (hash: string) => Promise<void> = async () => {},
) =>
  gasPayer.send({ ...transaction, maxGas: 1_000_000n, maxCost: TEST_MAX_COST, recordTransaction })

interface Scene {
  readonly recordsTransactions: boolean
  /** How payments were sold, if not with what the service has now. */
  readonly soldWith?: Pick<ReservationRequest, 'terms' | 'isRecorded'>
}

async function setUp({ recordsTransactions, soldWith }: Scene) {
  await server.advanceTime(2)
  const startsAt = await chainSeconds()
  const clock = { now: startsAt * 1_000 }
  const { ledger } = await openDiskLedger(() => clock.now)
  const resolved: ResolvedPayment[] = []
  const options = {
    ledger,
    terms: testTerms(NETWORK),
    readPayeeTransfers: connectPayeeTransferReader(testTerms(NETWORK), [server.url]),
    facilitator: { recordsTransactions },
    now: () => clock.now,
    onResolved: (payment: ResolvedPayment) => resolved.push(payment),
  }
  const request = ({ id, fingerprint, validBefore, authorization }: Payment) => ({
    id,
    fingerprint,
    requestKey: 'score acme.test',
    payer: 'digest',
    validBefore,
    amount: authorization.value,
    ...soldWith,
  })
  const reserve = (payment: Payment) => ledger.reserve(request(payment))

  /** Reserved and prepared; `settle` may send it, and then its outcome is unknown. */
  async function loseOne(settle: (payment: Payment) => Promise<unknown> = async () => {}) {
    const payment = await signTestPayment(payer, NETWORK, { validBefore: startsAt + 120 })
    expect(await reserve(payment)).toEqual({ kind: 'acquired' })
    await ledger.prepare(payment.id, 'sealed')
    await settle(payment)
    await ledger.markUnknown(payment.id)
    clock.now += 30_000
    return payment
  }
  const settleRecorded = (payment: Payment) =>
    send(transferTransaction(payment), (hash) => ledger.recordTransaction(payment.id, hash))
  return {
    clock,
    ledger,
    options,
    resolved,
    reserve,
    loseOne,
    settleRecorded,
    resolveUnknown: createUnknownResolver(options),
  }
}

const inProcess = { recordsTransactions: true }
const remote = { recordsTransactions: false }

describe('a payment that the chain shows as paid', () => {
  test('becomes due if it was paid in a recorded transaction', async () => {
    const { loseOne, settleRecorded, resolveUnknown, resolved, reserve, ledger } =
      await setUp(inProcess)
    const payment = await loseOne(settleRecorded)
    const [unknown] = await ledger.listUnknown()
    await resolveUnknown()
    const transaction = String(unknown?.transactions[0])
    expect(resolved).toEqual([{ reference: payment.id, transaction, usd: 0.01 }])
    expect(await ledger.listUnknown()).toEqual([])
    expect(await reserve(payment)).toEqual({
      kind: 'paid',
      report: 'sealed',
      transaction,
      paidAt: expect.any(Number),
    })
  })

  test('becomes due in any transaction if the facilitator is remote', async () => {
    const { loseOne, resolveUnknown, resolved, reserve } = await setUp(remote)
    let transaction = ''
    const payment = await loseOne(async (one) => {
      transaction = await send(transferTransaction(one))
    })
    await resolveUnknown()
    expect(resolved).toEqual([{ reference: payment.id, transaction, usd: 0.01 }])
    expect(await reserve(payment)).toEqual({
      kind: 'paid',
      report: 'sealed',
      transaction,
      paidAt: expect.any(Number),
    })
  })

  test.each([
    ['still', 0],
    ['no longer', -26 * 3_600_000],
  ])('becomes due if our clock was a day ahead when it was sold, and %s is', async (_, change) => {
    const { clock, loseOne, settleRecorded, resolveUnknown, resolved } = await setUp(inProcess)
    clock.now += 26 * 3_600_000
    const payment = await loseOne(settleRecorded)
    clock.now += change
    await server.advanceTime(300)
    await resolveUnknown()
    const transaction = expect.any(String)
    expect(resolved).toEqual([{ reference: payment.id, transaction, usd: 0.01 }])
  })

  test('is released if this process did not send the transaction', async () => {
    const { loseOne, resolveUnknown, resolved, reserve } = await setUp(inProcess)
    const payment = await loseOne((one) => send(transferTransaction(one)))
    await resolveUnknown()
    expect(resolved).toEqual([{ reference: payment.id, transaction: null, usd: 0.01 }])
    expect(await reserve(payment)).toEqual({ kind: 'acquired' })
  })

  test('is released if its nonce paid another amount', async () => {
    const { ledger, resolveUnknown, resolved, clock, reserve } = await setUp(remote)
    const paid = await signTestPayment(payer, NETWORK, { validBefore: clock.now / 1_000 + 120 })
    const dearer = { ...paid, authorization: { ...paid.authorization, value: '1000000' } }
    await reserve(dearer)
    await ledger.prepare(dearer.id, 'sealed')
    await ledger.markUnknown(dearer.id)
    await send(transferTransaction(paid))
    clock.now += 30_000
    await resolveUnknown()
    expect(resolved).toEqual([{ reference: paid.id, transaction: null, usd: 1 }])
  })
})

describe('a payment without a transfer', () => {
  test('stays unknown until a block is a minute past its validity, and is released then', async () => {
    const { loseOne, resolveUnknown, resolved, ledger, reserve } = await setUp(inProcess)
    const payment = await loseOne()
    await server.advanceTime(120 + 55)
    await resolveUnknown()
    expect([resolved, (await ledger.listUnknown()).map(({ id }) => id)]).toEqual([[], [payment.id]])
    await server.advanceTime(5)
    await resolveUnknown()
    expect(resolved).toEqual([{ reference: payment.id, transaction: null, usd: 0.01 }])
    expect(await ledger.listUnknown()).toEqual([])
    expect(await reserve(payment)).toEqual({ kind: 'acquired' })
  })

  test('stays unknown after a cancellation, which shows no transfer', async () => {
    const { loseOne, resolveUnknown, resolved, ledger } = await setUp(remote)
    const payment = await loseOne(async (one) => send(await cancelTransaction(payer, one)))
    await resolveUnknown()
    expect([resolved, (await ledger.listUnknown()).map(({ id }) => id)]).toEqual([[], [payment.id]])
  })

  test('stays unknown if the chain cannot be read', async () => {
    const { loseOne, options, resolved, ledger } = await setUp(inProcess)
    const payment = await loseOne()
    const readPayeeTransfers = connectPayeeTransferReader(testTerms(NETWORK), [
      'http://127.0.0.1:9',
    ])
    await expect(createUnknownResolver({ ...options, readPayeeTransfers })()).rejects.toThrow()
    expect([resolved, (await ledger.listUnknown()).map(({ id }) => id)]).toEqual([[], [payment.id]])
  })
})

describe('after the operator changed the settings', () => {
  test('a payment to an earlier payee is left to its payer, not released', async () => {
    const earlier = paymentTermsId({ ...testTerms(NETWORK), payTo: payer.address })
    const { loseOne, settleRecorded, resolveUnknown, resolved, reserve, clock } = await setUp({
      ...inProcess,
      soldWith: { terms: earlier },
    })
    const payment = await loseOne(settleRecorded)
    await server.advanceTime(200)
    clock.now += 200_000
    await resolveUnknown()
    expect([resolved, await reserve(payment)]).toMatchObject([[], { kind: 'unknown' }])
  })

  test('a payment that a remote facilitator settled is due when ours records its own', async () => {
    const { loseOne, resolveUnknown, resolved, reserve } = await setUp({
      ...inProcess,
      soldWith: { isRecorded: false },
    })
    const payment = await loseOne((it) => send(transferTransaction(it)))
    await resolveUnknown()
    expect(resolved).toMatchObject([
      { reference: payment.id, transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/) },
    ])
    expect(await reserve(payment)).toMatchObject({ kind: 'paid' })
  })
})

test('leaves a payment in progress alone', async () => {
  const { loseOne, settleRecorded, resolveUnknown, resolved, reserve, ledger } =
    await setUp(inProcess)
  const payment = await loseOne(settleRecorded)
  expect(await reserve(payment)).toMatchObject({ kind: 'unknown' })
  await resolveUnknown()
  expect([resolved, await reserve(payment)]).toEqual([[], { kind: 'inProgress' }])
  await ledger.markUnknown(payment.id)
  await resolveUnknown()
  expect(resolved).toMatchObject([{ reference: payment.id }])
})

test('does not release a payment that was sent and recorded while the chain was read', async () => {
  const { loseOne, settleRecorded, options, resolved, reserve, ledger } = await setUp(inProcess)
  const payment = await loseOne()
  await createUnknownResolver({
    ...options,
    async readPayeeTransfers(since) {
      await reserve(payment)
      await settleRecorded(payment)
      await ledger.markUnknown(payment.id)
      return options.readPayeeTransfers(since)
    },
  })()
  expect(resolved).toMatchObject([
    { reference: payment.id, transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/) },
  ])
})
