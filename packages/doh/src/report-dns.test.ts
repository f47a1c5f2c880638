import { getEventListeners, once } from 'node:events'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  type AbortableDns,
  type DnsAnswer,
  failed,
  type QuerySignal,
  queryAll,
  type RecordType,
  toQueryMethod,
} from './dns.js'
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
function createTestDns(hasQueryEach: boolean) {
  const sent = new Map<string, (answer: DnsAnswer) => void>()
  const cancelled: string[] = []
  const signals = new Set<QuerySignal | undefined>()
  const join = createSingleFlight(({ dnsParameter: query }, sink) => {
    sent.set(query, (answer) => sink.onAnswer(answer))
    return { cancel: () => cancelled.push(query) }
  })
  const encode = (name: string, type: RecordType) => ({
    name,
    type,
    dnsParameter: `${type} ${name}`,
  })
  const dns: AbortableDns = {
    query: toQueryMethod((name, type, signal) => {
      signals.add(signal)
      return new Promise((resolve) => join(encode(name, type), resolve, 0, signal))
    }),
    ...(hasQueryEach && {
      queryEach(queries, onAnswer, signal) {
        signals.add(signal)
        for (const [index, { name, type }] of queries.entries()) {
          join(encode(name, type), onAnswer, index, signal)
        }
      },
    }),
  }
  return { dns, sent, cancelled, signals }
}

describe.each([
  ['query and queryEach', true],
  ['query only', false],
])('a Dns with %s', (_, hasQueryEach) => {
  const setUp = () => createTestDns(hasQueryEach)

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
      const answers = ['a.test', 'b.test', 'c.test', 'd.test'].map((name) =>
        report.query(name, 'A'),
      )
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
      ['the message', { records: [[]], octets: 140_000 }],
      ['character-strings', { records: [Array(200_000).fill('x') as string[]] }],
      [
        'mail servers',
        { records: Array(300).fill({ preference: 1, exchange: 'x'.repeat(1_000) }) },
      ],
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
})

describe('queryAll', () => {
  const text = (name: string) => ({ name, type: 'TXT' as const })
  const open = (maxQueries = 250) => {
    const fixture = createTestDns(true)
    const waves: string[][] = []
    const { queryEach } = fixture.dns
    fixture.dns.queryEach = (queries, ...rest) => {
      waves.push(queries.map(({ name, type }) => `${type} ${name}`))
      queryEach?.(queries, ...rest)
    }
    const report = createReportDns(fixture.dns, { deadlineMs: DEADLINE_MS, maxQueries })
    return { ...fixture, report, waves }
  }

  test('sends the queries together and returns the answers in their order', async () => {
    const { report, sent, waves } = open()
    const answers = queryAll(report, [text('a.test'), text('b.test')])
    expect(waves).toEqual([['TXT a.test', 'TXT b.test']])
    sent.get('TXT b.test')?.(found('r2'))
    sent.get('TXT a.test')?.(found('r1'))
    expect(await answers).toEqual([found('r1'), found('r2')])
    expect(report.queries).toEqual([text('a.test'), text('b.test')])
    expect(report.resolvers()).toEqual(['r2', 'r1'])
    report.close()
  })

  test('shares its answers with other queries, before and after', async () => {
    const { report, sent, waves } = open()
    const alone = report.query('a.test', 'TXT')
    const first = queryAll(report, [text('a.test'), text('b.test'), text('b.test')])
    const second = queryAll(report, [text('b.test'), text('a.test')])
    expect(waves).toEqual([['TXT a.test'], ['TXT b.test']])
    sent.get('TXT a.test')?.(found('r1'))
    // An answer does not wait for the others that were sent with it.
    expect(await alone).toEqual(found('r1'))
    sent.get('TXT b.test')?.(found('r2'))
    expect(await first).toEqual([found('r1'), found('r2'), found('r2')])
    expect(await second).toEqual([found('r2'), found('r1')])
    expect(await queryAll(report, [text('a.test')])).toEqual([found('r1')])
    expect(waves).toHaveLength(2)
    report.close()
  })

  test('passes on the answer to one query before the rest is answered', async () => {
    const { report, sent } = open()
    void queryAll(report, [text('a.test'), text('slow.test')])
    const answer = report.query('a.test', 'TXT')
    sent.get('TXT a.test')?.(found('r1'))
    expect(await answer).toEqual(found('r1'))
    report.close()
  })

  test('of no queries returns no answers', async () => {
    const { report, waves } = open()
    expect(await queryAll(report, [])).toEqual([])
    expect(waves).toEqual([])
    report.close()
  })

  test('sends only what the limit allows', async () => {
    const { report, sent, waves } = open(2)
    const answers = queryAll(report, [text('a.test'), text('b.test'), text('c.test')])
    expect(waves).toEqual([['TXT a.test', 'TXT b.test']])
    sent.get('TXT a.test')?.(found('r1'))
    sent.get('TXT b.test')?.(found('r2'))
    expect(await answers).toEqual([
      found('r1'),
      found('r2'),
      failed('budget', 'the report’s limit of 2 DNS queries is used up'),
    ])
    report.close()
  })

  test('aborts only the queries after the first 20 when there are too many octets', async () => {
    const { report, sent, cancelled, waves } = open()
    const names = Array.from({ length: 22 }, (_, at) => text(`${at}.test`))
    const answers = queryAll(report, names)
    expect(waves.map((wave) => wave.length)).toEqual([20, 2])
    sent.get('TXT 0.test')?.(found('r1', [['x'.repeat(140_000)]]))
    await report.query('0.test', 'TXT')
    expect(cancelled).toEqual(['TXT 20.test', 'TXT 21.test'])
    for (let at = 1; at < 20; at++) sent.get(`TXT ${at}.test`)?.(found('r1'))
    const reasons = (await answers).map((answer) => answer.kind === 'failed' && answer.reason)
    expect(reasons).toEqual([...Array(20).fill(false), 'budget', 'budget'])
    report.close()
  })

  test('times out at the deadline, also when it starts later', async () => {
    const { report, sent } = open()
    const answers = queryAll(report, [text('a.test'), text('b.test')])
    sent.get('TXT b.test')?.(found('r1'))
    vi.advanceTimersByTime(DEADLINE_MS)
    expect(await answers).toEqual([TIMED_OUT, found('r1')])
    expect(await queryAll(report, [text('c.test'), text('d.test')])).toEqual([TIMED_OUT, TIMED_OUT])
    report.close()
  })

  test('is left to the caller when the Dns knows only query', () => {
    const { dns } = createTestDns(false)
    const report = createReportDns(dns, { deadlineMs: DEADLINE_MS })
    expect(report.queryAll).toBeUndefined()
    report.close()
  })
})

test('a Dns of the caller may listen to the signal with every query, without a warning', async () => {
  const leaks: Error[] = []
  const onWarning = (warning: Error) => {
    if (warning.name === 'MaxListenersExceededWarning') leaks.push(warning)
  }
  process.on('warning', onWarning)
  const signals = new Set<AbortSignal | undefined>()
  const dns: AbortableDns = {
    query: toQueryMethod(async (_name, _type, signal) => {
      signals.add(signal)
      await once(signal as AbortSignal, 'abort')
      return ABORTED
    }),
  }
  const reportDns = createReportDns(dns, { deadlineMs: DEADLINE_MS })
  const answers = Array.from({ length: 19 }, (_, index) => reportDns.query(`${index}.test`, 'A'))
  reportDns.close()
  await Promise.all(answers)
  await new Promise(setImmediate)
  process.off('warning', onWarning)
  expect([signals.size, leaks]).toEqual([1, []])
})
