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

const found = (resolver: string, records: readonly unknown[] = [['x']]) => ({
  kind: 'records' as const,
  records: records as string[][],
  ttl: 60,
  authenticated: false,
  cnames: [],
  extendedError: null,
  resolver,
})
const ABORTED = failed('aborted', 'the caller aborted the query')
const TIMED_OUT = failed('timeout', 'the deadline for DNS queries passed')

/** A `Dns` with abortable queries that the test answers. */
function setUp() {
  const join = createSingleFlight()
  const sent = new Map<string, (answer: DnsAnswer) => void>()
  const cancelled: string[] = []
  const signals = new Set<AbortSignal | undefined>()
  const dns = {
    query(name: string, type: RecordType, signal?: AbortSignal) {
      signals.add(signal)
      const query = `${type} ${name}`
      return join(
        query,
        (done) => {
          sent.set(query, done)
          return () => cancelled.push(query)
        },
        signal,
      )
    },
  } as AbortableDns
  return { dns, sent, cancelled, signals }
}

describe('queries', () => {
  test('are sent once; a repeated query gets the same answer', async () => {
    const { dns, sent } = setUp()
    const report = createReportDns(dns, { deadlineMs: DEADLINE_MS })
    const first = report.query('acme.test', 'TXT')
    const meanwhile = report.query('acme.test', 'TXT')
    sent.get('TXT acme.test')?.(found('r1'))
    sent.clear()
    expect(await first).toEqual(found('r1'))
    expect(await meanwhile).toEqual(found('r1'))
    expect(await report.query('acme.test', 'TXT')).toEqual(found('r1'))
    expect([...sent.keys()]).toEqual([])
    report.close()
  })

  test('of another type or name are sent separately', () => {
    const { dns, sent } = setUp()
    const report = createReportDns(dns, { deadlineMs: DEADLINE_MS })
    void report.query('acme.test', 'TXT')
    void report.query('acme.test', 'MX')
    void report.query('mail.acme.test', 'TXT')
    expect([...sent.keys()]).toEqual(['TXT acme.test', 'MX acme.test', 'TXT mail.acme.test'])
    report.close()
  })

  test('are listed in the order they were sent', async () => {
    const { dns, sent } = setUp()
    const report = createReportDns(dns, { deadlineMs: DEADLINE_MS })
    const answers = [
      report.query('a.test', 'A'),
      report.query('b.test', 'MX'),
      report.query('a.test', 'A'),
    ]
    sent.get('MX b.test')?.(found('r1'))
    sent.get('A a.test')?.(found('r2'))
    await Promise.all(answers)
    expect(report.queries).toEqual([
      { name: 'a.test', type: 'A' },
      { name: 'b.test', type: 'MX' },
    ])
    report.close()
  })

  test('list their resolvers once, in order of the first answer', async () => {
    const { dns, sent } = setUp()
    const report = createReportDns(dns, { deadlineMs: DEADLINE_MS })
    const answers = ['a.test', 'b.test', 'c.test', 'd.test'].map((name) => report.query(name, 'A'))
    expect(report.resolvers()).toEqual([])
    sent.get('A b.test')?.(found('r2'))
    sent.get('A a.test')?.(found('r1'))
    sent.get('A c.test')?.(found('r2'))
    sent.get('A d.test')?.(failed('timeout', 'r3 did not answer', { resolver: 'r3' }))
    await Promise.all(answers)
    expect(report.resolvers()).toEqual(['r2', 'r1'])
    report.close()
  })

  test('beyond the limit fail, are not sent and are not listed', async () => {
    const { dns, sent } = setUp()
    const report = createReportDns(dns, { deadlineMs: DEADLINE_MS, maxQueries: 2 })
    void report.query('a.test', 'A')
    void report.query('b.test', 'A')
    expect(await report.query('c.test', 'A')).toEqual(
      failed('budget', 'the report’s limit of 2 DNS queries is used up'),
    )
    expect([...sent.keys()]).toEqual(['A a.test', 'A b.test'])
    expect(report.queries).toHaveLength(2)
    // Earlier queries are still answered.
    sent.get('A a.test')?.(found('r1'))
    expect(await report.query('a.test', 'A')).toEqual(found('r1'))
    report.close()
  })

  test('are limited to 250 by default', async () => {
    const { dns, sent } = setUp()
    const report = createReportDns(dns, { deadlineMs: DEADLINE_MS })
    const last = Array.from({ length: 251 }, (_, index) => report.query(`${index}.test`, 'A')).at(
      -1,
    )
    expect(sent.size).toBe(250)
    expect(await last).toMatchObject({ kind: 'failed', reason: 'budget' })
    report.close()
  })
})

