import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type DnsAnswer, type Failed, type FailureReason, failed } from './dns.js'
import type { DohResolver } from './doh-resolver.js'
import { queryWithFailover } from './failover.js'
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
  failed(reason, 'in this story', { resolver })

/** A resolver that answers when the test says so. */
function fakeResolver(name: string) {
  let take: ((answer: DnsAnswer) => void) | null = null
  const seen: string[] = []
  const state: {
    isAvailable: boolean
    recovery: Promise<boolean> | null
    lastFailure: Failed | null
    looks: number
  } = { isAvailable: true, recovery: null, lastFailure: null, looks: 0 }
  const resolver: DohResolver = {
    name,
    checkAvailable() {
      state.looks++
      return state.isAvailable
    },
    pendingProbe: () => state.recovery,
    lastFailure: () => state.lastFailure,
    query(question, done) {
      seen.push(`${question.type} ${question.name}`)
      take = done
      return () => {
        seen.push('cancelled')
        take = null
      }
    },
    isAnswering: async () => state.isAvailable,
    isPaused: () => !state.isAvailable,
    close: () => {},
  }
  return { resolver, seen, state, answer: (answer: DnsAnswer) => take?.(answer) }
}

function setUp(count: number) {
  const fakes = ['first', 'second', 'third'].slice(0, count).map(fakeResolver)
  const [first, second, third] = fakes as [Fake, Fake, Fake]
  const answers: DnsAnswer[] = []
  const ask = () =>
    queryWithFailover(
      fakes.map(({ resolver }) => resolver),
      HEDGE_MS,
      QUERY,
      (answer) => answers.push(answer),
    )
  const seen = () => fakes.map((fake) => fake.seen.join(', '))
  return { first, second, third, answers, ask, seen }
}
type Fake = ReturnType<typeof fakeResolver>

