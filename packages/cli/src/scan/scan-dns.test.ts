import { type DnsAnswer, type FailureReason, failed } from '@mailgrade/doh/dns'
import { createZoneDns } from '@mailgrade/doh/zone'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createScanDns } from './scan-dns.js'
import type { WaveDns } from './scan-resolvers.js'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const NOTHING = createZoneDns('zone', 'acme.test. TXT "x"')

interface TestResolver extends WaveDns {
  readonly queries: string[]
  /** Why the next queries fail. */
  failure: FailureReason | null
}

function createResolver(failure: FailureReason | null = null): TestResolver {
  const resolver = {
    queries: [] as string[],
    failure,
    async query(name: string, type: 'TXT') {
      resolver.queries.push(`${type} ${name}`)
      if (resolver.failure) return failed(resolver.failure, 'in this test')
      return NOTHING.query(name, type)
    },
  }
  return resolver as unknown as TestResolver
}

function createTestDns(resolvers: readonly WaveDns[], rate = 100, timeoutMs = 60_000) {
  const onGiveUp = vi.fn()
  const dns = createScanDns({
    resolvers: resolvers.map((resolver) => ({ connections: [resolver], rate })),
    timeoutMs,
    onGiveUp,
  })
  return { dns, onGiveUp }
}

const sendMany = (dns: WaveDns, count: number, signal?: AbortSignal) =>
  Array.from({ length: count }, (_, index) => dns.query(`d${index}.test`, 'TXT', signal))

const kinds = (answers: readonly DnsAnswer[]) => [...new Set(answers.map(({ kind }) => kind))]

describe('queries', () => {
  test('wait for the rate of a resolver', async () => {
    const resolver = createResolver()
    const answers = Promise.all(sendMany(createTestDns([resolver]).dns, 300))
    await vi.advanceTimersByTimeAsync(1_000)
    expect(resolver.queries.length).toBeGreaterThan(100)
    expect(resolver.queries.length).toBeLessThanOrEqual(111)
    await vi.advanceTimersByTimeAsync(2_000)
    expect(kinds(await answers)).toEqual(['nxdomain'])
  })

  test('are spread over the resolvers', async () => {
    const resolvers = [createResolver(), createResolver()]
    const answers = Promise.all(sendMany(createTestDns(resolvers).dns, 400))
    await vi.advanceTimersByTimeAsync(2_000)
    await answers
    const [first = 0, second = 0] = resolvers.map(({ queries }) => queries.length)
    expect(first + second).toBe(400)
    expect(Math.abs(first - second)).toBeLessThan(20)
  })

  test('in a wave go out together, as far as the rate allows', async () => {
    const waves: number[] = []
    const resolver = {
      ...createResolver(),
      queryEach(queries: readonly object[], onAnswer: (answer: DnsAnswer, at: number) => void) {
        waves.push(queries.length)
        queries.forEach((_, index) => {
          onAnswer(failed('bad-name', 'x'), index)
        })
      },
    } as unknown as TestResolver
    const { dns } = createTestDns([resolver])
    const answered: number[] = []
    const queries = Array.from({ length: 25 }, (_, at) => ({
      name: `d${at}`,
      type: 'TXT' as const,
    }))
    dns.queryEach(queries, (_, index) => answered.push(index))
    expect(waves).toEqual([10])
    await vi.advanceTimersByTimeAsync(1_000)
    expect(answered.sort((a, b) => a - b)).toEqual(queries.map((_, index) => index))
  })

  test('that were aborted do not wait for the rate', async () => {
    const resolver = createResolver()
    const abort = new AbortController()
    const answers = Promise.all(sendMany(createTestDns([resolver], 10).dns, 100, abort.signal))
    abort.abort()
    await vi.advanceTimersByTimeAsync(200)
    await answers
    // A DoH connection does not send them.
    expect(resolver.queries).toHaveLength(100)
  })

  test('fail when the scan is stopped', async () => {
    const { dns } = createTestDns([createResolver()], 10)
    const answers = sendMany(dns, 50)
    dns.close()
    expect(await answers[49]).toMatchObject({ kind: 'failed', reason: 'aborted' })
    expect(await dns.query('late.test', 'TXT')).toMatchObject({ reason: 'aborted' })
  })
})

