import { encodeResponse } from '@mailgrade/testing/dns-message'
import { holdQueries } from '@mailgrade/testing/doh-server'
import { describe, expect, test, vi } from 'vitest'
import {
  createFixtureDns,
  createManualClock,
  freezeTimeouts,
  queryDns,
  startFixtureResolver,
} from '../test/support/doh-fixture.js'

type Told = Parameters<NonNullable<Parameters<typeof createFixtureDns>[1]>['onAnswer'] & object>[0]

describe('whoever counts questions is told', () => {
  test('of each answer once: by whom, what it was, and how long it took', async () => {
    const server = await startFixtureResolver()
    const nextQuestion = holdQueries(server)
    const clock = createManualClock()
    const told: Told[] = []
    const dns = createFixtureDns([server], { clock, onAnswer: (one) => told.push(one) })
    const answers = [queryDns(dns, 'A acme.test'), queryDns(dns, 'A acme.test')]
    const exchange = await nextQuestion()
    clock.advance(30)
    exchange.send()
    await Promise.all(answers)
    expect(told).toEqual([{ resolver: server.url.host, outcome: 'records', durationMs: 30 }])
  })

  test.each([
    ['nxdomain', encodeResponse('A acme.test', { rcode: 3 })],
    ['nodata', encodeResponse('A acme.test')],
    ['servfail', encodeResponse('A acme.test', { rcode: 2 })],
    ['malformed', Buffer.from('garbage')],
  ])('of an answer that is %s', async (outcome, packet) => {
    const server = await startFixtureResolver()
    server.respond = (exchange) => exchange.send(packet)
    const told: Told[] = []
    await queryDns(createFixtureDns([server], { onAnswer: (one) => told.push(one) }), 'A acme.test')
    expect(told.map((one) => one.outcome)).toEqual([outcome])
  })

  test('of a question that had its time', async () => {
    freezeTimeouts()
    const server = await startFixtureResolver()
    const nextQuestion = holdQueries(server)
    const told: Told[] = []
    const dns = createFixtureDns([server], {
      queryTimeoutMs: 50,
      onAnswer: (one) => told.push(one),
    })
    const answer = queryDns(dns, 'A acme.test')
    await nextQuestion()
    vi.advanceTimersByTime(50)
    await answer
    expect(told).toMatchObject([{ resolver: server.url.host, outcome: 'timeout' }])
  })

  test('not of a question that was taken back', async () => {
    const server = await startFixtureResolver()
    const nextQuestion = holdQueries(server)
    const told: Told[] = []
    const dns = createFixtureDns([server], { onAnswer: (one) => told.push(one) })
    const caller = new AbortController()
    const answer = queryDns(dns, 'A acme.test', caller.signal)
    const { outcome: ending } = await nextQuestion()
    caller.abort()
    await answer
    expect(await ending).toBe('cancelled')
    expect(told).toEqual([])
  })
})

test('whether a resolver rests can be read without asking it anything', async () => {
  const server = await startFixtureResolver()
  server.respond = ({ response: reply }) => {
    reply.writeHead(500).end()
  }
  const dns = createFixtureDns([server])
  const [resolver] = dns.resolvers
  expect(resolver?.isPaused()).toBe(false)
  for (let time = 0; time < 5; time++) await queryDns(dns, 'A acme.test')
  expect(resolver?.isPaused()).toBe(true)
  const asked = server.queries.filter((question) => question === 'A acme.test')
  expect(asked).toHaveLength(5)
})
