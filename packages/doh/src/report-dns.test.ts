import { getEventListeners } from 'node:events'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type AbortableDns, type DnsAnswer, failed, type RecordType } from './dns.js'
import { createReportDns } from './report-dns.js'
import { createSingleFlight } from './single-flight.js'

const DEADLINE_MS = 5_000

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const found = (resolver: string): DnsAnswer => ({
  kind: 'records',
  records: [['x']],
  ttl: 60,
  authenticated: false,
  cnames: [],
  extendedError: null,
  resolver,
})
const ABORTED = failed('aborted', 'the caller aborted the query')
const TIMED_OUT = failed('timeout', 'the deadline for DNS queries passed')

/** A DNS that gives up as the live one does, and answers when the test says so. */
function setUp() {
  const join = createSingleFlight()
  const asked = new Map<string, (answer: DnsAnswer) => void>()
  const cancelled: string[] = []
  const signals = new Set<AbortSignal | undefined>()
  const dns = {
    query(name: string, type: RecordType, signal?: AbortSignal) {
      signals.add(signal)
      const question = `${type} ${name}`
      return join(
        question,
        (done) => {
          asked.set(question, done)
          return () => cancelled.push(question)
        },
        signal,
      )
    },
  } as AbortableDns
  return { dns, asked, cancelled, signals }
}

describe('questions', () => {
  test('are asked once each: whoever asks again gets the same answer', async () => {
    const { dns, asked } = setUp()
    const lookup = createReportDns(dns, { deadlineMs: DEADLINE_MS })
    const first = lookup.query('acme.test', 'TXT')
    const meanwhile = lookup.query('acme.test', 'TXT')
    asked.get('TXT acme.test')?.(found('r1'))
    asked.clear()
    expect(await first).toEqual(found('r1'))
    expect(await meanwhile).toEqual(found('r1'))
    expect(await lookup.query('acme.test', 'TXT')).toEqual(found('r1'))
    expect([...asked.keys()]).toEqual([])
    lookup.close()
  })

  test('of another type or name are others', () => {
    const { dns, asked } = setUp()
    const lookup = createReportDns(dns, { deadlineMs: DEADLINE_MS })
    lookup.query('acme.test', 'TXT')
    lookup.query('acme.test', 'MX')
    lookup.query('mail.acme.test', 'TXT')
    expect([...asked.keys()]).toEqual(['TXT acme.test', 'MX acme.test', 'TXT mail.acme.test'])
    lookup.close()
  })

  test('are remembered in the order they were asked, not answered', async () => {
    const { dns, asked } = setUp()
    const lookup = createReportDns(dns, { deadlineMs: DEADLINE_MS })
    const answers = [
      lookup.query('a.test', 'A'),
      lookup.query('b.test', 'MX'),
      lookup.query('a.test', 'A'),
    ]
    asked.get('MX b.test')?.(found('r1'))
    asked.get('A a.test')?.(found('r2'))
    await Promise.all(answers)
    expect(lookup.queries).toEqual([
      { name: 'a.test', type: 'A' },
      { name: 'b.test', type: 'MX' },
    ])
    lookup.close()
  })

  test('are answered by these resolvers, each named once, the first to answer first', async () => {
    const { dns, asked } = setUp()
    const lookup = createReportDns(dns, { deadlineMs: DEADLINE_MS })
    const answers = ['a.test', 'b.test', 'c.test', 'd.test'].map((name) => lookup.query(name, 'A'))
    expect(lookup.resolvers()).toEqual([])
    asked.get('A b.test')?.(found('r2'))
    asked.get('A a.test')?.(found('r1'))
    asked.get('A c.test')?.(found('r2'))
    asked.get('A d.test')?.(failed('timeout', 'r3 did not answer', { resolver: 'r3' }))
    await Promise.all(answers)
    expect(lookup.resolvers()).toEqual(['r2', 'r1'])
    lookup.close()
  })

  test('beyond the budget fail, are not asked, and are not in the trace', async () => {
    const { dns, asked } = setUp()
    const lookup = createReportDns(dns, { deadlineMs: DEADLINE_MS, maxQueries: 2 })
    lookup.query('a.test', 'A')
    lookup.query('b.test', 'A')
    expect(await lookup.query('c.test', 'A')).toEqual(
      failed('budget', 'the report’s limit of 2 DNS queries is used up'),
    )
    expect([...asked.keys()]).toEqual(['A a.test', 'A b.test'])
    expect(lookup.queries).toHaveLength(2)
    // What was asked before the budget was spent still has its answer.
    asked.get('A a.test')?.(found('r1'))
    expect(await lookup.query('a.test', 'A')).toEqual(found('r1'))
    lookup.close()
  })

  test('number 250 at most, unless told otherwise', async () => {
    const { dns, asked } = setUp()
    const lookup = createReportDns(dns, { deadlineMs: DEADLINE_MS })
    const last = Array.from({ length: 251 }, (_, index) => lookup.query(`${index}.test`, 'A')).at(
      -1,
    )
    expect(asked.size).toBe(250)
    expect(await last).toMatchObject({ kind: 'failed', reason: 'budget' })
    lookup.close()
  })
})

