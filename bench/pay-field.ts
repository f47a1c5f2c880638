/** Those who are compared, started and found to sell the same report. */
import { deepStrictEqual, ok, strictEqual } from 'node:assert'
import type { PaymentRequired } from '@x402/core/types'
import { PATH } from './pay-aims.js'
import type { Reply } from './pay-line.js'
import type { Contestant, Contestants } from './pay-load.js'
import type { ChainProcess, Processes, Server } from './pay-processes.js'
import { ask, jsonOf, offerOf, receiptOf, verifyAnswer } from './pay-replies.js'
import { getText, paid, paidGet, repeated } from './pay-requests.js'
import { openWallet } from './pay-wallet.js'

/** By what there is to compare; `free` is the least that it can take. */
export type Trio = Contestants<'free' | 'ours' | 'stock'>

export interface Field {
  readonly chain: Trio
  readonly instant: Trio
  readonly challenge: Trio
  /** Throws unless every report was paid for, and once. */
  audit(): Promise<void>
}

export async function openField(processes: Processes): Promise<Field> {
  const [ourChain, stockChain] = [await processes.startChain(), await processes.startChain()]
  const ourServer = await processes.startServer({ BENCH_SERVER: 'ours', BENCH_RPC: ourChain.url })
  const offer = await offerFrom(ourServer)
  const stock = { BENCH_SERVER: 'stock', BENCH_OFFER: JSON.stringify(offer) }
  const ourInstant = await processes.startServer({ BENCH_SERVER: 'ours' })
  const stockInstant = await processes.startServer(stock)
  const answer = JSON.stringify(await challengeFrom(ourServer))
  const constant = { BENCH_SERVER: 'constant', BENCH_ANSWER: answer }

  const free = freeOf(await processes.startServer({ BENCH_SERVER: 'free' }))
  const ours = seller(ourServer, offer, ourChain)
  const stockServer = await processes.startServer({ ...stock, BENCH_RPC: stockChain.url })
  const theirs = seller(stockServer, await offerFrom(stockServer), stockChain)
  const field = {
    chain: { free, ours: ours.contestant, stock: theirs.contestant },
    instant: {
      free,
      ours: seller(ourInstant, offer, null).contestant,
      stock: seller(stockInstant, await offerFrom(stockInstant), null).contestant,
    },
    challenge: {
      free: challenger(await processes.startServer(constant)),
      ours: challenger(ourInstant),
      stock: challenger(stockInstant),
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

const verifyReport = verifyAnswer(200, '"score":')

function freeOf(server: Server): Contestant {
  return { server, requests: repeated(getText(PATH)), verify: verifyReport }
}

export function challenger(server: Server): Contestant {
  const verify = (reply: Reply) => {
    strictEqual(reply.status, 402, reply.body)
    strictEqual(offerOf(reply).accepts[0]?.amount, '10000')
  }
  return { server, requests: repeated(getText(PATH)), verify }
}

export function seller(server: Server, offer: PaymentRequired, chain: ChainProcess | null) {
  const sold = new Set<string>()
  const contestant: Contestant = {
    server,
    requests: paid(openWallet(offer, chain !== null), paidGet),
    ...(chain && { calls: async () => (await chain.tally()).calls }),
    verify(reply) {
      verifyReport(reply)
      const receipt = receiptOf(reply)
      ok(receipt.success && /^0x[0-9a-f]{64}$/.test(receipt.transaction), JSON.stringify(receipt))
      sold.add(receipt.transaction)
    },
  }
  return {
    contestant,
    async audit() {
      const units = Number(offer.accepts[0]?.amount)
      strictEqual((await chain?.tally())?.paid, sold.size * units, 'the payee’s balance')
    },
  }
}

export async function offerFrom(server: Server): Promise<PaymentRequired> {
  return offerOf(await ask(challenger(server)))
}

async function challengeFrom({ port }: Server) {
  const response = await fetch(`http://127.0.0.1:${port}${PATH}`)
  strictEqual(response.status, 402)
  const headers = Object.fromEntries(response.headers)
  return { body: await response.text(), headers: withoutFraming(headers) }
}

/** What the server adds by itself. */
function withoutFraming(headers: Record<string, string>): Record<string, string> {
  const framing = ['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding']
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !framing.includes(name)))
}

async function compareReports(trio: Trio): Promise<void> {
  const { meta: _, ...report } = jsonOf(await ask(trio.free))
  for (const contestant of [trio.ours, trio.stock]) {
    const { meta: _, ...other } = jsonOf(await ask(contestant))
    deepStrictEqual(other, report)
  }
}
