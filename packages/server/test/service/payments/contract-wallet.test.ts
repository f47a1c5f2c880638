/** Payments by contract wallets: in every call their code decides whether a signature is valid. */
import { readFileSync } from 'node:fs'
import { createPublicClient, custom, numberToHex } from 'viem'
import { describe, expect, test } from 'vitest'
import { FACILITATOR_WALLET } from '../../../src/sandbox/chain/sandbox-wallets.js'
import type { ChainServer } from '../../support/chain-server.js'
import { failWhenMined, openContractWalletService } from '../../support/contract-wallet-service.js'
import { createContractPayer } from '../../support/contract-wallets.js'
import {
  expectFacilitatorUnavailable,
  expectPaymentRequired,
  type PaidResponse,
} from '../../support/paid-responses.js'
import {
  ACME_SCORE_PATH,
  expectNotCharged,
  OTHER_SCORE_PATH,
  SCORE_PRICE_UNITS,
} from '../../support/paid-service.js'

const FIX_PLAN_PATH = '/v1/fix-plan?domain=acme.test'
const FIX_PLAN_PRICE = '1000000'
/** What a payment of one cent may cost in units of gas. */
const MAX_GAS_FOR_A_CENT = 411_000n

/** The transactions that the facilitator paid gas for. */
async function minedTransactions({ chain }: ChainServer) {
  const client = createPublicClient({ transport: custom(chain) })
  const latest = Number(await client.getBlockNumber())
  const numbers = Array.from({ length: latest + 1 }, (_, index) => BigInt(index))
  const blocks = await Promise.all(numbers.map((blockNumber) => client.getBlock({ blockNumber })))
  const hashes = blocks.flatMap(({ transactions }) => transactions)
  const receipts = await Promise.all(hashes.map((hash) => client.getTransactionReceipt({ hash })))
  return receipts.filter(({ from }) => from === FACILITATOR_WALLET.address.toLowerCase())
}

/** Proven not paid. */
function expectRejected(response: PaidResponse, error: string): void {
  expectPaymentRequired(response, error)
  // Null if nothing was sent to the chain before.
  expect(response.settlement?.success ?? false).toBe(false)
}

describe.each(['in-process', 'remote'] as const)('with the facilitator %s', (kind) => {
  describe.each(['honest', 'wrapped'] as const)('a wallet that is %s', (walletKind) => {
    test('buys a report, is charged once and gets it again', async () => {
      const { send, sign, chain, payer, revenue, settlements, reportCount } =
        await openContractWalletService(kind, walletKind)
      const payment = await sign()
      const first = await send(ACME_SCORE_PATH, payment)
      expect([first.status, first.body.domain]).toEqual([200, 'acme.test'])
      const transactions = await settlements()
      expect(transactions).toHaveLength(1)
      expect(first.settlement).toEqual({
        success: true,
        transaction: transactions[0],
        network: 'eip155:8453',
        payer: payer.address,
      })
      const again = await send(ACME_SCORE_PATH, payment)
      expect([again.status, again.text, again.settlement]).toEqual([
        200,
        first.text,
        first.settlement,
      ])
      expectPaymentRequired(await send(OTHER_SCORE_PATH, payment), 'payment_already_used')
      expect([await revenue(), reportCount()]).toEqual([SCORE_PRICE_UNITS, 1])
      expect(await chain.balanceOf(payer.address)).toBe(1_000_000n - SCORE_PRICE_UNITS)
      expect(await minedTransactions(chain)).toHaveLength(1)
    })

    test('buys a report with the official client', async () => {
      const { request, payer, revenue } = await openContractWalletService(kind, walletKind)
      const pay = payer.wrapFetch((input) => {
        const { url, headers } = input as Request
        const { pathname, search } = new URL(url)
        return request(pathname + search, { headers })
      })
      const response = await pay(`https://mailgrade.example${ACME_SCORE_PATH}`)
      expect([response.status, await revenue()]).toEqual([200, SCORE_PRICE_UNITS])
    })

    test('does not buy anything with the signature of another owner', async () => {
      const service = await openContractWalletService(kind, walletKind)
      const { chain, send, sign } = service
      const payment = await sign({ signer: await chain.newWallet(0n) })
      expectPaymentRequired(await send(ACME_SCORE_PATH, payment), 'invalid_signature')
      await expectNotCharged(service)
      expect(await minedTransactions(chain)).toEqual([])
    })
  })

  test('a wallet that does not exist yet is rejected and not charged', async () => {
    const service = await openContractWalletService(kind, 'counterfactual')
    const { chain, send, sign, reportCount } = service
    const payment = await sign()
    for (const _ of ['first', 'again']) {
      expectPaymentRequired(await send(ACME_SCORE_PATH, payment), 'payment_refused')
    }
    await expectNotCharged(service)
    expect([await minedTransactions(chain), reportCount()]).toEqual([[], 0])
  })

  describe('a wallet that is valid in simulation and fails without a reason when settled', () => {
    /** In-process, the node says that it would take too much gas; another facilitator only fails. */
    function expectNoReport(response: PaidResponse): void {
      if (kind === 'in-process') expectRejected(response, 'payment_refused')
      else expectFacilitatorUnavailable(response)
    }

    test('gets no report for a payment that it cancels then', async () => {
      const service = await openContractWalletService(kind, 'gas-price')
      const { send, sign, payer } = service
      const payment = await sign()
      expectNoReport(await send(ACME_SCORE_PATH, payment))
      await expectNotCharged(service)
      await payer.cancel(payment)
      expectRejected(await send(ACME_SCORE_PATH, payment), 'payment_already_used')
      expectRejected(await send(ACME_SCORE_PATH, payment), 'payment_already_used')
      await expectNotCharged(service)
    })

    test('gets no report for a payment whose nonce it uses elsewhere then', async () => {
      const service = await openContractWalletService(kind, 'gas-price')
      const { send, sign, payer } = service
      const payment = await sign()
      expectNoReport(await send(ACME_SCORE_PATH, payment))
      await payer.spendNonceElsewhere(payment)
      expectRejected(await send(ACME_SCORE_PATH, payment), 'payment_already_used')
      await expectNotCharged(service)
    })

    test('gets no report however often it sends the payment', async () => {
      const service = await openContractWalletService(kind, 'gas-price')
      const { chain, send, sign } = service
      const payment = await sign()
      for (let count = 0; count < 5; count++) {
        expectNoReport(await send(ACME_SCORE_PATH, payment))
      }
      await expectNotCharged(service)
      const mined = await minedTransactions(chain)
      expect(mined.length).toBeLessThanOrEqual(1)
      expect(totalGas(mined)).toBeLessThanOrEqual(MAX_GAS_FOR_A_CENT)
    })
  })
})

