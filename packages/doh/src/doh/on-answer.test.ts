import { response } from '@mailgrade/testing/dns-message'
import { holdQuestions } from '@mailgrade/testing/doh-server'
import { describe, expect, test, vi } from 'vitest'
import {
  ask,
  createClock,
  createDns,
  holdTimers,
  startServer,
} from '../../test/support/doh-story.js'

type Told = Parameters<NonNullable<Parameters<typeof createDns>[1]>['onAnswer'] & object>[0]

describe('whoever counts questions is told', () => {
  test('of each answer once: by whom, what it was, and how long it took', async () => {
    const server = await startServer()
    const nextQuestion = holdQuestions(server)
    const clock = createClock()
    const told: Told[] = []
    const dns = createDns([server], { clock, onAnswer: (one) => told.push(one) })
    const answers = [ask(dns, 'A acme.test'), ask(dns, 'A acme.test')]
    const exchange = await nextQuestion()
    clock.advance(30)
    exchange.send()
    await Promise.all(answers)
    expect(told).toEqual([{ resolver: server.url.host, outcome: 'records', ms: 30 }])
  })

  test.each([
    ['nxdomain', response('A acme.test', { rcode: 3 })],
    ['nodata', response('A acme.test')],
    ['servfail', response('A acme.test', { rcode: 2 })],
    ['malformed', Buffer.from('garbage')],
  ])('of an answer that is %s', async (outcome, packet) => {
    const server = await startServer()
    server.respond = (exchange) => exchange.send(packet)
    const told: Told[] = []
    await ask(createDns([server], { onAnswer: (one) => told.push(one) }), 'A acme.test')
    expect(told.map((one) => one.outcome)).toEqual([outcome])
  })

  test('of a question that had its time', async () => {
    holdTimers()
    const server = await startServer()
    const nextQuestion = holdQuestions(server)
    const told: Told[] = []
    const dns = createDns([server], { questionTimeoutMs: 50, onAnswer: (one) => told.push(one) })
    const answer = ask(dns, 'A acme.test')
    await nextQuestion()
    vi.advanceTimersByTime(50)
    await answer
    expect(told).toMatchObject([{ resolver: server.url.host, outcome: 'timeout' }])
  })

  test('not of a question that was taken back', async () => {
    const server = await startServer()
    const nextQuestion = holdQuestions(server)
    const told: Told[] = []
    const dns = createDns([server], { onAnswer: (one) => told.push(one) })
    const caller = new AbortController()
    const answer = ask(dns, 'A acme.test', caller.signal)
    const { ending } = await nextQuestion()
    caller.abort()
    await answer
    expect(await ending).toBe('cancelled')
    expect(told).toEqual([])
  })
})

test('whether a resolver rests can be read without asking it anything', async () => {
  const server = await startServer()
  server.respond = ({ response: reply }) => {
    reply.writeHead(500).end()
  }
  const dns = createDns([server])
  const [resolver] = dns.resolvers
  expect(resolver?.isResting()).toBe(false)
  for (let time = 0; time < 5; time++) await ask(dns, 'A acme.test')
  expect(resolver?.isResting()).toBe(true)
  const asked = server.questions.filter((question) => question === 'A acme.test')
  expect(asked).toHaveLength(5)
})
