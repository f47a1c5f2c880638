/** Requests by chance, several at a time, until the time is up; what came, and what was wrong. */
import fc from 'fast-check'
import { decodeBase64Json } from '../support/test-payer.js'
import { anyFuzzRequest } from './any-request.js'
import { parseRpcResponse } from './check-mcp-response.js'
import { createFuzzRandom } from './fuzz-random.js'
import { encodeRequestText, type FuzzRequest, toReproduceCommand } from './fuzz-request.js'
import { RESPONSE_DEADLINE_MS } from './fuzz-settings.js'
import type { FuzzedService } from './fuzzed-service.js'
import { exchangeRawHttp, type RawExchange, type RawResponse } from './raw-http.js'

export interface FuzzResults {
  /** Answers by what was asked and their status. */
  readonly counts: Map<string, Map<string, number>>
  /** The first of each kind, with the way to see it again. */
  readonly problems: Map<string, string>
}

const LANES = 8
const BATCH = 25

export async function runFuzz(house: FuzzedService, until: number): Promise<FuzzResults> {
  const weather: FuzzResults = { counts: new Map(), problems: new Map() }
  const plans = anyFuzzRequest(house.surface)
  const lanes = Array.from({ length: LANES }, async (_, lane) => {
    for (let batch = 0; Date.now() < until; batch++) {
      const seed = createFuzzRandom(`${house.name} ${lane} ${batch}`).integerBelow(2 ** 31)
      for (const plan of fc.sample(plans, { seed, numRuns: BATCH })) {
        if (Date.now() < until) await weatherOut(house, plan, weather)
      }
    }
  })
  await Promise.all(lanes)
  return weather
}

async function weatherOut(
  house: FuzzedService,
  plan: FuzzRequest,
  weather: FuzzResults,
): Promise<void> {
  const paid =
    plan.payment && plan.resource
      ? await house.wallet.createPayment(plan.payment, plan.resource)
      : null
  const octets = requestOf(plan, paid)
  const sending = {
    port: house.port,
    octets,
    isAll: plan.kind === 'raw',
    deadlineMs: RESPONSE_DEADLINE_MS,
  }
  const copies = Array.from({ length: plan.copies }, () => exchangeRawHttp(sending))
  for (const heard of await Promise.all(copies)) {
    const faults = faultsIn(house, plan, heard).join('; ')
    const kind = `${house.name}, ${plan.label}: ${faults}`
    if (faults !== '' && !weather.problems.has(kind)) {
      weather.problems.set(kind, toReproduceCommand(octets, house.port))
    }
    for (const reply of repliesIn(heard)) {
      house.accounting.record(paid?.payload, receiptIn(reply))
      count(weather, plan.label, String(reply.status))
    }
    if (repliesIn(heard).length === 0) {
      count(weather, plan.label, heard.kind === 'replies' ? 'hung up' : heard.kind)
    }
  }
}

interface Paid {
  readonly payload: unknown
  readonly header: string
}

function requestOf(plan: FuzzRequest, paid: Paid | null): Buffer {
  if (plan.kind === 'raw') return encodeRequestText(plan.target)
  const body = plan.body ? Buffer.from(plan.body(paid?.payload)) : null
  const lines = [
    `${plan.method} ${plan.target} HTTP/1.1`,
    'Host: localhost',
    ...plan.headers.map((header) => header.join(': ')),
    ...(paid && !body ? [`PAYMENT-SIGNATURE: ${paid.header}`] : []),
    ...(body ? [`Content-Length: ${body.length}`] : []),
    'Connection: close',
  ]
  return Buffer.concat([
    encodeRequestText(`${lines.join('\r\n')}\r\n\r\n`),
    body ?? Buffer.alloc(0),
  ])
}

function repliesIn(heard: RawExchange): readonly RawResponse[] {
  return heard.kind === 'replies' ? heard.responses : []
}

function faultsIn(
  { checkResponse }: FuzzedService,
  plan: FuzzRequest,
  heard: RawExchange,
): string[] {
  if (heard.kind === 'late') return [`no answer in ${RESPONSE_DEADLINE_MS} ms`]
  if (heard.kind === 'garbled') return [heard.reason]
  if (heard.responses.length !== 1 && plan.kind !== 'raw')
    return [`${heard.responses.length} answers`]
  return heard.responses.flatMap((reply) => checkResponse(plan, reply))
}

function receiptIn(reply: RawResponse): unknown {
  const header = reply.headers.get('payment-response')
  if (header !== undefined) return decodeBase64Json(header)
  return reply.body.includes('x402/payment-response')
    ? parseRpcResponse(reply).result?._meta?.['x402/payment-response']
    : null
}

function count({ counts }: FuzzResults, label: string, what: string): void {
  const row = counts.get(label) ?? new Map<string, number>()
  counts.set(label, row.set(what, (row.get(what) ?? 0) + 1))
}
