/** Those who are compared, started and found to sell the same report. */
import { deepStrictEqual, ok, strictEqual } from 'node:assert'
import type { PaymentRequired } from '@x402/core/types'
import { PATH } from './pay-aims.js'
import type { Reply } from './pay-line.js'
import type { Contestant } from './pay-load.js'
import type { ChainProcess, Processes, Server } from './pay-processes.js'
import { openWallet, readOffer } from './pay-wallet.js'

/** By what there is to compare; `free` is the least that it can take. */
export type Trio = Record<'free' | 'ours' | 'stock', Contestant>

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
  const { offer, answer } = await challengeOf(ourServer)
  const stock = { BENCH_SERVER: 'stock', BENCH_OFFER: JSON.stringify(offer) }
  const ourInstant = await processes.startServer({ BENCH_SERVER: 'ours' })
  const stockInstant = await processes.startServer(stock)
  const constant = { BENCH_SERVER: 'constant', BENCH_ANSWER: JSON.stringify(answer) }

  const free = freeOf(await processes.startServer({ BENCH_SERVER: 'free' }))
  const ours = seller(ourServer, offer, ourChain)
  const stockServer = await processes.startServer({ ...stock, BENCH_RPC: stockChain.url })
  const theirs = seller(stockServer, (await challengeOf(stockServer)).offer, stockChain)
  const field = {
    chain: { free, ours: ours.contestant, stock: theirs.contestant },
    instant: {
      free,
      ours: seller(ourInstant, offer, null).contestant,
      stock: seller(stockInstant, (await challengeOf(stockInstant)).offer, null).contestant,
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

const noCalls = async () => 0

function freeOf(server: Server): Contestant {
  return { server, wallet: null, path: PATH, calls: noCalls, verify: verifyReport }
}

function challenger(server: Server): Contestant {
  const verify = (reply: Reply) => {
    strictEqual(reply.status, 402, reply.body)
    strictEqual(readOffer(reply.header('payment-required')).accepts[0]?.amount, '10000')
  }
  return { server, wallet: null, path: PATH, calls: noCalls, verify }
}

function seller(server: Server, offer: PaymentRequired, chain: ChainProcess | null) {
  const sold = new Set<string>()
  const contestant: Contestant = {
    server,
    wallet: openWallet(offer, chain !== null),
    path: PATH,
    calls: chain ? async () => (await chain.tally()).calls : noCalls,
    verify(reply) {
      verifyReport(reply)
      const receipt = JSON.parse(decode(reply.header('payment-response')))
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

function verifyReport({ status, body }: Reply): void {
  strictEqual(status, 200, body)
  ok(body.includes('"score":'), body)
}

async function challengeOf({ port }: Server) {
  const response = await fetch(`http://127.0.0.1:${port}${PATH}`)
  strictEqual(response.status, 402)
  const headers = Object.fromEntries(response.headers)
  const offer = readOffer(response.headers.get('payment-required'))
  return { offer, answer: { body: await response.text(), headers: withoutFraming(headers) } }
}

/** What the server adds by itself. */
function withoutFraming(headers: Record<string, string>): Record<string, string> {
  const framing = ['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding']
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !framing.includes(name)))
}

async function compareReports(trio: Trio): Promise<void> {
  const { meta: _, ...report } = await reportOf(trio.free)
  for (const contestant of [trio.ours, trio.stock]) {
    const { meta: _, ...other } = await reportOf(contestant)
    deepStrictEqual(other, report)
  }
}

async function reportOf({ server, path, wallet, verify }: Contestant): Promise<{ meta: unknown }> {
  const [headers = {}] = (await wallet?.(1)) ?? []
  const response = await fetch(`http://127.0.0.1:${server.port}${path}`, { headers })
  const body = await response.text()
  verify({ status: response.status, body, header: (name) => response.headers.get(name) })
  return JSON.parse(body)
}

function decode(header: string | null): string {
  return Buffer.from(header ?? '', 'base64').toString()
}
