import { getEventListeners } from 'node:events'
import { describe, expect, test } from 'vitest'
import { type DnsAnswer, failed } from './dns.js'
import { createSingleFlight } from './single-flight.js'

const answerOf = (text: string): DnsAnswer => ({
  kind: 'records',
  records: [[text]],
  ttl: 60,
  authenticated: false,
  cnames: [],
  extendedError: null,
  resolver: 'resolver.test',
})
const ABORTED = failed('aborted', 'the caller aborted the query')
const TIMED_OUT = failed('timeout', 'the deadline for DNS queries passed')

/** Requests are answered when the test calls `done`. */
function setUp() {
  const flights: { key: string; done: (answer: DnsAnswer) => void; isCancelled: boolean }[] = []
  const join = createSingleFlight(({ dnsParameter: key }, sink) => {
    const flight = { key, done: (answer: DnsAnswer) => sink.onAnswer(answer), isCancelled: false }
    flights.push(flight)
    return {
      cancel() {
        flight.isCancelled = true
      },
    }
  })
  return { query: toQuery(join), flights, join }
}

const toQuery =
  (join: ReturnType<typeof createSingleFlight>) =>
  (key: string, signal?: AbortSignal): Promise<DnsAnswer> =>
    new Promise((resolve) =>
      join({ name: key, type: 'TXT', dnsParameter: key }, resolve, 0, signal),
    )

describe('join', () => {
  test('sends equal concurrent queries once and answers all', async () => {
    const { query, flights } = setUp()
    const waiting = [query('one'), query('one'), query('one')]
    expect(flights).toHaveLength(1)
    flights[0]?.done(answerOf('x'))
    expect(await Promise.all(waiting)).toEqual([answerOf('x'), answerOf('x'), answerOf('x')])
  })

  test('sends different queries separately', async () => {
    const { query, flights } = setUp()
    const [one, two] = [query('one'), query('two')]
    expect(flights.map(({ key }) => key)).toEqual(['one', 'two'])
    flights[1]?.done(answerOf('2'))
    flights[0]?.done(answerOf('1'))
    expect([await one, await two]).toEqual([answerOf('1'), answerOf('2')])
  })

  test('keeps nothing after the answer: the same query is sent again', async () => {
    const { query, flights } = setUp()
    const first = query('one')
    flights[0]?.done(answerOf('old'))
    const second = query('one')
    expect(flights).toHaveLength(2)
    flights[1]?.done(answerOf('new'))
    expect([await first, await second]).toEqual([answerOf('old'), answerOf('new')])
  })

  test('delivers an answer that arrives synchronously', async () => {
    const query = toQuery(
      createSingleFlight((_, sink) => {
        sink.onAnswer(answerOf('at once'))
        return { cancel: () => {} }
      }),
    )
    expect(await query('one')).toEqual(answerOf('at once'))
    expect(await query('one')).toEqual(answerOf('at once'))
  })
})

