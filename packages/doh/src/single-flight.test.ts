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

/** A flight deck whose flights land when the test says so. */
function setUp() {
  const join = createSingleFlight()
  const flights: { key: string; land: (answer: DnsAnswer) => void; isCancelled: boolean }[] = []
  const ask = (key: string, signal?: AbortSignal) =>
    join(
      key,
      (land) => {
        const flight = { key, land, isCancelled: false }
        flights.push(flight)
        return () => {
          flight.isCancelled = true
        }
      },
      signal,
    )
  return { ask, flights, join }
}

describe('joining', () => {
  test('equal questions at the same time are asked once, and all hear the answer', async () => {
    const { ask, flights } = setUp()
    const waiting = [ask('one'), ask('one'), ask('one')]
    expect(flights).toHaveLength(1)
    flights[0]?.land(answerOf('x'))
    expect(await Promise.all(waiting)).toEqual([answerOf('x'), answerOf('x'), answerOf('x')])
  })

  test('different questions are asked apart', async () => {
    const { ask, flights } = setUp()
    const [one, two] = [ask('one'), ask('two')]
    expect(flights.map(({ key }) => key)).toEqual(['one', 'two'])
    flights[1]?.land(answerOf('2'))
    flights[0]?.land(answerOf('1'))
    expect([await one, await two]).toEqual([answerOf('1'), answerOf('2')])
  })

  test('nothing is kept after the answer: the same question is asked anew', async () => {
    const { ask, flights } = setUp()
    const first = ask('one')
    flights[0]?.land(answerOf('old'))
    const second = ask('one')
    expect(flights).toHaveLength(2)
    flights[1]?.land(answerOf('new'))
    expect([await first, await second]).toEqual([answerOf('old'), answerOf('new')])
  })

  test('an answer that is there at once is heard too', async () => {
    const { join } = setUp()
    const start = (land: (answer: DnsAnswer) => void) => {
      land(answerOf('at once'))
      return () => {}
    }
    expect(await join('one', start)).toEqual(answerOf('at once'))
    expect(await join('one', start)).toEqual(answerOf('at once'))
  })
})

describe('leaving', () => {
  test('one waiter’s leaving does not concern the others', async () => {
    const { ask, flights } = setUp()
    const caller = new AbortController()
    const [leaving, staying] = [ask('one', caller.signal), ask('one')]
    caller.abort()
    expect(await leaving).toEqual(ABORTED)
    expect(flights[0]?.isCancelled).toBe(false)
    flights[0]?.land(answerOf('x'))
    expect(await staying).toEqual(answerOf('x'))
  })

  test('the first waiter’s leaving does not concern those who joined it', async () => {
    const { ask, flights } = setUp()
    const callers = [new AbortController(), new AbortController()] as const
    const [first, second] = callers.map(({ signal }) => ask('one', signal))
    callers[0].abort()
    flights[0]?.land(answerOf('x'))
    expect([await first, await second]).toEqual([ABORTED, answerOf('x')])
  })

  test('whoever of several leaves, it is the others who hear the answer', async () => {
    const { ask, flights } = setUp()
    const caller = new AbortController()
    const other = new AbortController()
    const waiting = [ask('one', other.signal), ask('one', caller.signal), ask('one', other.signal)]
    caller.abort()
    flights[0]?.land(answerOf('x'))
    expect(await Promise.all(waiting)).toEqual([answerOf('x'), ABORTED, answerOf('x')])
  })

  test('the last waiter’s leaving cancels the question', async () => {
    const { ask, flights } = setUp()
    const callers = [new AbortController(), new AbortController()] as const
    const waiting = callers.map(({ signal }) => ask('one', signal))
    callers[0].abort()
    expect(flights[0]?.isCancelled).toBe(false)
    callers[1].abort()
    expect(flights[0]?.isCancelled).toBe(true)
    expect(await Promise.all(waiting)).toEqual([ABORTED, ABORTED])
  })

  test('who asks after a cancelled question starts a new one', async () => {
    const { ask, flights } = setUp()
    const caller = new AbortController()
    ask('one', caller.signal)
    caller.abort()
    const next = ask('one')
    expect(flights).toHaveLength(2)
    flights[1]?.land(answerOf('x'))
    expect(await next).toEqual(answerOf('x'))
  })

  test('a cancelled question that is answered all the same does not disturb its successor', () => {
    const { ask, flights } = setUp()
    const caller = new AbortController()
    ask('one', caller.signal)
    caller.abort()
    ask('one')
    flights[0]?.land(answerOf('too late'))
    ask('one')
    expect(flights).toHaveLength(2)
  })

  test('one signal for several questions ends them all', async () => {
    const { ask, flights } = setUp()
    const caller = new AbortController()
    const waiting = [
      ask('one', caller.signal),
      ask('two', caller.signal),
      ask('one', caller.signal),
    ]
    caller.abort()
    expect(await Promise.all(waiting)).toEqual([ABORTED, ABORTED, ABORTED])
    expect(flights.map(({ isCancelled }) => isCancelled)).toEqual([true, true])
  })

  test('a deadline is told apart from a caller who left', async () => {
    const { ask } = setUp()
    const caller = new AbortController()
    const waiting = ask('one', caller.signal)
    caller.abort(new DOMException('deadline', 'TimeoutError'))
    expect(await waiting).toEqual(TIMED_OUT)
  })

  test('any reason to leave is a reason', async () => {
    const { ask } = setUp()
    const reasons = [null, 'enough', new Error('enough')]
    const answers = reasons.map((reason) => {
      const caller = new AbortController()
      const waiting = ask('one', caller.signal)
      caller.abort(reason)
      return waiting
    })
    expect(await Promise.all(answers)).toEqual([ABORTED, ABORTED, ABORTED])
  })

  test('whoever has left before asking is not asked for', async () => {
    const { ask, flights } = setUp()
    expect(await ask('one', AbortSignal.abort())).toEqual(ABORTED)
    const deadline = AbortSignal.abort(new DOMException('deadline', 'TimeoutError'))
    expect(await ask('one', deadline)).toEqual(TIMED_OUT)
    expect(flights).toHaveLength(0)
  })

  test('a signal is listened to once, however many questions it stands for', async () => {
    const { ask, flights } = setUp()
    const caller = new AbortController()
    const [one, two] = [ask('one', caller.signal), ask('two', caller.signal)]
    expect(getEventListeners(caller.signal, 'abort')).toHaveLength(1)
    flights[0]?.land(answerOf('1'))
    expect(await one).toEqual(answerOf('1'))
    expect(getEventListeners(caller.signal, 'abort')).toHaveLength(1)
    caller.abort()
    expect(await two).toEqual(ABORTED)
    expect(flights.map(({ isCancelled }) => isCancelled)).toEqual([false, true])
  })

  test('an answered question leaves no listener behind, and leaving later does nothing', async () => {
    const { ask, flights } = setUp()
    const caller = new AbortController()
    const waiting = ask('one', caller.signal)
    expect(getEventListeners(caller.signal, 'abort')).toHaveLength(1)
    flights[0]?.land(answerOf('x'))
    await waiting
    expect(getEventListeners(caller.signal, 'abort')).toHaveLength(0)
    caller.abort()
    expect(flights[0]?.isCancelled).toBe(false)
  })
})
