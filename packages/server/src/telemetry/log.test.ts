import { findUnsafe, UNSAFE_TEXT } from '@mailgrade/testing/unsafe-characters'
import { describe, expect, test } from 'vitest'
import { createAppLog, createLogger, teeLog } from './log.js'

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
const PAYMENT = {
  requestId: 'id-1',
  operation: 'score',
  usd: 0,
  reference: null,
  transaction: null,
  durationMs: 1,
  cause: null,
}
const TOOL_CALL = { requestId: 'id-1', tool: 'pricing', outcome: 'ok', durationMs: 1 }
const DNS_QUERY = { resolver: 'r', outcome: 'records', durationMs: 1 } as const

/** A log that records the level and the message of each line, and the fields. */
function recordingLog() {
  const lines: string[] = []
  const fields: unknown[] = []
  const at = (level: string) => (line: unknown, message?: string) => {
    lines.push(`${level} ${message}`)
    fields.push(line)
  }
  const logger = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
  const aboveDebug = () => lines.filter((line) => !line.startsWith('debug '))
  return { lines, fields, aboveDebug, log: createAppLog(logger) }
}

const repeat = (times: number, work: () => void) => {
  for (let time = 0; time < times; time++) work()
}

test('logs reports and our own failures at info, everything else at debug', () => {
  const { lines, log } = recordingLog()
  log.request(LINE)
  log.request({ ...LINE, status: 503, problem: 'overloaded' })
  log.request({ ...LINE, status: 429, problem: 'rate_limited' })
  log.request({ ...LINE, status: 402, problem: 'payment_required' })
  log.request({ ...LINE, status: 400, problem: 'invalid_input' })
  log.request({ ...LINE, status: 404, problem: 'not_found', route: null, operation: null })
  log.request({ ...LINE, route: '/healthz', operation: null })
  log.request({ ...LINE, status: 400, route: '/mcp', operation: null })
  log.rejectedRequest('id-1', 'headers_too_large', 431)
  log.toolCall(TOOL_CALL)
  log.toolCall({ ...TOOL_CALL, outcome: 'internal' })
  log.toolCall({ ...TOOL_CALL, outcome: 'rate_limited' })
  expect(lines).toEqual([
    'info request',
    'info request',
    'debug request',
    'debug request',
    'debug request',
    'debug request',
    'debug request',
    'debug request',
    'debug rejected request',
    'info tool call',
    'info tool call',
    'debug tool call',
  ])
})

describe('what strangers can cause without limit', () => {
  test('is one line with a number for each kind', () => {
    const { aboveDebug, fields, log } = recordingLog()
    repeat(10_000, () => {
      log.request({ ...LINE, status: 404, problem: 'not_found', route: null, operation: null })
      log.request({ ...LINE, status: 400, problem: 'invalid_input' })
      log.request({ ...LINE, status: 429, problem: 'rate_limited' })
      log.request({ ...LINE, route: '/healthz', operation: null })
      log.request({ ...LINE, status: 400, route: '/mcp', operation: null })
      log.toolCall({ ...TOOL_CALL, outcome: 'rate_limited' })
      log.payment({ ...PAYMENT, outcome: 'invalid_signature' })
      log.rejectedRequest('id-1', 'headers_too_large', 431)
    })
    expect(aboveDebug()).toEqual([])
    log.writeCounts()
    expect(aboveDebug()).toEqual(['info counted, not logged'])
    expect(fields.at(-1)).toEqual({
      counts: {
        '404 not_found': 10_000,
        '400 invalid_input': 10_000,
        '429 rate_limited': 10_000,
        '200 /healthz': 10_000,
        '400 /mcp': 10_000,
        'tool call rate_limited': 10_000,
        'payment invalid_signature': 10_000,
        '431 headers_too_large': 10_000,
      },
    })
  })

  test('is counted again from zero afterwards, and nothing is written without any', () => {
    const { aboveDebug, fields, log } = recordingLog()
    log.rejectedRequest('id-1', 'headers_too_large', 431)
    log.writeCounts()
    log.writeCounts()
    log.rejectedRequest('id-1', 'headers_too_large', 431)
    log.writeCounts()
    expect(aboveDebug()).toEqual(['info counted, not logged', 'info counted, not logged'])
    expect(fields.at(-1)).toEqual({ counts: { '431 headers_too_large': 1 } })
  })
})

describe('in one minute', () => {
  test('logs 60 failures of each kind and counts the others', () => {
    const { aboveDebug, fields, log } = recordingLog()
    repeat(100, () => {
      log.error(new Error('broken'), 'id-1')
      log.request({ ...LINE, status: 500, problem: 'internal' })
      log.request({ ...LINE, status: 502, problem: 'dns_unavailable' })
      log.payment({ ...PAYMENT, outcome: 'facilitator_unavailable', cause: 'no answer' })
    })
    const written = aboveDebug()
    expect(written.filter((line) => line === 'error internal error')).toHaveLength(60)
    expect(written.filter((line) => line === 'info request')).toHaveLength(120)
    expect(written.filter((line) => line === 'warn payment')).toHaveLength(60)
    log.writeCounts()
    expect(fields.at(-1)).toEqual({
      counts: {
        'internal error': 40,
        '500 internal': 40,
        '502 dns_unavailable': 40,
        'payment facilitator_unavailable': 40,
      },
    })
  })

  test('logs 1,000 reports and counts the others, and begins again with the next', () => {
    const { aboveDebug, fields, log } = recordingLog()
    repeat(600, () => log.request(LINE))
    repeat(600, () => log.toolCall(TOOL_CALL))
    expect(aboveDebug()).toHaveLength(1_000)
    log.writeCounts()
    expect(fields.at(-1)).toEqual({ counts: { 'tool call ok': 200 } })
    log.request(LINE)
    expect(aboveDebug().at(-1)).toBe('info request')
  })

  test('logs every payment that was settled', () => {
    const { lines, log } = recordingLog()
    repeat(5_000, () => log.payment({ ...PAYMENT, outcome: 'delivered', usd: 0.01 }))
    expect(lines).toHaveLength(5_000)
    expect(new Set(lines)).toEqual(new Set(['info payment']))
  })
})

test('logs a payment that failed because of a dependency, as a warning if its cause is known', () => {
  const { lines, log } = recordingLog()
  log.payment({ ...PAYMENT, outcome: 'dns_unavailable' })
  log.payment({ ...PAYMENT, outcome: 'delivered', usd: 0.01 })
  log.payment({ ...PAYMENT, outcome: 'ledger_unavailable', cause: 'the ledger cannot be reached' })
  expect(lines).toEqual(['info payment', 'info payment', 'warn payment'])
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
    tee.payment({ ...PAYMENT, outcome: 'delivered', usd: 0.01 })
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
      'payment delivered',
      'tool call pricing',
      'dns query r',
      'rate limit 192.0.2.1',
      'error broken',
    ])
  })
})

test('a line has no unsafe character of what a facilitator says, and is the same data', () => {
  const lines: string[] = []
  const logger = createLogger('info', { write: (line) => void lines.push(line) })
  logger.warn({ cause: UNSAFE_TEXT }, UNSAFE_TEXT)
  expect(findUnsafe(lines.join(''))).toEqual([])
  expect(lines.join('').trim().split('\n')).toHaveLength(1)
  expect(JSON.parse(lines.join(''))).toMatchObject({ cause: UNSAFE_TEXT, msg: UNSAFE_TEXT })
})
