/** Requests by chance, several at a time, until the time is up; what came, and what was wrong. */
import fc from 'fast-check'
import { decode } from '../support/payer.js'
import { diceFor } from './dice.js'
import type { House } from './house.js'
import { rpcAnswerIn } from './mcp-answers.js'
import { asCommand, octetsOf, type Plan } from './plan.js'
import { anyPlan } from './plans.js'
import { DEADLINE_MS } from './settings.js'
import { exchange, type Heard, type Reply } from './wire.js'

export interface Weather {
  /** Answers by what was asked and their status. */
  readonly counts: Map<string, Map<string, number>>
  /** The first of each kind, with the way to see it again. */
  readonly faults: Map<string, string>
}

const LANES = 8
const BATCH = 25

export async function storm(house: House, until: number): Promise<Weather> {
  const weather: Weather = { counts: new Map(), faults: new Map() }
  const plans = anyPlan(house.premises)
  const lanes = Array.from({ length: LANES }, async (_, lane) => {
    for (let batch = 0; Date.now() < until; batch++) {
      const seed = diceFor(`${house.name} ${lane} ${batch}`).roll(2 ** 31)
      for (const plan of fc.sample(plans, { seed, numRuns: BATCH })) {
        if (Date.now() < until) await weatherOut(house, plan, weather)
      }
    }
  })
  await Promise.all(lanes)
  return weather
}

async function weatherOut(house: House, plan: Plan, weather: Weather): Promise<void> {
  const paid = plan.pay && plan.asks ? await house.wallet.pay(plan.pay, plan.asks) : null
  const octets = requestOf(plan, paid)
  const sending = { port: house.port, octets, isAll: plan.kind === 'raw', deadlineMs: DEADLINE_MS }
  const copies = Array.from({ length: plan.copies }, () => exchange(sending))
  for (const heard of await Promise.all(copies)) {
    const faults = faultsIn(house, plan, heard).join('; ')
    const kind = `${house.name}, ${plan.label}: ${faults}`
    if (faults !== '' && !weather.faults.has(kind)) {
      weather.faults.set(kind, asCommand(octets, house.port))
    }
    for (const reply of repliesIn(heard)) {
      house.books.enter(paid?.payload, receiptIn(reply))
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

function requestOf(plan: Plan, paid: Paid | null): Buffer {
  if (plan.kind === 'raw') return octetsOf(plan.target)
  const body = plan.body ? Buffer.from(plan.body(paid?.payload)) : null
  const lines = [
    `${plan.method} ${plan.target} HTTP/1.1`,
    'Host: localhost',
    ...plan.headers.map((header) => header.join(': ')),
    ...(paid && !body ? [`PAYMENT-SIGNATURE: ${paid.header}`] : []),
    ...(body ? [`Content-Length: ${body.length}`] : []),
    'Connection: close',
  ]
  return Buffer.concat([octetsOf(`${lines.join('\r\n')}\r\n\r\n`), body ?? Buffer.alloc(0)])
}

function repliesIn(heard: Heard): readonly Reply[] {
  return heard.kind === 'replies' ? heard.replies : []
}

function faultsIn({ judge }: House, plan: Plan, heard: Heard): string[] {
  if (heard.kind === 'late') return [`no answer in ${DEADLINE_MS} ms`]
  if (heard.kind === 'garbled') return [heard.why]
  if (heard.replies.length !== 1 && plan.kind !== 'raw') return [`${heard.replies.length} answers`]
  return heard.replies.flatMap((reply) => judge(plan, reply))
}

function receiptIn(reply: Reply): unknown {
  const header = reply.headers.get('payment-response')
  if (header !== undefined) return decode(header)
  return reply.body.includes('x402/payment-response')
    ? rpcAnswerIn(reply).result?._meta?.['x402/payment-response']
    : null
}

function count({ counts }: Weather, label: string, what: string): void {
  const row = counts.get(label) ?? new Map<string, number>()
  counts.set(label, row.set(what, (row.get(what) ?? 0) + 1))
}