describe('a failed query', () => {
  test.each([
    ['malformed', 3],
    ['timeout', 3],
    ['servfail', 1],
    ['bad-name', 1],
  ] as const)('%s is sent %i times to one resolver', async (reason, times) => {
    const resolver = createResolver(reason)
    const answer = createTestDns([resolver]).dns.query('acme.test', 'TXT')
    await vi.advanceTimersByTimeAsync(1_000)
    expect(await answer).toMatchObject({ kind: 'failed', reason })
    expect(resolver.queries.filter((query) => query === 'TXT acme.test')).toHaveLength(times)
  })

  test.each(['malformed', 'servfail'] as const)(
    '%s is sent to another resolver',
    async (reason) => {
      const { dns } = createTestDns([createResolver(reason), createResolver()])
      const answers = Promise.all(Array.from({ length: 8 }, () => dns.query('acme.test', 'TXT')))
      await vi.advanceTimersByTimeAsync(1_000)
      expect(kinds(await answers)).toEqual(['records'])
    },
  )
})

describe('a resolver that throttles', () => {
  test('gets only probes until it answers, then queries at a lower rate', async () => {
    const resolver = createResolver('http-status')
    const { dns } = createTestDns([resolver])
    const answers = Promise.all(sendMany(dns, 20))
    await vi.advanceTimersByTimeAsync(20_000)
    const sent = resolver.queries.filter((query) => query !== 'NS .')
    // What was sent before the first refusal.
    expect(sent).toHaveLength(10)
    expect(resolver.queries.filter((query) => query === 'NS .').length).toBeLessThan(6)
    expect([dns.isSlowed(), dns.perSecond()]).toEqual([true, 0])
    resolver.failure = null
    await vi.advanceTimersByTimeAsync(30_000)
    expect(kinds(await answers)).toEqual(['nxdomain'])
    expect(dns.perSecond()).toBeLessThan(100)
  })

  test('leaves the queries to another one', async () => {
    const good = createResolver()
    const { dns } = createTestDns([createResolver('http-status'), good])
    const answers = Promise.all(sendMany(dns, 100))
    await vi.advanceTimersByTimeAsync(2_000)
    expect(kinds(await answers)).toEqual(['nxdomain'])
  })

  test('is waited for longer than one that is silent, if it has answered before', async () => {
    const resolver = createResolver()
    const { dns, onGiveUp } = createTestDns([resolver])
    await dns.query('acme.test', 'TXT')
    resolver.failure = 'http-status'
    const answer = dns.query('other.test', 'TXT')
    await vi.advanceTimersByTimeAsync(300_000)
    expect(onGiveUp).not.toHaveBeenCalled()
    resolver.failure = null
    await vi.advanceTimersByTimeAsync(31_000)
    expect(await answer).toMatchObject({ kind: 'nxdomain' })
  })
})

describe('when no resolver answers', () => {
  test('queries fail after the timeout, and all further ones at once', async () => {
    const { dns, onGiveUp } = createTestDns([createResolver('unreachable')])
    const answers = Promise.all(sendMany(dns, 200))
    await vi.advanceTimersByTimeAsync(50_000)
    expect(onGiveUp).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(50_000)
    expect(onGiveUp).toHaveBeenCalledOnce()
    expect(kinds(await answers)).toEqual(['failed'])
    expect(await dns.query('late.test', 'TXT')).toMatchObject({ reason: 'unreachable' })
  })

  test('names that no server answers do not end the scan', async () => {
    const resolver = createResolver()
    const hanging = {
      ...resolver,
      query: async (name: string, type: 'TXT') =>
        name === '.' ? NOTHING.query(name, type) : failed('timeout', 'no answer'),
    } as unknown as TestResolver
    const { dns, onGiveUp } = createTestDns([hanging])
    const answers = Promise.all(sendMany(dns, 100))
    await vi.advanceTimersByTimeAsync(300_000)
    expect(await answers).toHaveLength(100)
    expect(onGiveUp).not.toHaveBeenCalled()
  })
})

describe('domains are started', () => {
  test('one after another while the rate limits', async () => {
    const { dns } = createTestDns([createResolver()])
    let started = 0
    for (let index = 0; index < 20; index++) {
      void dns.ready().then(() => {
        started++
        for (const answer of sendMany(dns, 100)) void answer
      })
    }
    await vi.advanceTimersByTimeAsync(5_000)
    expect(started).toBeGreaterThanOrEqual(5)
    expect(started).toBeLessThanOrEqual(7)
  })

  test('at once without a limit', async () => {
    const { dns } = createTestDns([createResolver()], Number.POSITIVE_INFINITY)
    await Promise.all(Array.from({ length: 100 }, () => dns.ready()))
  })
})