describe('abort', () => {
  test('of one waiter does not affect the others', async () => {
    const { query, flights } = setUp()
    const caller = new AbortController()
    const [aborted, other] = [query('one', caller.signal), query('one')]
    caller.abort()
    expect(await aborted).toEqual(ABORTED)
    expect(flights[0]?.isCancelled).toBe(false)
    flights[0]?.done(answerOf('x'))
    expect(await other).toEqual(answerOf('x'))
  })

  test('of the first waiter does not affect those who joined', async () => {
    const { query, flights } = setUp()
    const callers = [new AbortController(), new AbortController()] as const
    const [first, second] = callers.map(({ signal }) => query('one', signal))
    callers[0].abort()
    flights[0]?.done(answerOf('x'))
    expect([await first, await second]).toEqual([ABORTED, answerOf('x')])
  })

  test('leaves the answer to the other waiters', async () => {
    const { query, flights } = setUp()
    const caller = new AbortController()
    const other = new AbortController()
    const waiting = [
      query('one', other.signal),
      query('one', caller.signal),
      query('one', other.signal),
    ]
    caller.abort()
    flights[0]?.done(answerOf('x'))
    expect(await Promise.all(waiting)).toEqual([answerOf('x'), ABORTED, answerOf('x')])
  })

  test('of the last waiter cancels the request', async () => {
    const { query, flights } = setUp()
    const callers = [new AbortController(), new AbortController()] as const
    const waiting = callers.map(({ signal }) => query('one', signal))
    callers[0].abort()
    expect(flights[0]?.isCancelled).toBe(false)
    callers[1].abort()
    expect(flights[0]?.isCancelled).toBe(true)
    expect(await Promise.all(waiting)).toEqual([ABORTED, ABORTED])
  })

  test('lets the next query start a new request', async () => {
    const { query, flights } = setUp()
    const caller = new AbortController()
    void query('one', caller.signal)
    caller.abort()
    const next = query('one')
    expect(flights).toHaveLength(2)
    flights[1]?.done(answerOf('x'))
    expect(await next).toEqual(answerOf('x'))
  })

  test('keeps a late answer from affecting the next request', () => {
    const { query, flights } = setUp()
    const caller = new AbortController()
    void query('one', caller.signal)
    caller.abort()
    void query('one')
    flights[0]?.done(answerOf('too late'))
    void query('one')
    expect(flights).toHaveLength(2)
  })

  test('of a shared signal ends all its queries', async () => {
    const { query, flights } = setUp()
    const caller = new AbortController()
    const waiting = [
      query('one', caller.signal),
      query('two', caller.signal),
      query('one', caller.signal),
    ]
    caller.abort()
    expect(await Promise.all(waiting)).toEqual([ABORTED, ABORTED, ABORTED])
    expect(flights.map(({ isCancelled }) => isCancelled)).toEqual([true, true])
  })

  test('distinguishes a deadline from a caller that left', async () => {
    const { query } = setUp()
    const caller = new AbortController()
    const waiting = query('one', caller.signal)
    caller.abort(new DOMException('deadline', 'TimeoutError'))
    expect(await waiting).toEqual(TIMED_OUT)
  })

  test('accepts any abort reason', async () => {
    const { query } = setUp()
    const reasons = [null, 'enough', new Error('enough')]
    const answers = reasons.map((reason) => {
      const caller = new AbortController()
      const waiting = query('one', caller.signal)
      caller.abort(reason)
      return waiting
    })
    expect(await Promise.all(answers)).toEqual([ABORTED, ABORTED, ABORTED])
  })

  test('before the query sends nothing', async () => {
    const { query, flights } = setUp()
    expect(await query('one', AbortSignal.abort())).toEqual(ABORTED)
    const deadline = AbortSignal.abort(new DOMException('deadline', 'TimeoutError'))
    expect(await query('one', deadline)).toEqual(TIMED_OUT)
    expect(flights).toHaveLength(0)
  })

  test('uses one listener per signal', async () => {
    const { query, flights } = setUp()
    const caller = new AbortController()
    const [one, two] = [query('one', caller.signal), query('two', caller.signal)]
    expect(getEventListeners(caller.signal, 'abort')).toHaveLength(1)
    flights[0]?.done(answerOf('1'))
    expect(await one).toEqual(answerOf('1'))
    expect(getEventListeners(caller.signal, 'abort')).toHaveLength(1)
    caller.abort()
    expect(await two).toEqual(ABORTED)
    expect(flights.map(({ isCancelled }) => isCancelled)).toEqual([false, true])
  })

  test('after the answer does nothing, and no listener is left', async () => {
    const { query, flights } = setUp()
    const caller = new AbortController()
    const waiting = query('one', caller.signal)
    expect(getEventListeners(caller.signal, 'abort')).toHaveLength(1)
    flights[0]?.done(answerOf('x'))
    await waiting
    expect(getEventListeners(caller.signal, 'abort')).toHaveLength(0)
    caller.abort()
    expect(flights[0]?.isCancelled).toBe(false)
  })
})
