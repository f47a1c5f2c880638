/** What taking payments costs, compared with the free report and the stock x402 middleware. */
import { deepStrictEqual, ok, strictEqual } from 'node:assert'
import type { PaymentRequired } from '@x402/core/types'
import {
  type ChainProcess,
  type MeasuredServer,
  openPaymentProcesses,
  type PaymentProcesses,
} from './bench-environment.js'
import {
  BENCH_SCORE_PATH,
  PAYMENT_MAX_RATIO,
  PAYMENT_REQUEST_COUNTS,
  PAYMENT_ROUNDS,
  PAYMENTS_IN_FLIGHT,
  type RequestCounts,
} from './bench-targets.js'
import {
  type BenchResponse,
  type Contestant,
  type Contestants,
  cpuPerRequestMs,
  type LoadMetric,
  type LoadSample,
  type LoadSamples,
  latencyPercentile,
  measureLoads,
  requestOnce,
  toFixedResponse,
  warmUp,
} from './http-load.js'
import { median, medianRatio, printTarget, roundTo } from './measure.js'
import {
  createPaymentSource,
  expectResponse,
  getRequestText,
  paidGetText,
  paidRequests,
  parseResponseJson,
  paymentRequiredHeader,
  repeatRequest,
  settlementResponseHeader,
} from './payment-requests.js'

type Name = 'free' | 'ours' | 'stock'
type PaymentContestants = Contestants<Name>
type Rows = Record<string, ReturnType<typeof toRow>>

export async function benchPayment(): Promise<void> {
  console.log(
    `\nA paid report per request: free, ours and @x402/hono. Times in ms, medians of ${PAYMENT_ROUNDS} interleaved rounds; CPU is the server's; the free 402 is a constant`,
  )
  const processes = openPaymentProcesses()
  try {
    const { instant, chain, unpaid, audit } = await openComparison(processes)
    const rows = {
      ...(await measureRows('no chain', instant, PAYMENT_REQUEST_COUNTS.instant)),
      ...(await measureRows('chain', chain, PAYMENT_REQUEST_COUNTS.chain)),
      ...(await measureRows('402', unpaid, PAYMENT_REQUEST_COUNTS.unpaid)),
    }
    await audit()
    console.table(rows)
    printTarget(
      `≤ ${PAYMENT_MAX_RATIO} × the stock middleware`,
      Object.entries(rows).map(([name, { met }]) => [name, met]),
    )
  } finally {
    processes.stop()
  }
}

/** Starts all servers, and makes sure that they sell the same report. */
async function openComparison(processes: PaymentProcesses) {
  const [ourChain, stockChain] = [await processes.startChain(), await processes.startChain()]
  const ourServer = await processes.startServer({ BENCH_SERVER: 'ours', BENCH_RPC: ourChain.url })
  const required = await fetchPaymentRequired(ourServer)
  const stockEnv = { BENCH_SERVER: 'stock', BENCH_REQUIRED: JSON.stringify(required) }
  const stockServer = await processes.startServer({ ...stockEnv, BENCH_RPC: stockChain.url })
  const ourInstant = await processes.startServer({ BENCH_SERVER: 'ours' })
  const stockInstant = await processes.startServer(stockEnv)
  const unpaidResponse = toFixedResponse(await requestOnce(unpaidContestant(ourServer)))
  const fixedServer = await processes.startServer({
    BENCH_SERVER: 'fixed',
    BENCH_RESPONSE: JSON.stringify(unpaidResponse),
  })
  const free = freeContestant(await processes.startServer({ BENCH_SERVER: 'free' }))
  const ours = await paidContestant(ourServer, ourChain)
  const stock = await paidContestant(stockServer, stockChain)
  const chain: PaymentContestants = { free, ours: ours.contestant, stock: stock.contestant }
  const instant: PaymentContestants = {
    free,
    ours: (await paidContestant(ourInstant, null)).contestant,
    stock: (await paidContestant(stockInstant, null)).contestant,
  }
  const unpaid: PaymentContestants = {
    free: unpaidContestant(fixedServer),
    ours: unpaidContestant(ourInstant),
    stock: unpaidContestant(stockInstant),
  }
  await compareReports(chain)
  await compareReports(instant)
  /** Throws unless every report was paid for exactly once. */
  const audit = async () => {
    await ours.audit()
    await stock.audit()
  }
  return { chain, instant, unpaid, audit }
}

