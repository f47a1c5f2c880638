/**
 * A live service process with its ledger on disk is killed at every step of a payment and started
 * again on the same DATA_DIR. The same payment gets its report and is charged once.
 */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import http from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DohServer, startDohServer } from '@mailgrade/testing/doh-server'
import type { Address } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type ChainServer,
  createGasAccount,
  startChainServer,
  transfersTo,
} from '../../support/chain-server.js'
import {
  type FacilitatorServer,
  type FacilitatorStep,
  startFacilitatorServer,
} from '../../support/facilitator-server.js'
import { createHold, type Hold } from '../../support/hold.js'
import { type PaidResponse, readPaidResponse } from '../../support/paid-responses.js'
import type { PaymentBackendKind } from '../../support/paid-service.js'
import { TEST_OFFER } from '../../support/payment-fixtures.js'
import { startServiceProcess } from '../../support/service-process.js'
import { createTestPayer } from '../../support/test-payer.js'

const PRICE_UNITS = 10_000n
const SEND = 'eth_sendRawTransaction'
const KINDS: readonly PaymentBackendKind[] = ['remote', 'in-process']
/** One for each payment, so its queries can be counted. */
const DOMAINS = Array.from({ length: 20 }, (_, index) => `acme-${index}.test`)

interface Site {
  readonly chain: ChainServer
  readonly facilitator: FacilitatorServer
  readonly resolver: DohServer
  newPurchase(): Promise<Purchase>
  /** Another instance, with its own DATA_DIR and account. */
  open(kind: PaymentBackendKind): Promise<KillableService>
}

/** The score of a domain, and a payment for it by a new payer. */
interface Purchase {
  readonly domain: string
  readonly payment: string
  /** The hashes of the transactions in which the payer paid. */
  settlements(): Promise<string[]>
  /** How often a report was started. */
  reportCount(): number
}

interface KillableService {
  readonly env: Record<string, string>
  send(purchase: Purchase): Promise<PaidResponse>
  /** Resolves when the connection is lost. */
  sendAndLose(purchase: Purchase): Promise<void>
  /** The process gets SIGKILL when the first bytes of the response arrive. */
  sendAndKillAtResponse(purchase: Purchase): Promise<void>
  kill(): Promise<void>
  restart(): Promise<void>
}

/** For the tests of one describe block. */
function useSite(): Site {
  const stops: (() => unknown)[] = []
  const payee = privateKeyToAddress(generatePrivateKey())
  const domains = [...DOMAINS]
  let site: Site
  beforeAll(async () => {
    site = await openSite()
  })
  afterAll(async () => {
    for (const stop of stops.reverse()) await stop()
  })

  async function openSite(): Promise<Site> {
    const chain = await startChainServer({ chainId: 8453 })
    stops.push(chain.close)
    const facilitator = await startFacilitatorServer(chain)
    stops.push(facilitator.kill)
    const zone = DOMAINS.map((domain) => `${domain}. MX 0 .`).join('\n')
    const resolver = await startDohServer(zone, 'http/1.1')
    stops.push(resolver.close)
    return {
      chain,
      facilitator,
      resolver,
      newPurchase: () => createPurchase(domains.shift() ?? '', payee, { chain, resolver }),
      async open(kind) {
        const service = await startKillable({
          BASE_URL: 'https://mailgrade.example',
          PAY_TO_ADDRESS: payee,
          RPC_URL: chain.url,
          DOH_URLS: resolver.url.href,
          ...(kind === 'remote'
            ? { FACILITATOR_URL: facilitator.url }
            : { FACILITATOR_PRIVATE_KEY: await createGasAccount(chain) }),
        })
        stops.push(service.remove)
        return service
      },
    }
  }

  return {
    get chain() {
      return site.chain
    },
    get facilitator() {
      return site.facilitator
    },
    get resolver() {
      return site.resolver
    },
    newPurchase: () => site.newPurchase(),
    open: (kind) => site.open(kind),
  }
}

async function createPurchase(
  domain: string,
  payTo: Address,
  { chain, resolver }: Pick<Site, 'chain' | 'resolver'>,
): Promise<Purchase> {
  const payer = await createTestPayer(chain)
  const { requirements, resource } = TEST_OFFER
  return {
    domain,
    payment: await payer.sign({
      x402Version: 2,
      resource,
      accepts: [{ ...requirements, payTo }],
    }),
    async settlements() {
      const logs = await transfersTo(chain, payTo)
      const own = logs.filter(({ args }) => args.from === payer.address)
      expect(own.map(({ args }) => args.value)).toEqual(own.map(() => PRICE_UNITS))
      return own.map(({ transactionHash }) => transactionHash)
    },
    reportCount: () => resolver.queries.filter((query) => query === `MX ${domain}`).length,
  }
}

