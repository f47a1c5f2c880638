/** Requests of all kinds, in a closed loop or at a fixed rate. */
import { Agent } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { BENCH_DOMAINS } from '../../../../bench/bench-zones.js'
import { toolCallMessage } from '../support/mcp-message.js'
import { describeOutcome } from './outcome-counts.js'
import { type CallerRequest, type CallerResponse, sendRequest } from './send-request.js'
import type { SoakEnvironment } from './soak-environment.js'

export interface SoakTraffic {
  /** Each of so many callers sends its next request when the last one is answered. */
  runClosedLoop(callers: number, seconds: number): Promise<SoakResult>
  /**
   * Sends at a fixed rate, whether or not earlier requests are answered. A request that is due
   * while every connection is busy is not sent, and is counted as such.
   */
  runAtRate(perSecond: number, seconds: number): Promise<SoakResult>
}

interface SoakResult {
  /** By kind and outcome. */
  readonly counts: Record<string, number>
  /** Of full checks, in milliseconds from when the request was due. */
  readonly latencies: number[]
}

type Kind = 'check' | 'single check' | 'MCP' | 'unpaid' | 'paid'

const SINGLE_CHECKS = ['mx', 'spf', 'dmarc', 'dkim']
/** So many that no caller comes near the rate limit. */
const CALLERS = 20_000
const TICK_MS = 10
export const NOT_SENT = 'not sent, every connection was busy'
/** Used in turn: once all are open, none is idle long enough to be closed. */
export const CONNECTIONS = 64
const KIND_WIDTH = 12

/** As the counts name it. */
export const formatOutcome = (kind: string, outcome: string) =>
  `${kind.padEnd(KIND_WIDTH)}  ${outcome}`

export function createSoakTraffic({ url, payer }: SoakEnvironment): SoakTraffic {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS, scheduling: 'fifo' })
  let sent = 0

  async function send(result: SoakResult, kind: Kind, dueAt: number): Promise<void> {
    const index = sent++
    const domain = BENCH_DOMAINS[index % BENCH_DOMAINS.length] as string
    const payment = kind === 'paid' ? { payment: await payer.sign() } : {}
    const [path, request] = createRequest(kind, domain, index)
    const headers = { ...request.headers, 'x-forwarded-for': callerAddress(index % CALLERS) }
    const response = await sendRequest(url + path, { ...request, ...payment, headers, agent })
    if (kind === 'check') result.latencies.push(performance.now() - dueAt)
    const outcome = kind === 'MCP' ? describeToolOutcome(response) : describeOutcome(response)
    count(result, formatOutcome(kind, outcome))
  }

  return {
    async runClosedLoop(callers, seconds) {
      const result: SoakResult = { counts: {}, latencies: [] }
      const end = performance.now() + seconds * 1_000
      const run = async () => {
        while (performance.now() < end) await send(result, pickKind(sent), performance.now())
      }
      await Promise.all(Array.from({ length: callers }, run))
      return result
    },
    async runAtRate(perSecond, seconds) {
      const result: SoakResult = { counts: {}, latencies: [] }
      const beginAt = performance.now()
      const sending = new Set<Promise<void>>()
      const start = (kind: Kind, dueAt: number) => {
        const one = send(result, kind, dueAt).finally(() => sending.delete(one))
        sending.add(one)
      }
      for (let due = 0; due < perSecond * seconds; ) {
        const elapsed = (performance.now() - beginAt) / 1_000
        for (; due < Math.min(elapsed, seconds) * perSecond; due++) {
          // One payment per second.
          const isPaid = due % Math.round(perSecond) === 0
          if (sending.size < CONNECTIONS)
            start(isPaid ? 'paid' : pickKind(due), beginAt + (due / perSecond) * 1_000)
          else count(result, NOT_SENT)
        }
        await delay(TICK_MS)
      }
      await Promise.all(sending)
      return result
    },
  }
}

function count({ counts }: SoakResult, outcome: string): void {
  counts[outcome] = (counts[outcome] ?? 0) + 1
}

function pickKind(index: number): Kind {
  const kinds: Record<number, Kind> = { 3: 'unpaid', 9: 'single check', 15: 'MCP' }
  return kinds[index % 20] ?? 'check'
}

function createRequest(kind: Kind, domain: string, index: number): [string, CallerRequest] {
  switch (kind) {
    case 'check':
      return [`/v1/check?domain=${domain}`, {}]
    case 'single check': {
      const check = SINGLE_CHECKS[Math.floor(index / 20) % SINGLE_CHECKS.length]
      return [`/v1/${check}?domain=${domain}`, {}]
    }
    case 'unpaid':
    case 'paid':
      return [`/v1/score?domain=${domain}`, {}]
    case 'MCP': {
      const body = JSON.stringify(toolCallMessage('check_domain_email_security', { domain }))
      return ['/mcp', { body, headers: { accept: 'application/json, text/event-stream' } }]
    }
  }
}

const callerAddress = (index: number) => `198.18.${Math.floor(index / 250)}.${1 + (index % 250)}`

/** A tool error counts like the same problem over HTTP. */
function describeToolOutcome(response: CallerResponse): string {
  const { isError, structuredContent } = response.body?.result ?? {}
  return describeOutcome(isError ? { ...response, ...structuredContent } : response)
}
