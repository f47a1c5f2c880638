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
import type { OnAnswer } from './doh-resolver.js'

type AnswerEvent = Parameters<OnAnswer>[0]

describe('onAnswer', () => {
  test('reports each answer once with resolver, outcome and duration', async () => {
    const server = await startFixtureResolver()
    const nextQuery = holdQueries(server)
    const clock = createManualClock()
    const events: AnswerEvent[] = []
    const dns = createFixtureDns([server], { clock, onAnswer: (event) => events.push(event) })
    const answers = [queryDns(dns, 'A acme.test'), queryDns(dns, 'A acme.test')]
    const exchange = await nextQuery()
    clock.advance(30)
    exchange.send()
    await Promise.all(answers)
    expect(events).toEqual([{ resolver: server.url.host, outcome: 'records', durationMs: 30 }])
  })

  test.each([
    ['nxdomain', encodeResponse('A acme.test', { rcode: 3 })],
    ['nodata', encodeResponse('A acme.test')],
    ['servfail', encodeResponse('A acme.test', { rcode: 2 })],
    ['malformed', Buffer.from('garbage')],
  ])('reports the outcome %s', async (outcome, packet) => {
    const server = await startFixtureResolver()
    server.respond = (exchange) => exchange.send(packet)
    const events: AnswerEvent[] = []
    await queryDns(
      createFixtureDns([server], { onAnswer: (event) => events.push(event) }),
      'A acme.test',
    )
    expect(events.map((event) => event.outcome)).toEqual([outcome])
  })

  test('reports a timeout', async () => {
    freezeTimeouts()
    const server = await startFixtureResolver()
    const nextQuery = holdQueries(server)
    const events: AnswerEvent[] = []
    const dns = createFixtureDns([server], {
      queryTimeoutMs: 50,
      onAnswer: (event) => events.push(event),
    })
    const answer = queryDns(dns, 'A acme.test')
    await nextQuery()
    vi.advanceTimersByTime(50)
    await answer
    expect(events).toMatchObject([{ resolver: server.url.host, outcome: 'timeout' }])
  })

  test('does not report an aborted query', async () => {
    const server = await startFixtureResolver()
    const nextQuery = holdQueries(server)
    const events: AnswerEvent[] = []
    const dns = createFixtureDns([server], { onAnswer: (event) => events.push(event) })
    const caller = new AbortController()
    const answer = queryDns(dns, 'A acme.test', caller.signal)
    const { outcome } = await nextQuery()
    caller.abort()
    await answer
    expect(await outcome).toBe('cancelled')
    expect(events).toEqual([])
  })
})

test('isPaused sends no query', async () => {
  const server = await startFixtureResolver()
  server.respond = ({ response }) => {
    response.writeHead(500).end()
  }
  const dns = createFixtureDns([server])
  const [resolver] = dns.resolvers
  expect(resolver?.isPaused()).toBe(false)
  for (let time = 0; time < 5; time++) await queryDns(dns, 'A acme.test')
  expect(resolver?.isPaused()).toBe(true)
  const sent = server.queries.filter((query) => query === 'A acme.test')
  expect(sent).toHaveLength(5)
})
