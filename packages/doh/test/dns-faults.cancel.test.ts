/** Callers who leave and deadlines that pass, down to what the resolver sees of it. */
import { constants } from 'node:http2'
import { holdQuestions } from '@mailgrade/testing/doh-server'
import { describe, expect, test, vi } from 'vitest'
import { createLookup } from '../src/lookup.js'
import { ADDRESS, ask, createDns, holdTimers, PROTOCOLS, startServer } from './support/doh-story.js'

describe.each(PROTOCOLS)('over %s', (protocol) => {
  test('a caller who leaves takes the question back from the resolver', async () => {
    holdTimers()
    const server = await startServer(protocol)
    const nextQuestion = holdQuestions(server)
    const dns = createDns([server])
    const caller = new AbortController()
    const answer = ask(dns, 'A acme.test', caller.signal)
    const { ending } = await nextQuestion()
    caller.abort()
    expect(await answer).toMatchObject({ kind: 'failed', reason: 'aborted' })
    expect(await ending).toBe('cancelled')
    expect(vi.getTimerCount()).toBe(0)
  })

  test('a caller who leaves does not take it from those who wait with it', async () => {
    const server = await startServer(protocol)
    const nextQuestion = holdQuestions(server)
    const dns = createDns([server])
    const caller = new AbortController()
    const [leaving, staying] = [ask(dns, 'A acme.test', caller.signal), ask(dns, 'A acme.test')]
    const exchange = await nextQuestion()
    caller.abort()
    expect(await leaving).toMatchObject({ kind: 'failed', reason: 'aborted' })
    exchange.send()
    expect(await staying).toMatchObject({ records: ADDRESS })
    expect(await exchange.ending).toBe('answered')
    expect(server.questions).toEqual(['A acme.test'])
  })

  test('a caller who leaves before the connection is made leaves no question behind', async () => {
    const server = await startServer(protocol)
    const dns = createDns([server])
    const caller = new AbortController()
    const answer = ask(dns, 'A left.acme.test', caller.signal)
    caller.abort()
    expect(await answer).toMatchObject({ kind: 'failed', reason: 'aborted' })
    expect(await ask(dns, 'A acme.test')).toMatchObject({ records: ADDRESS })
    expect(server.questions).toEqual(['A acme.test'])
  })

  test('a caller who had left before is not asked for', async () => {
    const server = await startServer(protocol)
    const answer = ask(createDns([server]), 'A acme.test', AbortSignal.abort())
    expect(await answer).toMatchObject({ kind: 'failed', reason: 'aborted' })
    expect(server.connections()).toBe(0)
  })

  test('what was taken back can be asked anew', async () => {
    const server = await startServer(protocol)
    const nextQuestion = holdQuestions(server)
    const dns = createDns([server])
    const caller = new AbortController()
    const left = ask(dns, 'A acme.test', caller.signal)
    await nextQuestion()
    caller.abort()
    await left
    const again = ask(dns, 'A acme.test')
    ;(await nextQuestion()).send()
    expect(await again).toMatchObject({ records: ADDRESS })
  })

  test('a report’s deadline takes back what is unanswered, and only that', async () => {
    holdTimers()
    const server = await startServer(protocol)
    const nextQuestion = holdQuestions(server)
    const lookup = createLookup(createDns([server]), { deadlineMs: 200 })
    const [quick, slow] = [lookup.ask('quick.acme.test', 'A'), lookup.ask('slow.acme.test', 'A')]
    const exchanges = [await nextQuestion(), await nextQuestion()]
    const exchangeOf = (question: string) =>
      exchanges.find((exchange) => exchange.question === question)
    exchangeOf('A quick.acme.test')?.send()
    expect(await quick).toMatchObject({ records: ADDRESS })
    vi.advanceTimersByTime(200)
    expect(await slow).toMatchObject({ kind: 'failed', reason: 'timeout', resolver: null })
    expect(await exchangeOf('A slow.acme.test')?.ending).toBe('cancelled')
    expect(lookup.resolvers()).toEqual([server.url.host])
    lookup.end()
  })
})

test('over h2 a question is taken back with CANCEL, and the session goes on', async () => {
  const server = await startServer()
  const nextQuestion = holdQuestions(server)
  const dns = createDns([server])
  const caller = new AbortController()
  const answer = ask(dns, 'A acme.test', caller.signal)
  const { stream, ending } = await nextQuestion()
  caller.abort()
  await answer
  await ending
  expect(stream.rstCode).toBe(constants.NGHTTP2_CANCEL)
  server.respond = (exchange) => exchange.send()
  expect(await ask(dns, 'A b.acme.test')).toMatchObject({ records: ADDRESS })
  expect(server.connections()).toBe(1)
})

test('a caller who leaves takes the question back from the hedge, too', async () => {
  const [first, second] = [await startServer(), await startServer()]
  const [ofFirst, ofSecond] = [holdQuestions(first), holdQuestions(second)]
  const dns = createDns([first, second], { hedgeAfterMs: 10 })
  const caller = new AbortController()
  const answer = ask(dns, 'A acme.test', caller.signal)
  const exchanges = [await ofFirst(), await ofSecond()]
  caller.abort()
  expect(await answer).toMatchObject({ kind: 'failed', reason: 'aborted' })
  for (const { ending } of exchanges) expect(await ending).toBe('cancelled')
})

test('callers who leave say nothing against the resolver', async () => {
  const server = await startServer()
  const nextQuestion = holdQuestions(server)
  const dns = createDns([server])
  for (let time = 0; time < 8; time++) {
    const caller = new AbortController()
    const answer = ask(dns, 'A acme.test', caller.signal)
    await nextQuestion()
    caller.abort()
    await answer
  }
  server.respond = (exchange) => exchange.send()
  expect(await ask(dns, 'A b.acme.test')).toMatchObject({ records: ADDRESS })
})
