import { type LocalAccount, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type ChainServer, startChainServer } from '../../../test/support/chain-server.js'
import { createContractPayer } from '../../../test/support/contract-wallets.js'
import { createHold } from '../../../test/support/hold.js'
import {
  cancelTransaction,
  signTestPayment,
  TEST_CALLER,
  TEST_ETH_USD,
  TEST_MAX_COST,
  TEST_PAYEE,
  TEST_VERIFY_CONTEXT,
  testOffer,
} from '../../../test/support/payment-fixtures.js'
import { decodeBase64Json } from '../../../test/support/test-payer.js'
import { FACILITATOR_WALLET } from '../../sandbox/chain/sandbox-wallets.js'
import type { RecordTransaction, TransactionCost } from '../facilitator.js'
import { type Payment, parsePayment } from '../payment.js'
import { toPaymentRequired } from '../payment-offer.js'
import type { PaymentErrorReason } from '../payment-problems.js'
import type { NetworkId } from '../payment-terms.js'
import { type ChainSource, connectChain } from './chain-client.js'
import { createGasPayer } from './gas-payer.js'
import { createInProcessFacilitator } from './in-process-facilitator.js'

const NETWORK = 'eip155:84532'
/** The selector of `balanceOf`. */
const BALANCE_OF = '0x70a08231'
const GAS_PAYER = privateKeyToAccount(FACILITATOR_WALLET.privateKey)

function open(
  source: ChainSource,
  network: NetworkId = NETWORK,
  account: LocalAccount = GAS_PAYER,
) {
  const facilitator = createInProcessFacilitator(connectChain(source, network), account, {
    ethUsd: TEST_ETH_USD,
  })
  const purchase = { offer: testOffer(network), caller: TEST_CALLER }
  return {
    verify: (payment: Payment, context = TEST_VERIFY_CONTEXT) =>
      facilitator.verify(payment, purchase, context),
    settle: (payment: Payment, recordTransaction: RecordTransaction = async () => {}) =>
      facilitator.settle(payment, purchase, recordTransaction),
    healthProblem: () => facilitator.healthProblem(),
  }
}

let server: ChainServer
let facilitator: ReturnType<typeof open>
beforeAll(async () => {
  server = await startChainServer({ chainId: 84532 })
  facilitator = open([server.url])
})
afterAll(() => server.close())

const revenue = () => server.balanceOf(TEST_PAYEE)
const countSent = () => server.methods.filter((name) => name === 'eth_sendRawTransaction').length
const paymentBy = async (units?: bigint) => signTestPayment(await server.newWallet(units), NETWORK)

