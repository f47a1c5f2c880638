/** How long an honest buyer waits while one address sends the most expensive payments it can. */
import { randomBytes } from 'node:crypto'
import type { PaymentRequired } from '@x402/core/types'
import { type Hex, numberToHex } from 'viem'
import { NETWORKS } from '../packages/server/src/payments/payment-terms.js'
import { mintTestUsdc } from '../packages/server/src/sandbox/chain/sandbox-chain.js'
import {
  type ChainProcess,
  type MeasuredServer,
  openPaymentProcesses,
} from './bench-environment.js'
import { fetchPaymentRequired } from './bench-payment.js'
import { BENCH_SCORE_PATH, HOSTILE_BUYER_TARGETS } from './bench-targets.js'
import { type BenchResponse, requestOnce, runHttpLoad } from './http-load.js'
import { median, printTarget, roundTo } from './measure.js'
import {
  createPaymentSource,
  expectResponse,
  getRequestText,
  paymentRequiredHeader,
  repeatRequest,
} from './payment-requests.js'

const { purchases, hostilePayments, maxMs } = HOSTILE_BUYER_TARGETS

/** `JUMPDEST PUSH1 0 JUMP`: runs until its gas is used up, as dear for the node as gas can be. */
const ENDLESS_LOOP = '0x5b600056'
const NETWORK = 'eip155:84532'

/** The dearest report allows the most gas. */
const PLAN_PATH = BENCH_SCORE_PATH.replace('/score', '/fix-plan')

interface Attack {
  readonly path: string
  /** The payments of one address. */
  readonly pay: (required: PaymentRequired) => Promise<readonly object[]>
}

export async function benchHostileBuyer(): Promise<void> {
  const processes = openPaymentProcesses()
  try {
    const chain = await processes.startChain()
    const server = await processes.startServer({
      BENCH_SERVER: 'ours',
      BENCH_RPC: chain.url,
      BENCH_CONFIG: JSON.stringify({ RATE_LIMIT_PER_MINUTE: '30', TRUST_PROXY_HOPS: '1' }),
    })
    console.log(
      `\nA purchase of an honest buyer in ms, of ${purchases}, while one other address has ${hostilePayments} payments in flight`,
    )
    const attacks = await openAttacks(chain)
    // The first purchases run code that is not compiled yet.
    for (let index = 0; index < purchases; index++) await buy(server, index)
    const rows: Record<string, object> = {}
    for (const [name, attack] of Object.entries(attacks)) {
      rows[name] = await measure(server, attack)
    }
    console.table(rows)
    printTarget(
      `slowest < ${maxMs} ms`,
      Object.entries(rows).map(([name, row]) => [name, (row as Row).slowest < maxMs]),
    )
  } finally {
    processes.stop()
  }
}

interface Row {
  readonly median: number
  readonly slowest: number
}

/** Each purchase begins with the attack of another address, whose limit is not used up yet. */
async function measure(server: MeasuredServer, attack: Attack): Promise<Row> {
  const required = paymentRequiredHeader(await requestPath(server, attack.path))
  const times: number[] = []
  const outcomes = new Map<string, number>()
  for (let index = 0; index < purchases; index++) {
    const payments = await attack.pay(required)
    const caller = nextAddress()
    const attacking =
      payments.length > 0 &&
      runHttpLoad({
        servers: [server],
        requests: payments.map((payment) => paidRequest(attack.path, payment, caller)),
        inFlight: payments.length,
        verify: ({ status, body }) => {
          const outcome = `${status} ${/"error":"(\w+)"/.exec(body)?.[1] ?? /"code":"(\w+)"/.exec(body)?.[1] ?? ''}`
          outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
        },
      })
    // They arrive first.
    await new Promise((resolve) => setTimeout(resolve, 20))
    times.push(await buy(server, index))
    await attacking
  }
  return {
    median: roundTo(median(times), 0),
    slowest: roundTo(Math.max(...times), 0),
    ...Object.fromEntries(outcomes),
  }
}

let addresses = 0
const nextAddress = () => `198.18.${++addresses >> 8}.${addresses & 255}`

function requestPath(server: MeasuredServer, path: string): Promise<BenchResponse> {
  const requests = repeatRequest(getRequestText(path))
  return requestOnce({ server, requests, verify: () => {} })
}

async function buy(server: MeasuredServer, index: number): Promise<number> {
  const required = await fetchPaymentRequired(server)
  const [payment = {}] = await createPaymentSource(required, true)(1)
  const { wallMs } = await runHttpLoad({
    servers: [server],
    requests: [paidRequest(BENCH_SCORE_PATH, payment, `203.0.113.${index}`)],
    inFlight: 1,
    verify: expectReport,
  })
  return wallMs
}

const expectReport: (response: BenchResponse) => void = expectResponse(200, '"score":')

function paidRequest(path: string, payment: object, caller: string): string {
  const header = Buffer.from(JSON.stringify(payment)).toString('base64')
  return getRequestText(path, {
    'PAYMENT-SIGNATURE': header,
    'X-Forwarded-For': caller,
  })
}

async function openAttacks({ url }: ChainProcess): Promise<Record<string, Attack>> {
  async function request({ method, params }: { method: string; params?: unknown }) {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const response = await fetch(url, { method: 'POST', body })
    const { result, error } = (await response.json()) as { result?: unknown; error?: object }
    if (error) throw new Error(`${method}: ${JSON.stringify(error)}`)
    return result as never
  }
  async function newContract(units: bigint): Promise<Hex> {
    const address = numberToHex(BigInt(`0x${randomBytes(20).toString('hex')}`), { size: 20 })
    await request({ method: 'hardhat_setCode', params: [address, ENDLESS_LOOP] })
    if (units > 0n) await mintTestUsdc({ request, token: NETWORKS[NETWORK].usdc }, address, units)
    return address
  }
  const payments = async (required: PaymentRequired, from: Hex | null, length: number) => {
    const signed = await createPaymentSource(required, false)(hostilePayments)
    return signed.map((payment) => withPayer(payment, from, length))
  }
  const contracts = (units: bigint) => async (required: PaymentRequired) =>
    payments(required, await newContract(units), 200)
  return {
    'nobody else': { path: BENCH_SCORE_PATH, pay: async () => [] },
    'wrong signatures': {
      path: BENCH_SCORE_PATH,
      pay: (required) => payments(required, null, 65),
    },
    'contracts without funds': { path: PLAN_PATH, pay: contracts(0n) },
    'contracts that use up a cent of gas': { path: BENCH_SCORE_PATH, pay: contracts(10_000n) },
    'contracts that use up a dollar of gas': { path: PLAN_PATH, pay: contracts(1_000_000n) },
  }
}

function withPayer(payment: object, from: Hex | null, signatureLength: number): object {
  const { payload, ...rest } = payment as { payload: { authorization: object } }
  const authorization = { ...payload.authorization, ...(from && { from }) }
  const signature = `0x${'5a'.repeat(signatureLength)}`
  return { ...rest, payload: { signature, authorization } }
}
