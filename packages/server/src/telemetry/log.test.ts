import { expect, test } from 'vitest'
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

/** Who has said what, at which level. */
function story() {
  const said: string[] = []
  const at = (level: string) => (_: object, message: string) => said.push(`${level} ${message}`)
  const logger = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
  return { said, log: createAppLog(logger as never) }
}

test('what anybody can have without end is no line for the disk, and everything else is', () => {
  const { said, log } = story()
  log.request(LINE)
  log.request({ ...LINE, status: 429, problem: 'rate_limited' })
  log.request({ ...LINE, status: 402, problem: 'payment_required' })
  log.request({ ...LINE, status: 503, problem: 'overloaded' })
  expect(said).toEqual(['info request', 'debug request', 'debug request', 'info request'])
})

test('a sale that failed by what we depend on is a warning', () => {
  const { said, log } = story()
  const sale = { requestId: 'id-1', operation: 'score', usd: 0, durationMs: 1 }
  log.payment({ ...sale, outcome: 'sold', usd: 0.01, cause: null })
  log.payment({ ...sale, outcome: 'ledger_unavailable', cause: 'the ledger cannot be reached' })
  expect(said).toEqual(['info sale', 'warn sale'])
})

test('others hear of the same events', () => {
  const { said, log } = story()
  const heard: string[] = []
  const told = teeLog(log, {
    request: ({ operation }) => heard.push(`request ${operation}`),
    rateLimitExceeded: (caller) => heard.push(`limited ${caller}`),
  })
  told.request(LINE)
  told.rateLimitExceeded('192.0.2.1')
  told.toolCall({ requestId: 'id-1', tool: 'pricing', outcome: 'ok', durationMs: 1 })
  expect(said).toEqual(['info request', 'info tool'])
  expect(heard).toEqual(['request score', 'limited 192.0.2.1'])
})