/** All promises that can settle have done so. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

describe('in order', () => {
  test('the first resolver’s answer is the answer, and no other is asked', () => {
    const { first, answers, ask, seen } = setUp(2)
    ask()
    first.answer(records('first'))
    expect(answers).toEqual([records('first')])
    expect(seen()).toEqual(['A acme.test', ''])
    expect(vi.getTimerCount()).toBe(0)
  })

  test('absence is an answer, not a failure', () => {
    const { first, answers, ask, seen } = setUp(2)
    ask()
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
  ])('after a failure (%s) the next is asked at once', (reason) => {
    const { first, second, answers, ask } = setUp(2)
    ask()
    first.answer(failure(reason, 'first'))
    expect(second.seen).toEqual(['A acme.test'])
    expect(answers).toEqual([])
    second.answer(records('second'))
    expect(answers).toEqual([records('second')])
    expect(vi.getTimerCount()).toBe(0)
  })

  test('a resolver that is not available is passed over', () => {
    const { first, second, answers, ask } = setUp(2)
    first.state.isAvailable = false
    ask()
    expect(first.seen).toEqual([])
    second.answer(records('second'))
    expect(answers).toEqual([records('second')])
  })

  test('a resolver that becomes unavailable while it waits is passed over too', () => {
    const { first, second, third, ask, seen } = setUp(3)
    ask()
    second.state.isAvailable = false
    first.answer(failure('timeout', 'first'))
    expect(seen()).toEqual(['A acme.test', '', 'A acme.test'])
    third.answer(records('third'))
  })

  test('one further down that is out is looked at with every question, for looking is what probes it', () => {
    const { first, second, ask } = setUp(2)
    second.state.isAvailable = false
    ask()
    first.answer(records('first'))
    // Else the day the first fails, nobody would know that the second has long been back.
    expect(second.state.looks).toBeGreaterThan(0)
  })

  test('when nobody is left to ask, the failure stands', () => {
    const { first, second, answers, ask } = setUp(2)
    ask()
    second.state.isAvailable = false
    first.answer(failure('http-status', 'first'))
    expect(answers).toEqual([failure('http-status', 'first')])
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('a hedge', () => {
  test('goes to the next resolver when the first is slow, and not before', () => {
    const { second, ask } = setUp(2)
    ask()
    vi.advanceTimersByTime(HEDGE_MS - 1)
    expect(second.seen).toEqual([])
    vi.advanceTimersByTime(1)
    expect(second.seen).toEqual(['A acme.test'])
  })

  test('goes on to the third when the second is slow too', () => {
    const { ask, seen } = setUp(3)
    ask()
    vi.advanceTimersByTime(2 * HEDGE_MS)
    expect(seen()).toEqual(['A acme.test', 'A acme.test', 'A acme.test'])
    expect(vi.getTimerCount()).toBe(0)
  })

  test('wins when it answers first; the slow one may use up its time, to be known as slow', () => {
    const { first, second, answers, ask, seen } = setUp(2)
    ask()
    vi.advanceTimersByTime(HEDGE_MS)
    second.answer(records('second'))
    expect(answers).toEqual([records('second')])
    expect(seen()).toEqual(['A acme.test', 'A acme.test'])
    first.answer(failure('timeout', 'first'))
    expect(answers).toEqual([records('second')])
  })

  test('loses when the first answers after all; its answer is not heard', () => {
    const { first, second, answers, ask } = setUp(2)
    ask()
    vi.advanceTimersByTime(HEDGE_MS)
    first.answer(records('first'))
    second.answer(nxdomain('second'))
    expect(answers).toEqual([records('first')])
  })

  test('that fails leaves the first one time', () => {
    const { first, second, answers, ask } = setUp(2)
    ask()
    vi.advanceTimersByTime(HEDGE_MS)
    second.answer(failure('unreachable', 'second'))
    expect(answers).toEqual([])
    first.answer(records('first'))
    expect(answers).toEqual([records('first')])
  })

  test('is asked once, though the first fails right after', () => {
    const { first, second, answers, ask } = setUp(2)
    ask()
    vi.advanceTimersByTime(HEDGE_MS)
    first.answer(failure('timeout', 'first'))
    vi.advanceTimersByTime(10 * HEDGE_MS)
    expect(second.seen).toEqual(['A acme.test'])
    expect(answers).toEqual([])
    second.answer(records('second'))
    expect(answers).toEqual([records('second')])
  })

  test('once answered, nobody else is asked', () => {
    const { first, ask, seen } = setUp(3)
    ask()
    first.answer(records('first'))
    vi.advanceTimersByTime(10 * HEDGE_MS)
    expect(seen()).toEqual(['A acme.test', '', ''])
  })
})

describe('when all fail, the most telling failure is the answer', () => {
  test.each<[FailureReason, FailureReason, string]>([
    // What the DNS said of the name outranks a time-out, which outranks a connection's trouble.
    ['servfail', 'timeout', 'first'],
    ['timeout', 'servfail', 'second'],
    ['cname-loop', 'unreachable', 'first'],
    ['http-status', 'cname-loop', 'second'],
    ['unreachable', 'timeout', 'second'],
    ['timeout', 'unreachable', 'first'],
    ['malformed', 'timeout', 'second'],
    // Among equals the preferred resolver's.
    ['servfail', 'cname-loop', 'first'],
    ['unreachable', 'malformed', 'first'],
    ['timeout', 'timeout', 'first'],
  ])('%s, then %s: the %3$s one’s', (one, other, winner) => {
    const { first, second, answers, ask } = setUp(2)
    ask()
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
  const NOBODY = failed('unreachable', 'no resolver is configured')

  test('and none is being probed, the question fails without being asked', async () => {
    const { answers, ask, seen } = down(setUp(2))
    ask()
    await settled()
    expect(answers).toEqual([NOBODY])
    expect(seen()).toEqual(['', ''])
  })

  test('it fails as they last did, by the most telling of them', async () => {
    const { first, second, answers, ask } = down(setUp(2))
    first.state.lastFailure = failure('unreachable', 'first')
    second.state.lastFailure = failure('timeout', 'second')
    ask()
    await settled()
    expect(answers).toEqual([failure('timeout', 'second')])
  })

  test('it waits for a probe, and asks the resolver that is back', async () => {
    const { second, answers, ask, seen } = down(setUp(2))
    let endProbe = (_isBack: boolean) => {}
    second.state.recovery = new Promise((resolve) => {
      endProbe = resolve
    })
    ask()
    await settled()
    expect(answers).toEqual([])
    second.state.isAvailable = true
    endProbe(true)
    await settled()
    expect(seen()).toEqual(['', 'A acme.test'])
    second.answer(records('second'))
    expect(answers).toEqual([records('second')])
  })

  test('it does not wait for a slow probe when a quick one succeeds', async () => {
    const { first, second, ask, seen } = down(setUp(2))
    first.state.recovery = new Promise(() => {})
    second.state.recovery = Promise.resolve(true)
    ask()
    second.state.isAvailable = true
    await settled()
    expect(seen()).toEqual(['', 'A acme.test'])
  })

  test('it fails when every probe does', async () => {
    const { first, second, answers, ask } = down(setUp(2))
    first.state.recovery = Promise.resolve(false)
    second.state.recovery = Promise.resolve(false)
    ask()
    await settled()
    expect(answers).toEqual([NOBODY])
  })

  test('given up while waiting, it neither asks nor answers', async () => {
    const { first, answers, ask, seen } = down(setUp(2))
    let endProbe = (_isBack: boolean) => {}
    first.state.recovery = new Promise((resolve) => {
      endProbe = resolve
    })
    const cancel = ask()
    cancel()
    first.state.isAvailable = true
    endProbe(true)
    await settled()
    expect(answers).toEqual([])
    expect(seen()).toEqual(['', ''])
  })

  test('without any resolver at all, it fails', async () => {
    const { answers, ask } = setUp(0)
    ask()
    await settled()
    expect(answers).toEqual([NOBODY])
  })
})

describe('cancelling', () => {
  test('cancels whoever is asked, and asks nobody else', () => {
    const { answers, ask, seen } = setUp(3)
    const cancel = ask()
    vi.advanceTimersByTime(HEDGE_MS)
    cancel()
    expect(seen()).toEqual(['A acme.test, cancelled', 'A acme.test, cancelled', ''])
    expect(vi.getTimerCount()).toBe(0)
    vi.advanceTimersByTime(10 * HEDGE_MS)
    expect(seen()[2]).toBe('')
    expect(answers).toEqual([])
  })
})
