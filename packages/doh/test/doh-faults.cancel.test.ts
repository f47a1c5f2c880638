/** Callers who leave and deadlines that pass, down to what the resolver sees of it. */
import { constants } from 'node:http2'
import { holdQueries } from '@mailgrade/testing/doh-server'
import { describe, expect, test, vi } from 'vitest'
import { createReportDns } from '../src/report-dns.js'
import {
  createFixtureDns,
  DOH_PROTOCOLS,
  FIXTURE_RECORDS,
  freezeTimeouts,
  queryDns,
  startFixtureResolver,
} from './support/doh-fixture.js'

describe.each(DOH_PROTOCOLS)('over %s', (protocol) => {
  test('a caller who leaves takes the question back from the resolver', async () => {
    freezeTimeouts()
    const server = await startFixtureResolver(protocol)
    const nextQuestion = holdQueries(server)
    const dns = createFixtureDns([server])
    const caller = new AbortController()
    const answer = queryDns(dns, 'A acme.test', caller.signal)
    const { outcome } = await nextQuestion()
    caller.abort()
    expect(await answer).toMatchObject({ kind: 'failed', reason: 'aborted' })
    expect(await outcome).toBe('cancelled')
    expect(vi.getTimerCount()).toBe(0)
  })

  test('a caller who leaves does not take it from those who wait with it', async () => {
    const server = await startFixtureResolver(protocol)
    const nextQuestion = holdQueries(server)
    const dns = createFixtureDns([server])
    const caller = new AbortController()
    const [leaving, staying] = [
      queryDns(dns, 'A acme.test', caller.signal),
      queryDns(dns, 'A acme.test'),
    ]
    const exchange = await nextQuestion()
    caller.abort()
    expect(await leaving).toMatchObject({ kind: 'failed', reason: 'aborted' })
    exchange.send()
    expect(await staying).toMatchObject({ records: FIXTURE_RECORDS })
    expect(await exchange.outcome).toBe('answered')
    expect(server.queries).toEqual(['A acme.test'])
  })

  test('a caller who leaves before the connection is made leaves no question behind', async () => {
    const server = await startFixtureResolver(protocol)
    const dns = createFixtureDns([server])
    const caller = new AbortController()
    const answer = queryDns(dns, 'A left.acme.test', caller.signal)
    caller.abort()
    expect(await answer).toMatchObject({ kind: 'failed', reason: 'aborted' })
    expect(await queryDns(dns, 'A acme.test')).toMatchObject({ records: FIXTURE_RECORDS })
    expect(server.queries).toEqual(['A acme.test'])
  })

  test('a caller who had left before is not asked for', async () => {
    const server = await startFixtureResolver(protocol)
    const answer = queryDns(createFixtureDns([server]), 'A acme.test', AbortSignal.abort())
    expect(await answer).toMatchObject({ kind: 'failed', reason: 'aborted' })
    expect(server.connections()).toBe(0)
  })

  test('what was taken back can be asked anew', async () => {
    const server = await startFixtureResolver(protocol)
    const nextQuestion = holdQueries(server)
    const dns = createFixtureDns([server])
    const caller = new AbortController()
    const left = queryDns(dns, 'A acme.test', caller.signal)
    await nextQuestion()
    caller.abort()
    await left
    const again = queryDns(dns, 'A acme.test')
    ;(await nextQuestion()).send()
    expect(await again).toMatchObject({ records: FIXTURE_RECORDS })
  })

  test('a report’s deadline takes back what is unanswered, and only that', async () => {
    freezeTimeouts()
    const server = await startFixtureResolver(protocol)
    const nextQuestion = holdQueries(server)
    const lookup = createReportDns(createFixtureDns([server]), { deadlineMs: 200 })
    const [quick, slow] = [
      lookup.query('quick.acme.test', 'A'),
      lookup.query('slow.acme.test', 'A'),
    ]
    const exchanges = [await nextQuestion(), await nextQuestion()]
    const exchangeOf = (question: string) =>
      exchanges.find((exchange) => exchange.query === question)
    exchangeOf('A quick.acme.test')?.send()
    expect(await quick).toMatchObject({ records: FIXTURE_RECORDS })
    vi.advanceTimersByTime(200)
    expect(await slow).toMatchObject({ kind: 'failed', reason: 'timeout', resolver: null })
    expect(await exchangeOf('A slow.acme.test')?.outcome).toBe('cancelled')
    expect(lookup.resolvers()).toEqual([server.url.host])
    lookup.close()
  })
})

test('over h2 a question is taken back with CANCEL, and the session goes on', async () => {
  const server = await startFixtureResolver()
  const nextQuestion = holdQueries(server)
  const dns = createFixtureDns([server])
  const caller = new AbortController()
  const answer = queryDns(dns, 'A acme.test', caller.signal)
  const { stream, outcome } = await nextQuestion()
  caller.abort()
  await answer
  await outcome
  expect(stream.rstCode).toBe(constants.NGHTTP2_CANCEL)
  server.respond = (exchange) => exchange.send()
  expect(await queryDns(dns, 'A b.acme.test')).toMatchObject({ records: FIXTURE_RECORDS })
  expect(server.connections()).toBe(1)
})

test('a caller who leaves takes the question back from the hedge, too', async () => {
  const [first, second] = [await startFixtureResolver(), await startFixtureResolver()]
  const [ofFirst, ofSecond] = [holdQueries(first), holdQueries(second)]
  const dns = createFixtureDns([first, second], { hedgeAfterMs: 10 })
  const caller = new AbortController()
  const answer = queryDns(dns, 'A acme.test', caller.signal)
  const exchanges = [await ofFirst(), await ofSecond()]
  caller.abort()
  expect(await answer).toMatchObject({ kind: 'failed', reason: 'aborted' })
  for (const { outcome } of exchanges) expect(await outcome).toBe('cancelled')
})

test('callers who leave say nothing against the resolver', async () => {
  const server = await startFixtureResolver()
  const nextQuestion = holdQueries(server)
  const dns = createFixtureDns([server])
  for (let time = 0; time < 8; time++) {
    const caller = new AbortController()
    const answer = queryDns(dns, 'A acme.test', caller.signal)
    await nextQuestion()
    caller.abort()
    await answer
  }
  server.respond = (exchange) => exchange.send()
  expect(await queryDns(dns, 'A b.acme.test')).toMatchObject({ records: FIXTURE_RECORDS })
})