describe('octets of answers', () => {
  const large = (octets: number) => found('r1', [['x'.repeat(octets)]])
  const OVER_LIMIT = failed('budget', 'the report’s limit of 128 KiB of DNS answers is used up')

  /** Sends so many queries; the first is for `0.test`. */
  function send(count: number) {
    const { dns, sent, cancelled } = setUp()
    const report = createReportDns(dns, { deadlineMs: DEADLINE_MS })
    const answers = Array.from({ length: count }, (_, at) => report.query(`${at}.test`, 'TXT'))
    const answer = (at: number, octets: number) => sent.get(`TXT ${at}.test`)?.(large(octets))
    return { report, answers, answer, sent, cancelled }
  }

  test('are limited to 128 KiB: later queries fail, and those in flight are cancelled', async () => {
    const { report, answers, answer, cancelled } = send(23)
    answer(0, 100_000)
    await answers[0]
    expect(cancelled).toEqual([])
    answer(1, 40_000)
    expect(await answers[1]).toMatchObject({ kind: 'records' })
    expect(cancelled).toEqual(['TXT 20.test', 'TXT 21.test', 'TXT 22.test'])
    expect(await Promise.all(answers.slice(20))).toEqual([OVER_LIMIT, OVER_LIMIT, OVER_LIMIT])
    expect(await report.query('more.test', 'TXT')).toEqual(OVER_LIMIT)
    expect(report.queries).toHaveLength(23)
    report.close()
  })

  test('do not limit the first 20 queries, which are for what a report must know', async () => {
    const { report, answers, answer } = send(20)
    for (let at = 0; at < 20; at++) answer(at, 65_000)
    const kinds = (await Promise.all(answers)).map(({ kind }) => kind)
    expect(kinds).toEqual(Array(20).fill('records'))
    expect(await report.query('more.test', 'TXT')).toEqual(OVER_LIMIT)
    report.close()
  })

  test.each<[string, object]>([
    ['records', { records: Array(2_731).fill('192.0.2.1') as string[] }],
    ['character-strings', { records: [Array(200_000).fill('x') as string[]] }],
    ['mail servers', { records: Array(300).fill({ preference: 1, exchange: 'x'.repeat(1_000) }) }],
    ['CNAME records', { cnames: Array(300).fill('x'.repeat(1_000)) as string[] }],
  ])('count %s', async (_, parts) => {
    const { report, answers, sent, cancelled } = send(21)
    sent.get('TXT 0.test')?.({ ...found('r1'), ...parts })
    await answers[0]
    expect(cancelled).toEqual(['TXT 20.test'])
    report.close()
  })

  test('of texts do not limit other queries, nor the other way round', async () => {
    const { dns, sent, cancelled } = setUp()
    const report = createReportDns(dns, { deadlineMs: DEADLINE_MS })
    for (let at = 0; at < 20; at++) void report.query(`${at}.test`, 'TXT')
    void report.query('text.test', 'TXT')
    void report.query('text.test', 'SPF')
    const addresses = report.query('mx.test', 'A')
    sent.get('TXT 0.test')?.(large(300_000))
    await report.query('0.test', 'TXT')
    expect(cancelled).toEqual(['TXT text.test', 'SPF text.test'])
    sent.get('A mx.test')?.(found('r1', Array(5_000).fill('192.0.2.1')))
    expect(await addresses).toMatchObject({ records: { length: 5_000 } })
    expect(await report.query('mx.test', 'AAAA')).toEqual(OVER_LIMIT)
    report.close()
  })

  test('leave an answer that came before unchanged', async () => {
    const { report, answer, answers } = send(21)
    answer(20, 300)
    answer(0, 300_000)
    expect(await answers[20]).toEqual(large(300))
    expect(await report.query('20.test', 'TXT')).toEqual(large(300))
    report.close()
  })

  test('close cancels every query in flight', async () => {
    const { report, answers, cancelled } = send(22)
    report.close()
    expect(cancelled).toHaveLength(22)
    expect(await Promise.all(answers)).toEqual(Array(22).fill(ABORTED))
  })
})