describe('verify', () => {
  const unavailable = { kind: 'unavailable', cause: expect.any(String), work: ['balance'] }

  test('accepts a valid payment without moving funds', async () => {
    const [before, sent] = [await revenue(), countSent()]
    expect(await facilitator.verify(await paymentBy())).toMatchObject({ kind: 'valid' })
    expect([await revenue(), countSent()]).toEqual([before, sent])
  })

  test('returns the reason for an invalid payment', async () => {
    const poor = await paymentBy(9_999n)
    expect(await facilitator.verify(poor)).toEqual({
      kind: 'invalid',
      reason: 'insufficient_funds',
      work: ['balance'],
    })

    const [payment, other] = [await paymentBy(), await paymentBy()]
    const { signature } = other.payload.payload
    const forged = {
      ...payment,
      payload: { ...payment.payload, payload: { ...payment.payload.payload, signature } },
    }
    expect(await facilitator.verify(forged)).toEqual({
      kind: 'invalid',
      reason: 'invalid_signature',
      work: ['balance'],
    })

    const validBefore = Math.floor(Date.now() / 1_000) + 2
    const late = await signTestPayment(await server.newWallet(), NETWORK, { validBefore })
    expect(await facilitator.verify(late)).toEqual({
      kind: 'invalid',
      reason: 'expired',
      work: ['balance', 'contract'],
    })

    await facilitator.settle(payment)
    expect(await facilitator.verify(payment)).toEqual({
      kind: 'invalid',
      reason: 'payment_already_used',
      work: ['balance', 'contract'],
    })
  })

  test('asks the node for the balance first, and nothing of a contract without funds', async () => {
    const contract = await createContractPayer(server, 'gas-burning', 9_999n)
    const header = await contract.sign(toPaymentRequired(testOffer(NETWORK), 'payment_required'))
    const payment = parsePayment(decodeBase64Json(header)) as Payment
    const before = server.methods.length
    expect(await facilitator.verify(payment)).toEqual({
      kind: 'invalid',
      reason: 'insufficient_funds',
      work: ['balance'],
    })
    expect(server.methods.slice(before)).toEqual(['eth_call'])
  })

  test('checks one contract of each caller at a time, and plain wallets meanwhile', async () => {
    const hold = createHold()
    let heldCalls = 0
    const contracts = await Promise.all(
      Array.from({ length: 3 }, () => createContractPayer(server, 'honest')),
    )
    const addresses = contracts.map(({ address }) => address.slice(2).toLowerCase())
    const slow: ChainSource = {
      async request(call) {
        const text = JSON.stringify(call.params).toLowerCase()
        // Only the contract's own code decides how long these take.
        const isCheck = call.method === 'eth_call' && !text.includes(BALANCE_OF)
        if (isCheck && addresses.some((address) => text.includes(address))) {
          heldCalls++
          await hold.wait()
        }
        return server.chain.request(call)
      },
    }
    const { verify } = open(slow)
    const required = toPaymentRequired(testOffer(NETWORK), 'payment_required')
    const payments = await Promise.all(
      contracts.map(async (payer) => parsePayment(decodeBase64Json(await payer.sign(required)))),
    )
    const verified = Promise.all(payments.map((payment) => verify(payment as Payment)))
    await hold.reached
    const heldOfOne = heldCalls
    expect(await verify(await paymentBy())).toMatchObject({ kind: 'valid' })
    expect(heldCalls).toBe(heldOfOne)
    hold.release()
    await verified
    expect(heldCalls).toBeGreaterThan(heldOfOne)
  })

  test('refuses contracts if told so, and takes plain wallets', async () => {
    const base = await startChainServer({ chainId: 8453 })
    onTestFinished(() => base.close())
    const { verify } = open([base.url], 'eip155:8453')
    const contract = await createContractPayer(base, 'honest')
    const header = await contract.sign(
      toPaymentRequired(testOffer('eip155:8453'), 'payment_required'),
    )
    const payment = parsePayment(decodeBase64Json(header)) as Payment
    const context = { ...TEST_VERIFY_CONTEXT, allowsContracts: false }
    expect(await verify(payment)).toMatchObject({ kind: 'valid' })
    expect(await verify(payment, context)).toEqual({
      kind: 'invalid',
      reason: 'payment_refused',
      work: ['balance'],
    })
    const plain = await signTestPayment(await base.newWallet(), 'eip155:8453')
    expect(await verify(plain, context)).toMatchObject({ kind: 'valid' })
  })

  test('is unavailable when the chain is down', async () => {
    expect(await open(['http://127.0.0.1:9']).verify(await paymentBy())).toEqual(unavailable)
  })

  test.each(['eth_call', 'eth_getCode'])(
    'is unavailable when the connection breaks at %s',
    async (method) => {
      const payment = await paymentBy()
      const end = server.dropConnections(method)
      onTestFinished(end)
      expect(await facilitator.verify(payment)).toEqual(unavailable)
      end()
      expect(await facilitator.verify(payment)).toMatchObject({ kind: 'valid' })
    },
  )

  test('is unavailable when only the first call to a new token fails', async () => {
    const base = await startChainServer({ chainId: 8453 })
    onTestFinished(() => base.close())
    const payment = await signTestPayment(await base.newWallet(), 'eip155:8453')
    base.dropConnections('eth_getCode', { times: 1 })
    const { verify } = open([base.url], 'eip155:8453')
    expect(await verify(payment)).toEqual(unavailable)
    expect(await verify(payment)).toMatchObject({ kind: 'valid' })
  })

  test('is unavailable when the node returns an internal error', async () => {
    const ill: ChainSource = {
      request: async (call) => {
        if (call.method !== 'eth_call') return server.chain.request(call)
        throw Object.assign(new Error('Internal error'), { code: -32603 })
      },
    }
    expect(await open(ill).verify(await paymentBy())).toEqual(unavailable)
  })
})

describe('settle', () => {
  test('transfers the amount and returns the transaction', async () => {
    const before = await revenue()
    const settled = await facilitator.settle(await paymentBy())
    expect(settled).toEqual({
      kind: 'sent',
      isClaimedPaid: true,
      transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      cause: 'no reason',
    })
    expect(await revenue()).toBe(before + 10_000n)
  })

  test('says before it sends a transaction what that costs at most, and whose wallet it is', async () => {
    const costs: (TransactionCost | undefined)[] = []
    await facilitator.settle(await paymentBy(), async (_, cost) => void costs.push(cost))
    const [cost] = costs
    expect(costs).toEqual([{ gasUsd: cost?.gasUsd, isContract: false }])
    expect(cost?.gasUsd).toBeGreaterThan(0)
    expect(cost?.gasUsd).toBeLessThan(0.01)
  })

  test('settles many concurrent payments', async () => {
    const before = await revenue()
    const payments = await Promise.all(Array.from({ length: 8 }, () => paymentBy()))
    const settled = await Promise.all(payments.map((it) => facilitator.settle(it)))
    expect(settled).toEqual(
      payments.map(() => expect.objectContaining({ kind: 'sent', isClaimedPaid: true })),
    )
    expect(await revenue()).toBe(before + 80_000n)
  })

  test('sends nothing for a payment that would revert', async () => {
    const [used, poor] = [await paymentBy(), await paymentBy(9_999n)]
    await facilitator.settle(used)
    const payer = await server.newWallet()
    const cancelled = await signTestPayment(payer, NETWORK)
    const { send } = createGasPayer(connectChain([server.url], NETWORK), GAS_PAYER)
    await send({
      ...(await cancelTransaction(payer, cancelled)),
      maxGas: 1_000_000n,
      maxCost: TEST_MAX_COST,
      recordTransaction: async () => {},
    })
    const sent = countSent()
    const again = open([server.url])
    const notSent = (reason: PaymentErrorReason) =>
      expect.objectContaining({ kind: 'notSent', reason })
    expect(await again.settle(used)).toEqual(notSent('payment_already_used'))
    expect(await again.settle(cancelled)).toEqual(notSent('payment_already_used'))
    expect(await again.settle(poor)).toEqual(notSent('insufficient_funds'))
    expect(countSent()).toBe(sent)
  })
})
