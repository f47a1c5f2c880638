/** Aborted queries and deadlines, including what the resolver sees of them. */
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
  test('cancels the request when the caller aborts', async () => {
    const server = await startFixtureResolver(protocol)
    const dns = createFixtureDns([server])
    // After the first answer, no timer of the connection itself is left.
    await queryDns(dns, 'A first.acme.test')
    freezeTimeouts()
    const nextQuery = holdQueries(server)
    const caller = new AbortController()
    const answer = queryDns(dns, 'A acme.test', caller.signal)
    const { outcome } = await nextQuery()
    caller.abort()
    expect(await answer).toMatchObject({ kind: 'failed', reason: 'aborted' })
    expect(await outcome).toBe('cancelled')
    expect(vi.getTimerCount()).toBe(0)
  })

  test('sends queries together, passes on each answer and cancels the rest', async () => {
    const server = await startFixtureResolver(protocol)
    const dns = createFixtureDns([server])
    const nextQuery = holdQueries(server)
    const caller = new AbortController()
    const answers: [number, string][] = []
    const waiting: (() => void)[] = []
    const names = ['a.acme.test', 'not a name..test', 'b.acme.test', 'a.acme.test']
    dns.queryEach?.(
      names.map((name) => ({ name, type: 'A' })),
      (answer, index) => {
        answers.push([index, answer.kind === 'failed' ? answer.reason : answer.kind])
        if (answers.length === 3) for (const resume of waiting) resume()
      },
      caller.signal,
    )
    expect(answers).toEqual([[1, 'bad-name']])
    const threeAnswers = new Promise<void>((resolve) => waiting.push(resolve))
    const exchanges = [await nextQuery(), await nextQuery()]
    const [first, second] = exchanges.toSorted((one, other) => (one.query < other.query ? -1 : 1))
    first?.send()
    await threeAnswers
    expect(answers.slice(1)).toEqual([
      [0, 'records'],
      [3, 'records'],
    ])
    caller.abort()
    expect(answers.slice(3)).toEqual([[2, 'aborted']])
    expect(await second?.outcome).toBe('cancelled')
  })

  test('keeps the request for the other callers that wait for it', async () => {
    const server = await startFixtureResolver(protocol)
    const nextQuery = holdQueries(server)
    const dns = createFixtureDns([server])
    const caller = new AbortController()
    const [leaving, staying] = [
      queryDns(dns, 'A acme.test', caller.signal),
      queryDns(dns, 'A acme.test'),
    ]
    const exchange = await nextQuery()
    caller.abort()
    expect(await leaving).toMatchObject({ kind: 'failed', reason: 'aborted' })
    exchange.send()
    expect(await staying).toMatchObject({ records: FIXTURE_RECORDS })
    expect(await exchange.outcome).toBe('answered')
    expect(server.queries).toEqual(['A acme.test'])
  })

  test('sends nothing when the caller aborts before the connection is open', async () => {
    const server = await startFixtureResolver(protocol)
    const dns = createFixtureDns([server])
    const caller = new AbortController()
    const answer = queryDns(dns, 'A left.acme.test', caller.signal)
    caller.abort()
    expect(await answer).toMatchObject({ kind: 'failed', reason: 'aborted' })
    expect(await queryDns(dns, 'A acme.test')).toMatchObject({ records: FIXTURE_RECORDS })
    expect(server.queries).toEqual(['A acme.test'])
  })

  test('sends nothing for a signal that is already aborted', async () => {
    const server = await startFixtureResolver(protocol)
    const answer = queryDns(createFixtureDns([server]), 'A acme.test', AbortSignal.abort())
    expect(await answer).toMatchObject({ kind: 'failed', reason: 'aborted' })
    expect(server.connections()).toBe(0)
  })

  test('sends a query again after it was aborted', async () => {
    const server = await startFixtureResolver(protocol)
    const nextQuery = holdQueries(server)
    const dns = createFixtureDns([server])
    const caller = new AbortController()
    const left = queryDns(dns, 'A acme.test', caller.signal)
    await nextQuery()
    caller.abort()
    await left
    const again = queryDns(dns, 'A acme.test')
    ;(await nextQuery()).send()
    expect(await again).toMatchObject({ records: FIXTURE_RECORDS })
  })

  test('cancels only unanswered requests when a report’s deadline passes', async () => {
    freezeTimeouts()
    const server = await startFixtureResolver(protocol)
    const nextQuery = holdQueries(server)
    const lookup = createReportDns(createFixtureDns([server]), { deadlineMs: 200 })
    const [quick, slow] = [
      lookup.query('quick.acme.test', 'A'),
      lookup.query('slow.acme.test', 'A'),
    ]
    const exchanges = [await nextQuery(), await nextQuery()]
    const exchangeOf = (query: string) => exchanges.find((exchange) => exchange.query === query)
    exchangeOf('A quick.acme.test')?.send()
    expect(await quick).toMatchObject({ records: FIXTURE_RECORDS })
    vi.advanceTimersByTime(200)
    expect(await slow).toMatchObject({ kind: 'failed', reason: 'timeout', resolver: null })
    expect(await exchangeOf('A slow.acme.test')?.outcome).toBe('cancelled')
    expect(lookup.resolvers()).toEqual([server.url.host])
    lookup.close()
  })
})

test('resets the stream with CANCEL and keeps the HTTP/2 connection', async () => {
  const server = await startFixtureResolver()
  const nextQuery = holdQueries(server)
  const dns = createFixtureDns([server])
  const caller = new AbortController()
  const answer = queryDns(dns, 'A acme.test', caller.signal)
  const { stream, outcome } = await nextQuery()
  caller.abort()
  await answer
  await outcome
  expect(stream.rstCode).toBe(constants.NGHTTP2_CANCEL)
  server.respond = (exchange) => exchange.send()
  expect(await queryDns(dns, 'A b.acme.test')).toMatchObject({ records: FIXTURE_RECORDS })
  expect(server.connections()).toBe(1)
})

test('cancels the hedge too when the caller aborts', async () => {
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

test('does not count aborted queries as failures of the resolver', async () => {
  const server = await startFixtureResolver()
  const nextQuery = holdQueries(server)
  const dns = createFixtureDns([server])
  for (let time = 0; time < 8; time++) {
    const caller = new AbortController()
    const answer = queryDns(dns, 'A acme.test', caller.signal)
    await nextQuery()
    caller.abort()
    await answer
  }
  server.respond = (exchange) => exchange.send()
  expect(await queryDns(dns, 'A b.acme.test')).toMatchObject({ records: FIXTURE_RECORDS })
})