async function startKillable(settings: Record<string, string>) {
  const dataDir = mkdtempSync(join(tmpdir(), 'mailgrade-sigkill-'))
  const env = { ...settings, DATA_DIR: dataDir }
  const start = async () => {
    const started = await startServiceProcess(env)
    expect([started.process.exitCode, started.output.stderr]).toEqual([
      null,
      expect.stringContaining('Mode: live'),
    ])
    return started
  }
  let service = await start()
  const kill = async () => {
    service.process.kill('SIGKILL')
    await service.exitCode()
  }
  const url = ({ domain }: Purchase) => `${service.url}/v1/score?domain=${domain}`
  const headers = ({ payment }: Purchase) => ({ 'payment-signature': payment })
  const request = (purchase: Purchase) => http.get(url(purchase), { headers: headers(purchase) })
  return {
    env,
    async send(purchase: Purchase) {
      return readPaidResponse(await fetch(url(purchase), { headers: headers(purchase) }))
    },
    async sendAndLose(purchase: Purchase) {
      const [error] = await once(request(purchase), 'error')
      expect(error.code).toBe('ECONNRESET')
    },
    async sendAndKillAtResponse(purchase: Purchase) {
      const [response] = await once(request(purchase), 'response')
      // The connection breaks before the whole body is there, or after.
      response.on('error', () => {})
      await kill()
      expect(response.statusCode).toBe(200)
    },
    kill,
    async restart() {
      service = await start()
    },
    async remove() {
      await kill()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** A report for this payment, charged once, also when it is sent again. */
async function expectSoldOnce(service: KillableService, purchase: Purchase, reports = 1) {
  const response = await service.send(purchase)
  expect([response.status, response.body.domain]).toEqual([200, purchase.domain])
  const transaction = response.settlement?.transaction
  expect(transaction).toMatch(/^0x[0-9a-f]{64}$/)
  expect(await purchase.settlements()).toEqual([transaction])
  const again = await service.send(purchase)
  expect([again.status, again.text, again.settlement]).toEqual([
    200,
    response.text,
    response.settlement,
  ])
  expect([await purchase.settlements(), purchase.reportCount()]).toEqual([[transaction], reports])
}

type HoldStep = (site: Site) => Hold | Promise<Hold>

const atFacilitator =
  (step: FacilitatorStep): HoldStep =>
  ({ facilitator }) => {
    const hold = createHold()
    facilitator.onStep(step, hold.wait)
    return hold
  }

const atChain =
  (method: string, when: 'before' | 'after'): HoldStep =>
  ({ chain }) =>
    chain.hold(method, when)

const atResolver: HoldStep = ({ resolver }) => {
  const hold = createHold()
  resolver.respond = async (exchange) => {
    if (/^MX acme-\d+\.test$/.test(exchange.query)) {
      resolver.respond = (next) => next.send()
      await hold.wait()
    }
    exchange.send()
  }
  return hold
}

interface Steps {
  readonly verify: HoldStep
  readonly verified: HoldStep
  /** The report is prepared, and nothing is sent yet. */
  readonly settling: HoldStep
  readonly sending: HoldStep
  /** The chain has the transaction, and it is mined unless mining is held. */
  readonly sent: HoldStep
}

const STEPS: Record<PaymentBackendKind, Steps> = {
  remote: {
    verify: atFacilitator('verify'),
    verified: atFacilitator('verified'),
    settling: atFacilitator('settle'),
    sending: atFacilitator('sending'),
    sent: atFacilitator('sent'),
  },
  'in-process': {
    verify: atChain('eth_call', 'before'),
    verified: atChain('eth_call', 'after'),
    settling: atChain('eth_estimateGas', 'before'),
    sending: atChain(SEND, 'before'),
    sent: atChain(SEND, 'after'),
  },
}

/** What waits at a step is lost with the process, or goes on without it. */
const LATER = ['is lost', 'goes on'] as const

describe.each(KINDS)('%s facilitator', (kind) => {
  const steps = STEPS[kind]
  const site = useSite()
  let service: KillableService
  let purchase: Purchase
  beforeAll(async () => {
    service = await site.open(kind)
  })

  const sentAndPending: HoldStep = async () => {
    await site.chain.holdMining()
    return steps.sent(site)
  }

  /** Kills the service when the payment reaches a step. */
  async function killAt(step: HoldStep): Promise<Hold> {
    purchase = await site.newPurchase()
    const hold = await step(site)
    const lost = service.sendAndLose(purchase)
    await hold.reached
    await service.kill()
    await lost
    return hold
  }

  test.each([
    ['before verify', steps.verify, 1],
    ['after verify', steps.verified, 1],
    // Its first report was not finished.
    ['during the operation', atResolver, 2],
  ] as const)('killed %s: nothing was charged, and the payment is free', async (...row) => {
    const [, step, reports] = row
    await killAt(step)
    await service.restart()
    expect(await purchase.settlements()).toEqual([])
    await expectSoldOnce(service, purchase, reports)
  })

  test.each(LATER)('killed after prepare and before settle, which %s', async (later) => {
    const hold = await killAt(steps.settling)
    if (later === 'goes on') hold.release()
    await service.restart()
    await expectSoldOnce(service, purchase)
  })

  test.each(LATER)('killed before the transaction is sent, which %s', async (later) => {
    const hold = await killAt(steps.sending)
    if (later === 'goes on') hold.release()
    await service.restart()
    await expectSoldOnce(service, purchase)
  })

  test('killed when the transaction was sent, and it is mined before the restart', async () => {
    await killAt(sentAndPending)
    expect(await purchase.settlements()).toEqual([])
    await site.chain.releaseMining()
    await service.restart()
    await expectSoldOnce(service, purchase)
  })

  test('killed when the transaction was sent, and it is still pending at the next try', async () => {
    await killAt(sentAndPending)
    await service.restart()
    if (kind === 'remote') {
      // It sends a second transaction, and one of them fails.
      const second = await steps.sent(site)
      const response = service.send(purchase)
      await second.reached
      await site.chain.releaseMining()
      second.release()
      const { status, settlement } = await response
      expect([status, await purchase.settlements()]).toEqual([200, [settlement?.transaction]])
    } else {
      // It knows the first transaction and waits for it.
      const { status, body } = await service.send(purchase)
      expect([status, body.code, body.charged]).toEqual([502, 'facilitator_unavailable', 'unknown'])
      expect(await purchase.settlements()).toEqual([])
      await site.chain.releaseMining()
    }
    await expectSoldOnce(service, purchase)
  })

  test('killed when the transaction was mined', async () => {
    await killAt(steps.sent)
    expect(await purchase.settlements()).toHaveLength(1)
    await service.restart()
    await expectSoldOnce(service, purchase)
  })

  test('killed while the response is written', async () => {
    purchase = await site.newPurchase()
    await service.sendAndKillAtResponse(purchase)
    await service.restart()
    await expectSoldOnce(service, purchase)
  })

  // From here on the clock of the chain is ahead of the payers' clocks.
  test('killed when the transaction was mined, and the payment expires before the restart', async () => {
    await killAt(steps.sent)
    await site.chain.advanceTime(300)
    await service.restart()
    await expectSoldOnce(service, purchase)
  })
})

describe.each(KINDS)('%s facilitator, killed before settle', (kind) => {
  const site = useSite()

  test('and the payment expires: 402, and nothing was charged', async () => {
    const service = await site.open(kind)
    const purchase = await site.newPurchase()
    const hold = await STEPS[kind].settling(site)
    const lost = service.sendAndLose(purchase)
    await hold.reached
    await service.kill()
    await lost
    await site.chain.advanceTime(300)
    await service.restart()
    const { status, body } = await service.send(purchase)
    expect([status, body.error, body.charged]).toEqual([402, 'expired', 'no'])
    expect(await purchase.settlements()).toEqual([])
  })
})

describe('a second process on the same DATA_DIR', () => {
  const site = useSite()

  test('does not start and names it', async () => {
    const first = await site.open('remote')
    const second = await startServiceProcess(first.env)
    expect(await second.exitCode()).toBe(1)
    expect(second.output.stderr).toContain(`DATA_DIR (${first.env.DATA_DIR}) is in use`)
    await expectSoldOnce(first, await site.newPurchase())
  })
})

describe('two instances without a shared store do not both sell', () => {
  const site = useSite()
  let one: KillableService
  let other: KillableService
  beforeAll(async () => {
    one = await site.open('in-process')
    other = await site.open('in-process')
  })

  test('a payment whose outcome one of them does not know', async () => {
    const purchase = await site.newPurchase()
    const heal = site.chain.dropConnections(SEND, { when: 'before' })
    const unknown = await other.send(purchase)
    expect([unknown.status, unknown.body.charged]).toEqual([502, 'unknown'])
    heal()
    await expectSoldOnce(one, purchase, 2)
    const { status, body } = await other.send(purchase)
    expect([status, body.error]).toEqual([402, 'payment_already_used'])
    expect(await purchase.settlements()).toHaveLength(1)
  })

  test('a payment that is sent to both at once', async () => {
    const purchase = await site.newPurchase()
    // Both have verified it and prepared the report before the first transaction is mined.
    const hold = site.chain.hold(SEND, 'before')
    const first = one.send(purchase)
    await hold.reached
    const second = await other.send(purchase)
    hold.release()
    const { status, body } = await first
    expect([second.status, status, body.error]).toEqual([200, 402, 'payment_already_used'])
    expect(await purchase.settlements()).toEqual([second.settlement?.transaction])
  })

  test('a payment after one of them was killed', async () => {
    const purchase = await site.newPurchase()
    const hold = site.chain.hold(SEND, 'before')
    const lost = other.sendAndLose(purchase)
    await hold.reached
    await other.kill()
    await lost
    await expectSoldOnce(one, purchase, 2)
    await other.restart()
    const { status, body } = await other.send(purchase)
    expect([status, body.error]).toEqual([402, 'payment_already_used'])
    expect(await purchase.settlements()).toHaveLength(1)
  })
})
