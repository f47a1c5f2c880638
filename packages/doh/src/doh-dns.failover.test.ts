import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type DnsAnswer, type Failed, type FailureReason, failed } from './dns.js'
import { queryWithFailover } from './doh-dns.js'
import type { AnswerSink, DohResolver } from './doh-resolver.js'
import { createTurnTimers } from './turn-timers.js'
import type { EncodedQuery } from './wire/encode-query.js'

const QUERY: EncodedQuery = { name: 'acme.test', type: 'A', dnsParameter: '' }
const HEDGE_MS = 300

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const records = (resolver: string): DnsAnswer => ({
  kind: 'records',
  records: ['192.0.2.7'],
  ttl: 60,
  authenticated: false,
  cnames: [],
  extendedError: null,
  resolver,
})
const nxdomain = (resolver: string): DnsAnswer => ({
  kind: 'nxdomain',
  ttl: null,
  authenticated: false,
  cnames: [],
  extendedError: null,
  resolver,
})
const failure = (reason: FailureReason, resolver: string) =>
  failed(reason, 'in this test', { resolver })

/** A resolver that answers when the test calls `answer`. */
function fakeResolver(name: string) {
  let waiting: AnswerSink | null = null
  const seen: string[] = []
  const state: {
    isAvailable: boolean
    probe: Promise<boolean> | null
    lastFailure: Failed | null
    checks: number
  } = { isAvailable: true, probe: null, lastFailure: null, checks: 0 }
  const resolver: DohResolver = {
    name,
    checkAvailable() {
      state.checks++
      return state.isAvailable
    },
    pendingProbe: () => state.probe,
    lastFailure: () => state.lastFailure,
    query(query, sink) {
      seen.push(`${query.type} ${query.name}`)
      waiting = sink
      return {
        cancel() {
          seen.push('cancelled')
          waiting = null
        },
      }
    },
    isAnswering: async () => state.isAvailable,
    isPaused: () => !state.isAvailable,
    close: () => {},
  }
  return { resolver, seen, state, answer: (answer: DnsAnswer) => waiting?.onAnswer(answer) }
}

function setUp(count: number) {
  const fakes = ['first', 'second', 'third'].slice(0, count).map(fakeResolver)
  const [first, second, third] = fakes as [Fake, Fake, Fake]
  const answers: DnsAnswer[] = []
  const resolvers = fakes.map(({ resolver }) => resolver)
  const hedges = createTurnTimers(HEDGE_MS)
  const query = () =>
    queryWithFailover(resolvers, hedges, QUERY, {
      onAnswer: (answer) => answers.push(answer),
    })
  const seen = () => fakes.map((fake) => fake.seen.join(', '))
  return { first, second, third, answers, query, seen }
}
type Fake = ReturnType<typeof fakeResolver>

