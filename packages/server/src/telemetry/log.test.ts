import { describe, expect, test } from 'vitest'
import { createAppLog, teeLog } from './log.js'

const LINE = {
  requestId: 'id-1',
  method: 'GET',
  route: '/v1/score',
  operation: 'score',
  status: 200,
  problem: null,
  durationMs: 1,
  isAborted: false,
}
const PAYMENT = { requestId: 'id-1', operation: 'score', usd: 0, durationMs: 1, cause: null }
const TOOL_CALL = { requestId: 'id-1', tool: 'pricing', outcome: 'ok', durationMs: 1 }
const DNS_QUERY = { resolver: 'r', outcome: 'records', durationMs: 1 } as const

/** A log that records the level and the message of each line. */
function recordingLog() {
  const lines: string[] = []
  const at = (level: string) => (_: unknown, message?: string) => {
    lines.push(`${level} ${message}`)
  }
  const logger = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
  return { lines, log: createAppLog(logger) }
}

test('logs 402 and 429 at debug, other requests at info', () => {
  const { lines, log } = recordingLog()
  log.request(LINE)
  log.request({ ...LINE, status: 429, problem: 'rate_limited' })
  log.request({ ...LINE, status: 402, problem: 'payment_required' })
  log.request({ ...LINE, status: 503, problem: 'overloaded' })
  expect(lines).toEqual(['info request', 'debug request', 'debug request', 'info request'])
})

test('logs a payment that failed because of a dependency as a warning', () => {
  const { lines, log } = recordingLog()
  log.payment({ ...PAYMENT, outcome: 'sold', usd: 0.01 })
  log.payment({ ...PAYMENT, outcome: 'ledger_unavailable', cause: 'the ledger cannot be reached' })
  expect(lines).toEqual(['info payment', 'warn payment'])
})

describe('teeLog', () => {
  test('sends every event but problems to the log and to the other', () => {
    const { lines, log } = recordingLog()
    const counted: string[] = []
    const tee = teeLog(log, {
      request: ({ operation }) => counted.push(`request ${operation}`),
      payment: ({ outcome }) => counted.push(`payment ${outcome}`),
      toolCall: ({ tool }) => counted.push(`tool call ${tool}`),
      dnsQuery: ({ resolver }) => counted.push(`dns query ${resolver}`),
      rateLimitExceeded: (caller) => counted.push(`rate limit ${caller}`),
      error: (error) => counted.push(`error ${error}`),
    })
    tee.request(LINE)
    tee.problem('internal', 'cause', 'id-1')
    tee.payment({ ...PAYMENT, outcome: 'sold' })
    tee.toolCall(TOOL_CALL)
    tee.dnsQuery(DNS_QUERY)
    tee.rateLimitExceeded('192.0.2.1')
    tee.error('broken', 'id-1')
    expect(lines).toEqual([
      'info request',
      'debug problem',
      'info payment',
      'info tool call',
      'error internal error',
      'debug internal error',
    ])
    expect(counted).toEqual([
      'request score',
      'payment sold',
      'tool call pricing',
      'dns query r',
      'rate limit 192.0.2.1',
      'error broken',
    ])
  })
})