describe('deadline', () => {
  test('cancels unanswered queries as timed out', async () => {
    const { dns, sent, cancelled } = setUp()
    const report = createReportDns(dns, { deadlineMs: DEADLINE_MS })
    const [answered, open] = [report.query('a.test', 'A'), report.query('b.test', 'A')]
    sent.get('A a.test')?.(found('r1'))
    vi.advanceTimersByTime(DEADLINE_MS - 1)
    expect(cancelled).toEqual([])
    vi.advanceTimersByTime(1)
    expect(cancelled).toEqual(['A b.test'])
    expect([await answered, await open]).toEqual([found('r1'), TIMED_OUT])
    report.close()
  })

  test('applies to later queries too', async () => {
    const { dns, sent } = setUp()
    const report = createReportDns(dns, { deadlineMs: DEADLINE_MS })
    vi.advanceTimersByTime(DEADLINE_MS)
    expect(await report.query('a.test', 'A')).toEqual(TIMED_OUT)
    expect(sent.size).toBe(0)
    report.close()
    // Closing afterwards does not change the reason.
    expect(await report.query('b.test', 'A')).toEqual(TIMED_OUT)
  })
})

describe('signal', () => {
  test('aborts unanswered queries', async () => {
    const { dns, cancelled } = setUp()
    const caller = new AbortController()
    const report = createReportDns(dns, { deadlineMs: DEADLINE_MS, signal: caller.signal })
    const open = report.query('a.test', 'A')
    caller.abort()
    expect(await open).toEqual(ABORTED)
    expect(cancelled).toEqual(['A a.test'])
    expect(vi.getTimerCount()).toBe(0)
  })

  test('with a TimeoutError counts as aborted, not as our deadline', async () => {
    const { dns } = setUp()
    const caller = new AbortController()
    const report = createReportDns(dns, { deadlineMs: DEADLINE_MS, signal: caller.signal })
    const open = report.query('a.test', 'A')
    caller.abort(new DOMException('theirs', 'TimeoutError'))
    expect(await open).toEqual(ABORTED)
  })

  test('that is already aborted sends nothing and leaves no timer', async () => {
    const { dns, sent } = setUp()
    const signal = AbortSignal.abort()
    const report = createReportDns(dns, { deadlineMs: DEADLINE_MS, signal })
    expect(vi.getTimerCount()).toBe(0)
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
    expect(await report.query('a.test', 'A')).toEqual(ABORTED)
    expect(sent.size).toBe(0)
  })

  test('of one report does not affect another report’s query', async () => {
    const { dns, sent, cancelled } = setUp()
    const caller = new AbortController()
    const leaving = createReportDns(dns, { deadlineMs: DEADLINE_MS, signal: caller.signal })
    const staying = createReportDns(dns, { deadlineMs: DEADLINE_MS })
    const answers = [leaving.query('a.test', 'A'), staying.query('a.test', 'A')]
    caller.abort()
    expect(cancelled).toEqual([])
    sent.get('A a.test')?.(found('r1'))
    expect(await Promise.all(answers)).toEqual([ABORTED, found('r1')])
    staying.close()
  })
})

describe('close', () => {
  test('aborts unanswered queries and leaves no timer or listener', async () => {
    const { dns, cancelled, signals } = setUp()
    const caller = new AbortController()
    const report = createReportDns(dns, { deadlineMs: DEADLINE_MS, signal: caller.signal })
    expect(vi.getTimerCount()).toBe(1)
    expect(getEventListeners(caller.signal, 'abort')).toHaveLength(1)
    const open = report.query('a.test', 'A')

    report.close()

    expect(await open).toEqual(ABORTED)
    expect(cancelled).toEqual(['A a.test'])
    expect(vi.getTimerCount()).toBe(0)
    expect(getEventListeners(caller.signal, 'abort')).toHaveLength(0)
    for (const signal of signals) {
      expect(getEventListeners(signal as AbortSignal, 'abort')).toHaveLength(0)
    }
  })

  test('may be called twice', () => {
    const { dns } = setUp()
    const report = createReportDns(dns, { deadlineMs: DEADLINE_MS })
    report.close()
    report.close()
    expect(vi.getTimerCount()).toBe(0)
  })

  test('100 concurrent queries cause no listener warning', async () => {
    const { dns } = setUp()
    const warnings: Error[] = []
    const listen = (warning: Error) => warnings.push(warning)
    process.on('warning', listen)
    const report = createReportDns(dns, { deadlineMs: DEADLINE_MS })
    const open = Array.from({ length: 100 }, (_, index) => report.query(`${index}.test`, 'A'))
    report.close()
    await Promise.all(open)
    // Warnings are emitted on the next tick.
    await new Promise((resolve) => setImmediate(resolve))
    process.off('warning', listen)
    expect(warnings).toEqual([])
  })
})