const expectReport = expectResponse(200, '"score":')
const scoreRequests = repeatRequest(getRequestText(BENCH_SCORE_PATH))

function freeContestant(server: MeasuredServer): Contestant {
  return { server, requests: scoreRequests, verify: expectReport }
}

export function unpaidContestant(server: MeasuredServer): Contestant {
  const verify = (response: BenchResponse) => {
    strictEqual(response.status, 402, response.body)
    strictEqual(paymentRequiredHeader(response).accepts[0]?.amount, '10000')
  }
  return { server, requests: scoreRequests, verify }
}

export async function paidContestant(server: MeasuredServer, chain: ChainProcess | null) {
  const required = await fetchPaymentRequired(server)
  const transactions = new Set<string>()
  const contestant: Contestant = {
    server,
    requests: paidRequests(createPaymentSource(required, chain !== null), paidGetText),
    ...(chain && { chainCalls: async () => (await chain.totals()).calls }),
    verify(response) {
      expectReport(response)
      const { success, transaction } = settlementResponseHeader(response)
      ok(success && /^0x[0-9a-f]{64}$/.test(transaction), response.head)
      transactions.add(transaction)
    },
  }
  return {
    contestant,
    async audit() {
      const price = Number(required.accepts[0]?.amount)
      strictEqual((await chain?.totals())?.paid, transactions.size * price, 'balance of the payee')
    },
  }
}

export async function fetchPaymentRequired(server: MeasuredServer): Promise<PaymentRequired> {
  return paymentRequiredHeader(await requestOnce(unpaidContestant(server)))
}

async function compareReports({ free, ours, stock }: PaymentContestants): Promise<void> {
  const { meta: _, ...report } = parseResponseJson(await requestOnce(free))
  for (const contestant of [ours, stock]) {
    const { meta: _, ...other } = parseResponseJson(await requestOnce(contestant))
    deepStrictEqual(other, report)
  }
}

async function measureRows(
  name: string,
  contestants: PaymentContestants,
  { sequential, concurrent, warmUp: warmUpCount }: RequestCounts,
): Promise<Rows> {
  await warmUp(contestants, warmUpCount)
  return {
    ...(sequential &&
      sequentialRows(`${name}, sequential`, await measureLoads(contestants, sequential, 1))),
    ...(concurrent &&
      concurrentRows(
        `${name}, ${PAYMENTS_IN_FLIGHT} in flight`,
        await measureLoads(contestants, concurrent, PAYMENTS_IN_FLIGHT),
      )),
  }
}

function sequentialRows(name: string, samples: LoadSamples<Name>): Rows {
  return {
    [`${name}: median`]: toRow(samples, latencyPercentile(0.5)),
    [`${name}: p95`]: toRow(samples, latencyPercentile(0.95)),
    ...costRows(name, samples),
  }
}

function concurrentRows(name: string, samples: LoadSamples<Name>): Rows {
  return {
    [`${name}: 1/throughput`]: toRow(samples, ({ wallMs }) => wallMs),
    ...costRows(name, samples),
  }
}

function costRows(name: string, samples: LoadSamples<Name>): Rows {
  const calls = toRow(samples, ({ chainCalls }) => chainCalls)
  return {
    [`${name}: CPU`]: toRow(samples, cpuPerRequestMs),
    ...(calls.stock > 0 && { [`${name}: JSON-RPC calls`]: calls }),
  }
}

/** One metric of all three, as medians over the rounds. */
function toRow(samples: LoadSamples<Name>, metric: LoadMetric) {
  const values = (all: readonly LoadSample[]) => all.map(metric)
  const [free, ours, stock] = [samples.free, samples.ours, samples.stock].map((all) =>
    median(values(all)),
  ) as [number, number, number]
  const ratio = roundTo(medianRatio(values(samples.ours), values(samples.stock)), 2)
  return {
    free: roundTo(free, 3),
    ours: roundTo(ours, 3),
    stock: roundTo(stock, 3),
    'ours adds': roundTo(ours - free, 3),
    'stock adds': roundTo(stock - free, 3),
    'ours/stock': ratio,
    target: `≤ ${PAYMENT_MAX_RATIO}`,
    met: ratio <= PAYMENT_MAX_RATIO,
  }
}
