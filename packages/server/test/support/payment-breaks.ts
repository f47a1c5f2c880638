/** Attacks and accidents that once cost a buyer or the operator money, with every ledger. */
import { describe, expect, test } from 'vitest'
import type { Facilitator } from '../../src/payments/facilitator.js'
import type { Ledger } from '../../src/state/ledger.js'
import { createMemoryRateLimiter } from '../../src/state/memory-rate-limiter.js'
import { createGasAccount } from './chain-server.js'
import { failWhenMined, openContractWalletService } from './contract-wallet-service.js'
import { createHold, type Hold } from './hold.js'
import { startLaggingNode } from './lagging-node.js'
import { expectFacilitatorUnavailable, expectPaymentRequired } from './paid-responses.js'
import {
  ACME_SCORE_PATH,
  expectDelivered,
  expectNotCharged,
  openPaidService,
  type PaidServiceOptions,
} from './paid-service.js'
import { createTestPayer } from './test-payer.js'

export interface LedgerUnderTest {
  readonly ledger: Ledger
  /** The ledger of a process that starts after this one was killed; null if nothing survives. */
  readonly restart: (() => Promise<Ledger>) | null
}

const SEND = 'eth_sendRawTransaction'
/** What a facilitator says whose settlement failed, or so it seems. */
const LOST = { kind: 'sent', isClaimedPaid: false, transaction: null, cause: 'it says no' } as const

export function describePaymentBreaks(
  open: () => LedgerUnderTest | Promise<LedgerUnderTest>,
  { isShared }: { readonly isShared: boolean },
): void {
  async function openState(): Promise<Pick<PaidServiceOptions, 'state'>> {
    return toState((await open()).ledger)
  }

  describe.each(['in-process', 'remote'] as const)('with the facilitator %s', (kind) => {
    test('a wallet that fails when it is settled, and cancels then, gets no report', async () => {
      const service = await openContractWalletService(kind, 'gas-price', await openState())
      const { send, sign, payer } = service
      const payment = await sign()
      const response = await send(ACME_SCORE_PATH, payment)
      // In-process, the node says that it would take too much gas; another facilitator only fails.
      if (kind === 'in-process') expectPaymentRequired(response, 'payment_refused')
      else expectFacilitatorUnavailable(response)
      await payer.cancel(payment)
      expectPaymentRequired(await send(ACME_SCORE_PATH, payment), 'payment_already_used')
      await expectNotCharged(service)
    })

    test('a transaction that was mined and failed is not sent again, and its payer waits', async () => {
      const service = await failWhenMined(kind, await openState())
      const { send, payer, payment, response } = service
      expectFacilitatorUnavailable(response, 'unknown')
      expectFacilitatorUnavailable(await send(ACME_SCORE_PATH, payment), 'unknown')
      const { paymentRequired } = await send(ACME_SCORE_PATH)
      const held = await send(ACME_SCORE_PATH, await payer.sign(paymentRequired))
      expect([held.status, held.body.code, held.body.charged]).toEqual([429, 'rate_limited', 'no'])
      await expectNotCharged(service)
    })

    test('a wallet that spends nothing does not keep others from buying', async () => {
      let isSettling = false
      const service = await openPaidService(kind, {
        ...(await openState()),
        wrapFacilitator: (facilitator) => ({
          ...facilitator,
          settle: async (...args) => (isSettling ? facilitator.settle(...args) : LOST),
        }),
      })
      const statuses = []
      for (let count = 0; count < 7; count++) {
        statuses.push((await service.send(ACME_SCORE_PATH, await service.sign())).status)
      }
      expect(statuses).toEqual([502, 502, 502, 502, 502, 429, 429])
      isSettling = true
      const payer = await createTestPayer(service.chain)
      const { paymentRequired } = await service.send(ACME_SCORE_PATH)
      const bought = await service.send(ACME_SCORE_PATH, await payer.sign(paymentRequired))
      await expectDelivered({ ...service, payer }, bought)
    })

    test('a facilitator that settles and then says no: the buyer gets the report', async () => {
      const service = await openPaidService(kind, {
        ...(await openState()),
        wrapFacilitator: (facilitator) => ({
          ...facilitator,
          async settle(...args) {
            await facilitator.settle(...args)
            return LOST
          },
        }),
      })
      const payment = await service.sign()
      await expectDelivered(service, await service.send(ACME_SCORE_PATH, payment))
    })

    test('a node that is behind never turns a paid payment into a new one', async () => {
      let later = 0
      const wallClock = () => Date.now() + later
      // It waits for its transaction at a node that is not behind.
      let facilitator: Facilitator | null = null
      const wrapFacilitator = (opened: Facilitator) => {
        facilitator ??= opened
        return facilitator
      }
      const service = await openPaidService(kind, { wallClock, wrapFacilitator })
      const node = await startLaggingNode(service.chain)
      const behind = await service.reopen({ ...(await openState()), rpcUrls: [node.url] })
      const payment = await service.sign()
      await node.stop()
      expectFacilitatorUnavailable(await behind.send(ACME_SCORE_PATH, payment), 'unknown')
      later = 400_000
      expectFacilitatorUnavailable(await behind.send(ACME_SCORE_PATH, payment), 'unknown')
      node.catchUp()
      await expectDelivered(service, await behind.send(ACME_SCORE_PATH, payment))
    })

    test('a process that is killed after the transfer: the buyer gets the report, once paid', async () => {
      const { ledger, restart } = await open()
      const afterTransfer = createHold()
      const service = await openPaidService(kind, {
        ...toState(ledger),
        wrapFacilitator: (facilitator) => holdAfterSettlement(facilitator, afterTransfer),
      })
      const payment = await service.sign()
      void service.send(ACME_SCORE_PATH, payment)
      await afterTransfer.reached
      if (restart) {
        const restarted = await service.reopen({
          ...toState(await restart()),
          wrapFacilitator: (facilitator) => facilitator,
        })
        await expectDelivered(service, await restarted.send(ACME_SCORE_PATH, payment))
        expect(service.reportCount()).toBe(1)
      } else {
        // Without anything on disk, the chain still rejects a second use.
        const restarted = await service.reopen({ ...(await openState()) })
        expectPaymentRequired(
          await restarted.send(ACME_SCORE_PATH, payment),
          'payment_already_used',
        )
      }
      expect(await service.settlements()).toHaveLength(1)
    })
  })

  if (isShared) return
  test('two instances that share nothing do not both sell a payment', async () => {
    const one = await openPaidService('in-process', await openState())
    const gasKey = await createGasAccount(one.chain)
    const other = await one.reopen({ ...(await openState()), gasKey })
    const payment = await one.sign()
    const heal = one.chain.dropConnections(SEND, { when: 'before' })
    expectFacilitatorUnavailable(await other.send(ACME_SCORE_PATH, payment), 'unknown')
    heal()
    await expectDelivered(one, await one.send(ACME_SCORE_PATH, payment))
    expectPaymentRequired(await other.send(ACME_SCORE_PATH, payment), 'payment_already_used')
  })
}

function toState(ledger: Ledger): Pick<PaidServiceOptions, 'state'> {
  const rateLimiter = createMemoryRateLimiter({ limit: 1_000, now: () => performance.now() })
  return { state: { rateLimiter, ledger, isStoreUp: null } }
}

function holdAfterSettlement(facilitator: Facilitator, hold: Hold): Facilitator {
  return {
    ...facilitator,
    async settle(...args) {
      const claim = await facilitator.settle(...args)
      await hold.wait()
      return claim
    },
  }
}
