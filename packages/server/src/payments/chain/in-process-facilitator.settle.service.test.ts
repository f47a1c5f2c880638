import { encodeFunctionData, numberToHex, parseGwei } from 'viem'
import { generatePrivateKey, type LocalAccount, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { type ChainServer, startChainServer } from '../../../test/support/chain-server.js'
import { createContractPayer } from '../../../test/support/contract-wallets.js'
import { createHold } from '../../../test/support/hold.js'
import {
  signTestPayment,
  TEST_CALLER,
  TEST_ETH_USD,
  TEST_PAYEE,
  TEST_VERIFY_CONTEXT,
  testOffer,
  testTerms,
} from '../../../test/support/payment-fixtures.js'
import { decodeBase64Json } from '../../../test/support/test-payer.js'
import { FACILITATOR_WALLET } from '../../sandbox/chain/sandbox-wallets.js'
import { TEST_USDC_ABI } from '../../sandbox/token/generated/contracts.js'
import { LedgerUnavailable } from '../../state/ledger.js'
import type { RecordTransaction } from '../facilitator.js'
import { type Payment, parsePayment } from '../payment.js'
import { createPaymentOffer, toPaymentRequired } from '../payment-offer.js'
import { connectChain } from './chain-client.js'
import { createInProcessFacilitator } from './in-process-facilitator.js'

const NETWORK = 'eip155:84532'
const GAS_PAYER = privateKeyToAccount(FACILITATOR_WALLET.privateKey)
const PAID = expect.objectContaining({ kind: 'sent', isClaimedPaid: true })
/** Nothing was sent, because the chain or the ledger could not be asked. */
const NOT_SENT = { kind: 'notSent', reason: null, cause: expect.any(String) }
const ALREADY_USED = expect.objectContaining({ kind: 'notSent', reason: 'payment_already_used' })

let server: ChainServer
beforeAll(async () => {
  server = await startChainServer({ chainId: 84532 })
})
afterAll(() => server.close())

interface Opening {
  readonly url?: string
  readonly ethUsd?: number
  readonly account?: LocalAccount
  readonly confirmationTimeoutMs?: number
}

/** A facilitator and the transactions that it recorded. */
function open({ url = server.url, account = GAS_PAYER, ...options }: Opening = {}) {
  const facilitator = createInProcessFacilitator(connectChain([url], NETWORK), account, {
    ethUsd: TEST_ETH_USD,
    ...options,
  })
  const purchase = { offer: testOffer(NETWORK), caller: TEST_CALLER }
  const recorded: string[] = []
  const record = async (hash: string) => void recorded.push(hash)
  return {
    recorded,
    settle: (payment: Payment, recordTransaction: RecordTransaction = record) =>
      facilitator.settle(payment, purchase, recordTransaction),
    healthProblem: () => facilitator.healthProblem(),
  }
}
/** The transaction may have been mined. */
const unclear = (recorded: readonly string[]) => ({
  kind: 'sent',
  isClaimedPaid: false,
  transaction: recorded.at(-1),
  cause: expect.any(String),
})
const revenue = () => server.balanceOf(TEST_PAYEE)
const countSent = () => server.methods.filter((name) => name === 'eth_sendRawTransaction').length
const newPayment = async () => signTestPayment(await server.newWallet(), NETWORK)
/** The scheme remembers for 15 minutes that the token is a contract, also from tests in other files. */
const SCHEME_FORGETS_MS = 24 * 3_600_000
function forgetToken(): void {
  const now = Date.now
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() + SCHEME_FORGETS_MS)
  onTestFinished(() => clock.mockRestore())
}
const request = (method: string, ...params: unknown[]) => server.chain.request({ method, params })

describe('nothing is sent', () => {
  test.each(['eth_getCode', 'eth_estimateGas', 'eth_getTransactionCount'])(
    'when the connection breaks at %s, and the payment can be settled later',
    async (method) => {
      const { settle, recorded } = open()
      const validBefore = Math.floor((Date.now() + 2 * SCHEME_FORGETS_MS) / 1_000)
      const payment = await signTestPayment(await server.newWallet(), NETWORK, { validBefore })
      const [before, sent] = [await revenue(), countSent()]
      const end = server.dropConnections(method)
      onTestFinished(end)
      forgetToken()
      expect(await settle(payment)).toEqual(NOT_SENT)
      expect([recorded, await revenue(), countSent()]).toEqual([[], before, sent])
      end()
      expect(await settle(payment)).toEqual(PAID)
    },
  )

  test('when the hash cannot be recorded, and the payment can be settled later', async () => {
    const [{ settle }, payment] = [open(), await newPayment()]
    const [before, sent] = [await revenue(), countSent()]
    const failed = await settle(payment, () => Promise.reject(new LedgerUnavailable('down')))
    expect(failed).toEqual({ kind: 'notSent', reason: null, cause: 'LedgerUnavailable' })
    expect([await revenue(), countSent()]).toEqual([before, sent])
    expect(await settle(payment)).toEqual(PAID)
    expect(await revenue()).toBe(before + 10_000n)
  })
})

