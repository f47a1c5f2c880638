/** Those who are compared, started and found to sell the same report. */
import { deepStrictEqual, ok, strictEqual } from 'node:assert'
import type { PaymentRequired } from '@x402/core/types'
import type { BenchResponse } from './http-load.js'
import { BENCH_SCORE_PATH } from './pay-aims.js'
import type { Contestant, Contestants } from './pay-load.js'
import type { ChainProcess, PaymentProcesses, PaymentServer } from './pay-processes.js'
import {
  expectResponse,
  parseResponseJson,
  paymentRequiredHeader,
  requestOnce,
  settlementResponseHeader,
} from './pay-replies.js'
import { createPaymentSource } from './pay-wallet.js'
import { getRequestText, paidGetText, paidRequests, repeatRequest } from './payment-requests.js'

/** By what there is to compare; `free` is the least that it can take. */
export type PaymentContestants = Contestants<'free' | 'ours' | 'stock'>

export interface PaymentComparison {
  readonly chain: PaymentContestants
  readonly instant: PaymentContestants
  readonly unpaid: PaymentContestants
  /** Throws unless every report was paid for, and once. */
  audit(): Promise<void>
}

export async function openPaymentComparison(
  processes: PaymentProcesses,
): Promise<PaymentComparison> {
  const [ourChain, stockChain] = [await processes.startChain(), await processes.startChain()]
  const ourServer = await processes.startServer({ BENCH_SERVER: 'ours', BENCH_RPC: ourChain.url })
  const offer = await fetchPaymentRequired(ourServer)
  const stock = { BENCH_SERVER: 'stock', BENCH_OFFER: JSON.stringify(offer) }
  const ourInstant = await processes.startServer({ BENCH_SERVER: 'ours' })
  const stockInstant = await processes.startServer(stock)
  const answer = JSON.stringify(await challengeFrom(ourServer))
  const constant = { BENCH_SERVER: 'constant', BENCH_ANSWER: answer }

  const free = freeOf(await processes.startServer({ BENCH_SERVER: 'free' }))
  const ours = paidContestant(ourServer, offer, ourChain)
  const stockServer = await processes.startServer({ ...stock, BENCH_RPC: stockChain.url })
  const theirs = paidContestant(stockServer, await fetchPaymentRequired(stockServer), stockChain)
  const field = {
    chain: { free, ours: ours.contestant, stock: theirs.contestant },
    instant: {
      free,
      ours: paidContestant(ourInstant, offer, null).contestant,
      stock: paidContestant(stockInstant, await fetchPaymentRequired(stockInstant), null)
        .contestant,
    },
    unpaid: {
      free: unpaidContestant(await processes.startServer(constant)),
      ours: unpaidContestant(ourInstant),
      stock: unpaidContestant(stockInstant),
    },
    async audit() {
      await ours.audit()
      await theirs.audit()
    },
  }
  await compareReports(field.chain)
  await compareReports(field.instant)
  return field
}

const verifyReport = expectResponse(200, '"score":')

function freeOf(server: PaymentServer): Contestant {
  return { server, requests: repeatRequest(getRequestText(BENCH_SCORE_PATH)), verify: verifyReport }
}

export function unpaidContestant(server: PaymentServer): Contestant {
  const verify = (reply: BenchResponse) => {
    strictEqual(reply.status, 402, reply.body)
    strictEqual(paymentRequiredHeader(reply).accepts[0]?.amount, '10000')
  }
  return { server, requests: repeatRequest(getRequestText(BENCH_SCORE_PATH)), verify }
}

export function paidContestant(
  server: PaymentServer,
  offer: PaymentRequired,
  chain: ChainProcess | null,
) {
  const sold = new Set<string>()
  const contestant: Contestant = {
    server,
    requests: paidRequests(createPaymentSource(offer, chain !== null), paidGetText),
    ...(chain && { calls: async () => (await chain.totals()).calls }),
    verify(reply) {
      verifyReport(reply)
      const receipt = settlementResponseHeader(reply)
      ok(receipt.success && /^0x[0-9a-f]{64}$/.test(receipt.transaction), JSON.stringify(receipt))
      sold.add(receipt.transaction)
    },
  }
  return {
    contestant,
    async audit() {
      const units = Number(offer.accepts[0]?.amount)
      strictEqual((await chain?.totals())?.paid, sold.size * units, 'the payee’s balance')
    },
  }
}

export async function fetchPaymentRequired(server: PaymentServer): Promise<PaymentRequired> {
  return paymentRequiredHeader(await requestOnce(unpaidContestant(server)))
}

async function challengeFrom({ port }: PaymentServer) {
  const response = await fetch(`http://127.0.0.1:${port}${BENCH_SCORE_PATH}`)
  strictEqual(response.status, 402)
  const headers = Object.fromEntries(response.headers)
  return { body: await response.text(), headers: withoutFraming(headers) }
}

/** What the server adds by itself. */
function withoutFraming(headers: Record<string, string>): Record<string, string> {
  const framing = ['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding']
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !framing.includes(name)))
}

async function compareReports(trio: PaymentContestants): Promise<void> {
  const { meta: _, ...report } = parseResponseJson(await requestOnce(trio.free))
  for (const contestant of [trio.ours, trio.stock]) {
    const { meta: _, ...other } = parseResponseJson(await requestOnce(contestant))
    deepStrictEqual(other, report)
  }
}