describe('a transaction that is mined and fails', () => {
  describe.each(['in-process', 'remote'] as const)('with the facilitator %s', (kind) => {
    test('happens once for a payment, and gets no report', async () => {
      const service = await failWhenMined(kind)
      const { chain, send, payment, response } = service
      expectFacilitatorUnavailable(response)
      expect(response.body.charged).toBe('unknown')
      for (let count = 0; count < 5; count++) {
        expectFacilitatorUnavailable(await send(ACME_SCORE_PATH, payment))
      }
      const mined = await minedTransactions(chain)
      expect(mined.map(({ status }) => status)).toEqual(['reverted'])
      expect(totalGas(mined)).toBeLessThan(MAX_GAS_FOR_A_CENT)
      await expectNotCharged(service)
    })

    test('puts the payer on hold, and nobody else', async () => {
      const service = await failWhenMined(kind)
      const { chain, send, payer, settlements } = service
      const { paymentRequired } = await send(ACME_SCORE_PATH)
      const held = await send(ACME_SCORE_PATH, await payer.sign(paymentRequired))
      expect([held.status, held.body.code, held.body.charged]).toEqual([429, 'rate_limited', 'no'])
      expect(Number(held.headers.get('retry-after'))).toBeGreaterThan(3_500)
      expect(await minedTransactions(chain)).toHaveLength(1)
      const honest = await createContractPayer(chain, 'honest')
      const bought = await send(ACME_SCORE_PATH, await honest.sign(paymentRequired))
      expect(bought.status).toBe(200)
      expect(await settlements()).toEqual([bought.settlement?.transaction])
    })

    test('is rejected when the chain shows that the payment expired', async () => {
      const service = await failWhenMined(kind)
      const { chain, send, payment } = service
      const { timestamp } = await latestBlock(chain)
      const params = [numberToHex(timestamp + 3_600n)]
      await chain.chain.request({ method: 'evm_mine', params })
      expectRejected(await send(ACME_SCORE_PATH, payment), 'expired')
      await expectNotCharged(service)
      expect(await minedTransactions(chain)).toHaveLength(1)
    })
  })
})

describe('a wallet that burns gas', () => {
  test.each([
    // The check ends with as much gas as a payment of a cent may cost.
    ['costly', ACME_SCORE_PATH, 'invalid_signature', String(SCORE_PRICE_UNITS)],
    ['costly', FIX_PLAN_PATH, 'payment_refused', FIX_PLAN_PRICE],
    ['gas-burning', FIX_PLAN_PATH, 'invalid_signature', FIX_PLAN_PRICE],
  ] as const)(
    'is rejected by the in-process facilitator before anything is mined: %s, %s',
    async (wallet, path, reason, price) => {
      const service = await openContractWalletService('in-process', wallet)
      const { chain, send, sign } = service
      const payment = await sign({}, path)
      for (const _ of ['first', 'again']) {
        expectPaymentRequired(await send(path, payment), reason, price)
      }
      await expectNotCharged(service)
      expect(await minedTransactions(chain)).toEqual([])
    },
  )

  test('pays once if a remote facilitator pays for its gas', async () => {
    const { chain, send, sign, settlements } = await openContractWalletService(
      'remote',
      'gas-burning',
    )
    const payment = await sign()
    for (const _ of ['first', 'again']) {
      expect((await send(ACME_SCORE_PATH, payment)).status).toBe(200)
    }
    expect(await settlements()).toHaveLength(1)
    expect(totalGas(await minedTransactions(chain))).toBeGreaterThan(12_000_000n)
  })
})

test('the bytecode of the wallets is compiled from their source', async () => {
  const script = '../../../scripts/build-token.mjs'
  const { compileContracts } = (await import(script)) as {
    compileContracts(folder: string): unknown
  }
  const folder = 'test/support/contracts/'
  const committed = readFileSync(`packages/server/${folder}contracts.json`, 'utf8')
  expect(compileContracts(folder)).toEqual(JSON.parse(committed))
})

function totalGas(receipts: readonly { readonly gasUsed: bigint }[]): bigint {
  return receipts.reduce((sum, { gasUsed }) => sum + gasUsed, 0n)
}

function latestBlock({ chain }: ChainServer) {
  return createPublicClient({ transport: custom(chain) }).getBlock()
}
