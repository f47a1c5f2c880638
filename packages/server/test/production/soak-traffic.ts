/** What callers of all kinds ask for, as fast as they are answered or at a fixed rate. */
import { Agent } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { BENCH_ZONES, copyZone, ZONE_COPIES } from '../../../../bench/bench-zones.js'
import { toolCallMessage } from '../support/mcp-message.js'
import { describeOutcome } from './outcome-counts.js'
import { type CallerRequest, type CallerResponse, sendRequest } from './send-request.js'
import type { SoakEnvironment } from './soak-environment.js'

export interface SoakTraffic {
  /** So many at once, each followed by the next. */
  runClosedLoop(atOnce: number, seconds: number): Promise<Answers>
  /**
   * Whether or not those before are answered, unless every connection is busy: then a request that
   * is due is not sent, and counted as such. Resolves when all are answered.
   */
  runAtRate(perSecond: number, seconds: number): Promise<Answers>
}

interface Answers {
  /** By kind and outcome. */
  readonly counts: Record<string, number>
  /** Milliseconds from when a request was due, of full checks. */
  readonly latencies: number[]
}

type Kind = 'check' | 'one part' | 'MCP' | 'unpaid' | 'paid'

const DOMAINS = Array.from({ length: ZONE_COPIES }).flatMap((_, index) =>
  BENCH_ZONES.map((zone) => copyZone(zone, index).checkedDomain),
)
const PARTS = ['mx', 'spf', 'dmarc', 'dkim']
/** So many that nobody comes near the limit. */
const CALLERS = 20_000
const TICK_MS = 10
export const NOT_SENT = 'not sent, as every connection was busy'
/** All of them used in turn, so that the instance always has the same. */
const CONNECTIONS = 64

export function createSoakTraffic({ url, payer }: SoakEnvironment): SoakTraffic {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS, scheduling: 'fifo' })
  let turn = 0

  async function send(answers: Answers, kind: Kind, dueAt: number): Promise<void> {
    const index = turn++
    const domain = DOMAINS[index % DOMAINS.length] as string
    const payment = kind === 'paid' ? { payment: await payer.sign() } : {}
    const [path, request] = requestFor(kind, domain, index)
    const headers = { ...request.headers, 'x-forwarded-for': addressOf(index % CALLERS) }
    const heard = await sendRequest(url + path, { ...request, ...payment, headers, agent })
    if (kind === 'check') answers.latencies.push(performance.now() - dueAt)
    const outcome = kind === 'MCP' ? toolOutcomeOf(heard) : describeOutcome(heard)
    count(answers, `${kind.padEnd(8)}  ${outcome}`)
  }

  return {
    async runClosedLoop(atOnce, seconds) {
      const answers: Answers = { counts: {}, latencies: [] }
      const end = performance.now() + seconds * 1_000
      const caller = async () => {
        while (performance.now() < end) await send(answers, kindOf(turn), performance.now())
      }
      await Promise.all(Array.from({ length: atOnce }, caller))
      return answers
    },
    async runAtRate(perSecond, seconds) {
      const answers: Answers = { counts: {}, latencies: [] }
      const begin = performance.now()
      const sending = new Set<Promise<void>>()
      const start = (kind: Kind, dueAt: number) => {
        const one = send(answers, kind, dueAt).finally(() => sending.delete(one))
        sending.add(one)
      }
      for (let due = 0; due < perSecond * seconds; ) {
        const elapsed = (performance.now() - begin) / 1_000
        for (; due < Math.min(elapsed, seconds) * perSecond; due++) {
          // A sale every second.
          const isSale = due % Math.round(perSecond) === 0
          if (sending.size < CONNECTIONS)
            start(isSale ? 'paid' : kindOf(due), begin + (due / perSecond) * 1_000)
          else count(answers, NOT_SENT)
        }
        await delay(TICK_MS)
      }
      await Promise.all(sending)
      return answers
    },
  }
}

function count({ counts }: Answers, outcome: string): void {
  counts[outcome] = (counts[outcome] ?? 0) + 1
}

function kindOf(count: number): Kind {
  const kinds: Record<number, Kind> = { 3: 'unpaid', 9: 'one part', 15: 'MCP' }
  return kinds[count % 20] ?? 'check'
}

function requestFor(kind: Kind, domain: string, count: number): [string, CallerRequest] {
  switch (kind) {
    case 'check':
      return [`/v1/check?domain=${domain}`, {}]
    case 'one part':
      return [`/v1/${PARTS[Math.floor(count / 20) % PARTS.length]}?domain=${domain}`, {}]
    case 'unpaid':
    case 'paid':
      return [`/v1/score?domain=${domain}`, {}]
    case 'MCP': {
      const body = JSON.stringify(toolCallMessage('check_domain_email_security', { domain }))
      return ['/mcp', { body, headers: { accept: 'application/json, text/event-stream' } }]
    }
  }
}

const addressOf = (index: number) => `198.18.${Math.floor(index / 250)}.${1 + (index % 250)}`

/** As the same problem over HTTP. */
function toolOutcomeOf(heard: CallerResponse): string {
  const { isError, structuredContent } = heard.body?.result ?? {}
  return describeOutcome(isError ? { ...heard, ...structuredContent } : heard)
}