describe('a payment that costs more gas than it is worth', () => {
  /** A facilitator on Base, and a payment whose wallet burns gas. */
  async function openWithBurningWallet(price: '0.01' | '1') {
    const base = await startChainServer({ chainId: 8453 })
    onTestFinished(() => base.close())
    const facilitator = createInProcessFacilitator(
      connectChain([base.url], 'eip155:8453'),
      GAS_PAYER,
      { ethUsd: TEST_ETH_USD },
    )
    const content = { url: 'https://mailgrade.example/v1/score', description: 'A score.', price }
    const offer = createPaymentOffer(
      {
        ...content,
        serviceName: 'Mailgrade',
        iconUrl: 'https://mailgrade.example/favicon.svg',
        extensions: {},
      },
      testTerms('eip155:8453'),
    )
    const payer = await createContractPayer(base, 'costly')
    const header = await payer.sign(toPaymentRequired(offer, 'payment_required'))
    const payment = parsePayment(decodeBase64Json(header)) as Payment
    return { base, facilitator, purchase: { offer, caller: TEST_CALLER }, payment }
  }

  test('is not sent if it only costs too much with the margin', async () => {
    const { base, facilitator, purchase, payment } = await openWithBurningWallet('1')
    const verified = await facilitator.verify(payment, purchase, TEST_VERIFY_CONTEXT)
    expect(verified).toMatchObject({ kind: 'valid' })
    const recorded: string[] = []
    const claim = await facilitator.settle(payment, purchase, async (hash) => {
      recorded.push(hash)
    })
    expect(claim).toMatchObject({ kind: 'notSent', reason: 'payment_refused' })
    const isSent = base.methods.includes('eth_sendRawTransaction')
    expect([recorded, isSent, await base.balanceOf(TEST_PAYEE)]).toEqual([[], false, 0n])
  })

  test('is found when it is checked, if it costs far too much', async () => {
    const { facilitator, purchase, payment } = await openWithBurningWallet('0.01')
    const refused = { kind: 'invalid', reason: 'invalid_signature', work: ['balance', 'contract'] }
    expect(await facilitator.verify(payment, purchase, TEST_VERIFY_CONTEXT)).toEqual(refused)
  })
})

test('sends nothing while gas costs more than the price, and the payment can be settled later', async () => {
  // So much that the tip does not matter.
  await server.setBaseFee(10n ** 12n)
  onTestFinished(() => server.setBaseFee(10n ** 9n))
  const [payment, before, sent] = [await newPayment(), await revenue(), countSent()]
  const costs: number[] = []
  const askCost: RecordTransaction = async (_, cost) => {
    costs.push(cost?.gasUsd ?? 0)
    throw new Error('only asked what it costs')
  }
  await open({ ethUsd: 0.001 }).settle(payment, askCost)
  const [cost = 0] = costs
  // It must leave room for a base fee that doubles.
  const ethUsdAt = (share: number) => (0.001 / cost) * 0.01 * share
  const tooExpensive = open({ ethUsd: ethUsdAt(0.55) })
  expect(await tooExpensive.settle(payment)).toEqual({ ...NOT_SENT, cause: 'GasTooExpensive' })
  expect([tooExpensive.recorded, await revenue(), countSent()]).toEqual([[], before, sent])
  const settled = await open({ ethUsd: ethUsdAt(0.45) }).settle(payment, async (_, cost) => {
    costs.push(cost?.gasUsd ?? 0)
  })
  expect([settled, await revenue()]).toEqual([PAID, before + 10_000n])
  expect(costs).toEqual([cost, expect.closeTo(0.0045, 6)])
})

test('has ten transactions of one wallet on their way at most', async () => {
  const [payer, other] = [await server.newWallet(), await newPayment()]
  const payments = await Promise.all(
    Array.from({ length: 11 }, () => signTestPayment(payer, NETWORK)),
  )
  // However busy this machine is, no block is missed.
  const { settle, recorded } = open({ confirmationTimeoutMs: 600_000 })
  await server.holdMining()
  onTestFinished(() => server.releaseMining())
  const settling = payments.map((payment) => settle(payment))
  await vi.waitFor(() => expect(recorded.length).toBeGreaterThanOrEqual(10), 120_000)
  // Begun last, so an eleventh of that wallet would come before it.
  const hold = createHold()
  const last = settle(other, hold.wait)
  await hold.reached
  expect(recorded).toHaveLength(10)
  hold.release()
  await server.releaseMining()
  expect(await last).toEqual(PAID)
  expect((await Promise.all(settling)).slice(0, 10)).toEqual(Array(10).fill(PAID))
})