/** Waits until every promise that can settle has settled. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

describe('order', () => {
  test('returns the first resolver’s answer and queries no other', () => {
    const { first, answers, query, seen } = setUp(2)
    query()
    first.answer(records('first'))
    expect(answers).toEqual([records('first')])
    expect(seen()).toEqual(['A acme.test', ''])
    expect(vi.getTimerCount()).toBe(0)
  })

  test('treats an absence as an answer', () => {
    const { first, answers, query, seen } = setUp(2)
    query()
    first.answer(nxdomain('first'))
    expect(answers).toEqual([nxdomain('first')])
    expect(seen()).toEqual(['A acme.test', ''])
  })

  test.each<FailureReason>([
    'unreachable',
    'malformed',
    'http-status',
    'timeout',
    'refused',
    'servfail',
  ])('queries the next resolver at once after a failure (%s)', (reason) => {
    const { first, second, answers, query } = setUp(2)
    query()
    first.answer(failure(reason, 'first'))
    expect(second.seen).toEqual(['A acme.test'])
    expect(answers).toEqual([])
    second.answer(records('second'))
    expect(answers).toEqual([records('second')])
    expect(vi.getTimerCount()).toBe(0)
  })

  test('skips a resolver that is not available', () => {
    const { first, second, answers, query } = setUp(2)
    first.state.isAvailable = false
    query()
    expect(first.seen).toEqual([])
    second.answer(records('second'))
    expect(answers).toEqual([records('second')])
  })

  test('skips a resolver that becomes unavailable in the meantime', () => {
    const { first, second, third, query, seen } = setUp(3)
    query()
    second.state.isAvailable = false
    first.answer(failure('timeout', 'first'))
    expect(seen()).toEqual(['A acme.test', '', 'A acme.test'])
    third.answer(records('third'))
  })

  test('checks every resolver with every query, which starts due probes', () => {
    const { first, second, query } = setUp(2)
    second.state.isAvailable = false
    query()
    first.answer(records('first'))
    // Otherwise its probe would be unknown when the first one fails.
    expect(second.state.checks).toBeGreaterThan(0)
  })

  test('returns the failure when no resolver is left', () => {
    const { first, second, answers, query } = setUp(2)
    query()
    second.state.isAvailable = false
    first.answer(failure('http-status', 'first'))
    expect(answers).toEqual([failure('http-status', 'first')])
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('hedge', () => {
  test('queries the next resolver when the first is slow', () => {
    const { second, query } = setUp(2)
    query()
    vi.advanceTimersByTime(HEDGE_MS - 1)
    expect(second.seen).toEqual([])
    vi.advanceTimersByTime(1)
    expect(second.seen).toEqual(['A acme.test'])
  })

  test('queries the third resolver when the second is slow too', () => {
    const { query, seen } = setUp(3)
    query()
    vi.advanceTimersByTime(2 * HEDGE_MS)
    expect(seen()).toEqual(['A acme.test', 'A acme.test', 'A acme.test'])
    expect(vi.getTimerCount()).toBe(0)
  })

  test('wins when it answers first; the slow query runs into its timeout', () => {
    const { first, second, answers, query, seen } = setUp(2)
    query()
    vi.advanceTimersByTime(HEDGE_MS)
    second.answer(records('second'))
    expect(answers).toEqual([records('second')])
    expect(seen()).toEqual(['A acme.test', 'A acme.test'])
    first.answer(failure('timeout', 'first'))
    expect(answers).toEqual([records('second')])
  })

  test('is ignored when the first resolver answers after all', () => {
    const { first, second, answers, query } = setUp(2)
    query()
    vi.advanceTimersByTime(HEDGE_MS)
    first.answer(records('first'))
    second.answer(nxdomain('second'))
    expect(answers).toEqual([records('first')])
  })

  test('that fails does not end the first query', () => {
    const { first, second, answers, query } = setUp(2)
    query()
    vi.advanceTimersByTime(HEDGE_MS)
    second.answer(failure('unreachable', 'second'))
    expect(answers).toEqual([])
    first.answer(records('first'))
    expect(answers).toEqual([records('first')])
  })

  test('is sent once although the first resolver fails right after', () => {
    const { first, second, answers, query } = setUp(2)
    query()
    vi.advanceTimersByTime(HEDGE_MS)
    first.answer(failure('timeout', 'first'))
    vi.advanceTimersByTime(10 * HEDGE_MS)
    expect(second.seen).toEqual(['A acme.test'])
    expect(answers).toEqual([])
    second.answer(records('second'))
    expect(answers).toEqual([records('second')])
  })

  test('is not sent after the answer', () => {
    const { first, query, seen } = setUp(3)
    query()
    first.answer(records('first'))
    vi.advanceTimersByTime(10 * HEDGE_MS)
    expect(seen()).toEqual(['A acme.test', '', ''])
  })
})

describe('returns the most specific failure when all fail', () => {
  test.each<[FailureReason, FailureReason, string]>([
    // A DNS error about the name outranks a timeout, which outranks a connection error.
    ['servfail', 'timeout', 'first'],
    ['timeout', 'servfail', 'second'],
    ['cname-loop', 'unreachable', 'first'],
    ['http-status', 'cname-loop', 'second'],
    ['unreachable', 'timeout', 'second'],
    ['timeout', 'unreachable', 'first'],
    ['malformed', 'timeout', 'second'],
    // Among equals, the failure of the preferred resolver.
    ['servfail', 'cname-loop', 'first'],
    ['unreachable', 'malformed', 'first'],
    ['timeout', 'timeout', 'first'],
  ])('%s, then %s: the %3$s', (one, other, winner) => {
    const { first, second, answers, query } = setUp(2)
    query()
    first.answer(failure(one, 'first'))
    second.answer(failure(other, 'second'))
    expect(answers).toEqual([failure(winner === 'first' ? one : other, winner)])
  })
})

describe('when none is available', () => {
  const down = (setup: ReturnType<typeof setUp>) => {
    setup.first.state.isAvailable = false
    setup.second.state.isAvailable = false
    return setup
  }
  const NO_RESOLVER = failed('unreachable', 'no resolver is configured')

  test('and no probe is under way, the query fails without being sent', async () => {
    const { answers, query, seen } = down(setUp(2))
    query()
    await settled()
    expect(answers).toEqual([NO_RESOLVER])
    expect(seen()).toEqual(['', ''])
  })

  test('returns the most specific of the last failures', async () => {
    const { first, second, answers, query } = down(setUp(2))
    first.state.lastFailure = failure('unreachable', 'first')
    second.state.lastFailure = failure('timeout', 'second')
    query()
    await settled()
    expect(answers).toEqual([failure('timeout', 'second')])
  })

  test('waits for a probe and queries the resolver that is back', async () => {
    const { second, answers, query, seen } = down(setUp(2))
    let endProbe = (_isBack: boolean) => {}
    second.state.probe = new Promise((resolve) => {
      endProbe = resolve
    })
    query()
    await settled()
    expect(answers).toEqual([])
    second.state.isAvailable = true
    endProbe(true)
    await settled()
    expect(seen()).toEqual(['', 'A acme.test'])
    second.answer(records('second'))
    expect(answers).toEqual([records('second')])
  })

  test('does not wait for a slow probe when another succeeds', async () => {
    const { first, second, query, seen } = down(setUp(2))
    first.state.probe = new Promise(() => {})
    second.state.probe = Promise.resolve(true)
    query()
    second.state.isAvailable = true
    await settled()
    expect(seen()).toEqual(['', 'A acme.test'])
  })

  test('fails when every probe fails', async () => {
    const { first, second, answers, query } = down(setUp(2))
    first.state.probe = Promise.resolve(false)
    second.state.probe = Promise.resolve(false)
    query()
    await settled()
    expect(answers).toEqual([NO_RESOLVER])
  })

  test('does nothing more when cancelled while waiting', async () => {
    const { first, answers, query, seen } = down(setUp(2))
    let endProbe = (_isBack: boolean) => {}
    first.state.probe = new Promise((resolve) => {
      endProbe = resolve
    })
    query().cancel()
    first.state.isAvailable = true
    endProbe(true)
    await settled()
    expect(answers).toEqual([])
    expect(seen()).toEqual(['', ''])
  })

  test('fails without any resolver', async () => {
    const { answers, query } = setUp(0)
    query()
    await settled()
    expect(answers).toEqual([NO_RESOLVER])
  })
})

describe('cancel', () => {
  test('cancels every query in flight and sends no other', () => {
    const { answers, query, seen } = setUp(3)
    const attempt = query()
    vi.advanceTimersByTime(HEDGE_MS)
    attempt.cancel()
    expect(seen()).toEqual(['A acme.test, cancelled', 'A acme.test, cancelled', ''])
    expect(vi.getTimerCount()).toBe(0)
    vi.advanceTimersByTime(10 * HEDGE_MS)
    expect(seen()[2]).toBe('')
    expect(answers).toEqual([])
  })
})