describe('the deadline', () => {
  test('ends what is unanswered as timed out, and cancels it', async () => {
    const { dns, asked, cancelled } = setUp()
    const lookup = createReportDns(dns, { deadlineMs: DEADLINE_MS })
    const [answered, open] = [lookup.query('a.test', 'A'), lookup.query('b.test', 'A')]
    asked.get('A a.test')?.(found('r1'))
    vi.advanceTimersByTime(DEADLINE_MS - 1)
    expect(cancelled).toEqual([])
    vi.advanceTimersByTime(1)
    expect(cancelled).toEqual(['A b.test'])
    expect([await answered, await open]).toEqual([found('r1'), TIMED_OUT])
    lookup.close()
  })

  test('is the same for a question asked after it', async () => {
    const { dns, asked } = setUp()
    const lookup = createReportDns(dns, { deadlineMs: DEADLINE_MS })
    vi.advanceTimersByTime(DEADLINE_MS)
    expect(await lookup.query('a.test', 'A')).toEqual(TIMED_OUT)
    expect(asked.size).toBe(0)
    lookup.close()
    // Ending afterwards does not turn lateness into leaving.
    expect(await lookup.query('b.test', 'A')).toEqual(TIMED_OUT)
  })
})

describe('the caller', () => {
  test('who hangs up ends what is unanswered', async () => {
    const { dns, cancelled } = setUp()
    const caller = new AbortController()
    const lookup = createReportDns(dns, { deadlineMs: DEADLINE_MS, signal: caller.signal })
    const open = lookup.query('a.test', 'A')
    caller.abort()
    expect(await open).toEqual(ABORTED)
    expect(cancelled).toEqual(['A a.test'])
    expect(vi.getTimerCount()).toBe(0)
  })

  test('whose own time ran out has left all the same: our deadline did not pass', async () => {
    const { dns } = setUp()
    const caller = new AbortController()
    const lookup = createReportDns(dns, { deadlineMs: DEADLINE_MS, signal: caller.signal })
    const open = lookup.query('a.test', 'A')
    caller.abort(new DOMException('theirs', 'TimeoutError'))
    expect(await open).toEqual(ABORTED)
  })

  test('who had hung up before is not asked for, and leaves no timer', async () => {
    const { dns, asked } = setUp()
    const signal = AbortSignal.abort()
    const lookup = createReportDns(dns, { deadlineMs: DEADLINE_MS, signal })
    expect(vi.getTimerCount()).toBe(0)
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
    expect(await lookup.query('a.test', 'A')).toEqual(ABORTED)
    expect(asked.size).toBe(0)
  })

  test('of one report does not end another’s question', async () => {
    const { dns, asked, cancelled } = setUp()
    const caller = new AbortController()
    const leaving = createReportDns(dns, { deadlineMs: DEADLINE_MS, signal: caller.signal })
    const staying = createReportDns(dns, { deadlineMs: DEADLINE_MS })
    const answers = [leaving.query('a.test', 'A'), staying.query('a.test', 'A')]
    caller.abort()
    expect(cancelled).toEqual([])
    asked.get('A a.test')?.(found('r1'))
    expect(await Promise.all(answers)).toEqual([ABORTED, found('r1')])
    staying.close()
  })
})

describe('ending', () => {
  test('gives up what is unanswered, and leaves neither timer nor listener', async () => {
    const { dns, cancelled, signals } = setUp()
    const caller = new AbortController()
    const lookup = createReportDns(dns, { deadlineMs: DEADLINE_MS, signal: caller.signal })
    expect(vi.getTimerCount()).toBe(1)
    expect(getEventListeners(caller.signal, 'abort')).toHaveLength(1)
    const open = lookup.query('a.test', 'A')

    lookup.close()

    expect(await open).toEqual(ABORTED)
    expect(cancelled).toEqual(['A a.test'])
    expect(vi.getTimerCount()).toBe(0)
    expect(getEventListeners(caller.signal, 'abort')).toHaveLength(0)
    for (const signal of signals) {
      expect(getEventListeners(signal as AbortSignal, 'abort')).toHaveLength(0)
    }
  })

  test('may be done twice', () => {
    const { dns } = setUp()
    const lookup = createReportDns(dns, { deadlineMs: DEADLINE_MS })
    lookup.close()
    lookup.close()
    expect(vi.getTimerCount()).toBe(0)
  })

  test('a hundred questions at once are no leak to Node', async () => {
    const { dns } = setUp()
    const warnings: Error[] = []
    const listen = (warning: Error) => warnings.push(warning)
    process.on('warning', listen)
    const lookup = createReportDns(dns, { deadlineMs: DEADLINE_MS })
    const open = Array.from({ length: 100 }, (_, index) => lookup.query(`${index}.test`, 'A'))
    lookup.close()
    await Promise.all(open)
    // Warnings are emitted on the next tick.
    await new Promise((resolve) => setImmediate(resolve))
    process.off('warning', listen)
    expect(warnings).toEqual([])
  })
})