test('records the hash before the transaction is sent', async () => {
  const [{ settle }, payment, sent] = [open(), await newPayment(), countSent()]
  const recorded: [string, number][] = []
  const claim = await settle(payment, async (hash) => void recorded.push([hash, countSent()]))
  expect(claim).toEqual(PAID)
  expect(recorded).toEqual([[claim.kind === 'sent' && claim.transaction, sent]])
  expect(countSent()).toBe(sent + 1)
})

describe('the transaction may have been mined', () => {
  test('when the node drops it, which blocks no later ones', async () => {
    const { settle, recorded } = open({ confirmationTimeoutMs: 700 })
    const [payment, other, before] = [await newPayment(), await newPayment(), await revenue()]
    await server.holdMining()
    onTestFinished(() => server.releaseMining())
    expect(await settle(payment)).toEqual(unclear(recorded))
    await request('hardhat_dropTransaction', recorded[0])
    await server.releaseMining()
    expect(await settle(other)).toEqual(PAID)
    expect(await settle(payment)).toEqual(PAID)
    expect(await revenue()).toBe(before + 20_000n)
  })

  test('when it does not arrive, and nothing is charged', async () => {
    const [{ settle, recorded }, payment, before] = [open(), await newPayment(), await revenue()]
    server.dropConnections('eth_sendRawTransaction', { times: 1 })
    expect(await settle(payment)).toEqual(unclear(recorded))
    expect([recorded.length, await revenue()]).toEqual([1, before])
    expect(await settle(payment)).toEqual(PAID)
    expect(await revenue()).toBe(before + 10_000n)
  })

  test('when only the response is lost, and it is charged', async () => {
    const [{ settle, recorded }, payment, before] = [open(), await newPayment(), await revenue()]
    server.dropConnections('eth_sendRawTransaction', { when: 'after', times: 1 })
    expect(await settle(payment)).toEqual(unclear(recorded))
    expect(await revenue()).toBe(before + 10_000n)
    expect(await request('eth_getTransactionReceipt', recorded[0])).toMatchObject({ status: '0x1' })
    expect(await settle(payment)).toEqual(ALREADY_USED)
    expect(await revenue()).toBe(before + 10_000n)
  })

  test('when the receipt cannot be read, and a second attempt charges nothing', async () => {
    const [{ settle, recorded }, payment] = [open(), await newPayment()]
    const [before, sent] = [await revenue(), countSent()]
    const end = server.dropConnections('eth_getTransactionReceipt')
    onTestFinished(end)
    expect(await settle(payment)).toEqual(unclear(recorded))
    end()
    expect(await settle(payment)).toEqual(ALREADY_USED)
    expect([await revenue(), countSent()]).toEqual([before + 10_000n, sent + 1])
  })

  test('when the account cannot pay gas', async () => {
    const poor = open({ account: privateKeyToAccount(generatePrivateKey()) })
    expect(await poor.settle(await newPayment())).toEqual(unclear(poor.recorded))
  })
})

test('does not claim that a transaction paid which was mined and failed', async () => {
  const payer = await server.newWallet()
  const payment = await signTestPayment(payer, NETWORK)
  const before = await revenue()
  await server.holdMining()
  onTestFinished(() => server.releaseMining())
  const spendAll = await payer.signTransaction({
    type: 'eip1559',
    chainId: 84_532,
    nonce: 0,
    gas: 200_000n,
    maxFeePerGas: parseGwei('500'),
    maxPriorityFeePerGas: parseGwei('500'),
    to: server.token,
    data: encodeFunctionData({
      abi: TEST_USDC_ABI,
      functionName: 'transfer',
      args: [numberToHex(1, { size: 20 }), 1_000_000n],
    }),
  })
  const sent = countSent()
  const { settle, recorded } = open()
  const settling = settle(payment)
  await vi.waitFor(() => expect(countSent()).toBe(sent + 1), 120_000)
  await request('eth_sendRawTransaction', spendAll)
  await server.mine()
  expect(await settling).toEqual(unclear(recorded))
  expect(await request('eth_getTransactionReceipt', recorded[0])).toMatchObject({ status: '0x0' })
  expect(await revenue()).toBe(before)
})

describe('healthProblem', () => {
  test('is null when the chain id matches and the account can pay gas', async () => {
    expect(await open().healthProblem()).toBeNull()
  })

  test('names a wrong chain', async () => {
    const base = await startChainServer({ chainId: 8453 })
    onTestFinished(() => base.close())
    expect(await open({ url: base.url }).healthProblem()).toBe('the RPC endpoint serves chain 8453')
  })

  test('says when the account cannot pay gas', async () => {
    const poor = privateKeyToAccount(generatePrivateKey())
    expect(await open({ account: poor }).healthProblem()).toBe(
      'the facilitator account has no funds to pay gas',
    )
  })

  test('says when the RPC endpoint does not answer', async () => {
    expect(await open({ url: 'http://127.0.0.1:9' }).healthProblem()).toBe(
      'the RPC endpoint does not answer',
    )
  })
})
