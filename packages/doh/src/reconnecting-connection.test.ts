import { describe, expect, test } from 'vitest'
import { type DohConnection, type DohResult, unreachableResult } from './doh-connection.js'
import { createReconnectingConnection } from './reconnecting-connection.js'

const REPLY: DohResult = {
  kind: 'response',
  status: 200,
  contentType: 'application/dns-message',
  retryAfter: undefined,
  body: Buffer.from('answer'),
}
const LOST = unreachableResult('the connection went away')
const REFUSED = unreachableResult('the stream broke', false)
const CLOSED = unreachableResult('the connection was closed by the client', false)

interface Request {
  readonly path: string
  readonly done: (reply: DohResult) => void
  isCancelled: boolean
}

/** A connection that does nothing of itself: the test answers, breaks and inspects it. */
function fakeConnection() {
  const requests: Request[] = []
  const state = { isUsable: true, isClosed: false, suspicions: 0 }
  const connection: DohConnection = {
    isUsable: () => state.isUsable,
    get(path, done) {
      const request = { path, done, isCancelled: false }
      requests.push(request)
      return () => {
        request.isCancelled = true
      }
    },
    checkLiveness() {
      state.suspicions++
    },
    close() {
      state.isClosed = true
      state.isUsable = false
    },
  }
  return { connection, requests, state, paths: () => requests.map(({ path }) => path) }
}

/** A transport whose connections are opened, or fail to open, when the test says so. */
function setUp() {
  const attempts: {
    signal: AbortSignal
    succeed: (connection: DohConnection) => void
    fail: (error: Error) => void
  }[] = []
  const transport = createReconnectingConnection(
    (signal) =>
      new Promise((succeed, fail) => {
        attempts.push({ signal, succeed, fail })
      }),
  )
  const ask = (path: string) => {
    const replies: DohResult[] = []
    const cancel = transport.get(path, (reply) => replies.push(reply))
    return { replies, cancel }
  }
  /** Opens the connection that the transport is waiting for. */
  const connect = async () => {
    const fake = fakeConnection()
    attempts.at(-1)?.succeed(fake.connection)
    await settled()
    return fake
  }
  return { transport, attempts, ask, connect }
}

/** All promises that can settle have done so. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

describe('one connection', () => {
  test('is not opened before a question needs it', () => {
    expect(setUp().attempts).toHaveLength(0)
  })

  test('is opened once for all questions that wait for it, and serves later ones too', async () => {
    const { attempts, ask, connect } = setUp()
    const [one, two] = [ask('/one'), ask('/two')]
    expect(attempts).toHaveLength(1)
    const { requests, paths } = await connect()
    const three = ask('/three')
    expect(paths()).toEqual(['/one', '/two', '/three'])
    expect(attempts).toHaveLength(1)

    for (const { done } of requests) done(REPLY)
    expect([one, two, three].map(({ replies }) => replies)).toEqual([[REPLY], [REPLY], [REPLY]])
  })

  test('that cannot be opened breaks the questions that wait, and the next tries again', async () => {
    const { attempts, ask, connect } = setUp()
    const [one, two] = [ask('/one'), ask('/two')]
    attempts[0]?.fail(new Error('connection refused'))
    await settled()
    expect(one.replies).toEqual([unreachableResult('connection refused')])
    expect(two.replies).toEqual([unreachableResult('connection refused')])

    const three = ask('/three')
    expect(attempts).toHaveLength(2)
    const { requests } = await connect()
    requests[0]?.done(REPLY)
    expect(three.replies).toEqual([REPLY])
  })

  test('that every address refuses is broken with the one word Node has for it', async () => {
    const { attempts, ask } = setUp()
    const { replies } = ask('/one')
    const refusals = [new Error('::1 refused'), new Error('127.0.0.1 refused')]
    attempts[0]?.fail(Object.assign(new AggregateError(refusals), { code: 'ECONNREFUSED' }))
    await settled()
    expect(replies).toEqual([unreachableResult('ECONNREFUSED')])
  })

  test('that is no longer usable is replaced for the next question', async () => {
    const { attempts, ask, connect } = setUp()
    const one = ask('/one')
    const first = await connect()
    first.state.isUsable = false
    ask('/two')
    expect(attempts).toHaveLength(2)
    const second = await connect()
    expect(second.paths()).toEqual(['/two'])
    // What is under way on the old one is still answered by it.
    first.requests[0]?.done(REPLY)
    expect(one.replies).toEqual([REPLY])
  })

  test('is the one suspected', async () => {
    const { transport, ask, connect } = setUp()
    transport.checkLiveness()
    ask('/one')
    transport.checkLiveness()
    const { state } = await connect()
    transport.checkLiveness()
    expect(state.suspicions).toBe(1)
  })
})

describe('a lost connection', () => {
  test('has its questions asked again over a new one', async () => {
    const { attempts, ask, connect } = setUp()
    const { replies } = ask('/one')
    const first = await connect()
    first.state.isUsable = false
    first.requests[0]?.done(LOST)
    expect(attempts).toHaveLength(2)
    const second = await connect()
    second.requests[0]?.done(REPLY)
    expect(replies).toEqual([REPLY])
  })

  test('may be one stream’s loss only: then it is asked again over the same', async () => {
    const { attempts, ask, connect } = setUp()
    const { replies } = ask('/one')
    const { requests } = await connect()
    requests[0]?.done(LOST)
    expect(attempts).toHaveLength(1)
    requests[1]?.done(REPLY)
    expect(replies).toEqual([REPLY])
  })

  test('is forgiven once per question, not twice', async () => {
    const { ask, connect } = setUp()
    const { replies } = ask('/one')
    const { requests } = await connect()
    requests[0]?.done(LOST)
    expect(replies).toEqual([])
    requests[1]?.done(LOST)
    expect(replies).toEqual([LOST])
    expect(requests).toHaveLength(2)
  })

  test('that cannot be replaced is broken', async () => {
    const { attempts, ask, connect } = setUp()
    const { replies } = ask('/one')
    const first = await connect()
    first.state.isUsable = false
    first.requests[0]?.done(LOST)
    attempts[1]?.fail(new Error('connection refused'))
    await settled()
    expect(replies).toEqual([unreachableResult('connection refused')])
    expect(attempts).toHaveLength(2)
  })

  test('is not what a broken reply means when the connection is sound', async () => {
    const { ask, connect } = setUp()
    const { replies } = ask('/one')
    const { requests } = await connect()
    requests[0]?.done(REFUSED)
    expect(replies).toEqual([REFUSED])
    expect(requests).toHaveLength(1)
  })
})

describe('a cancelled question', () => {
  test('is cancelled on its connection', async () => {
    const { ask, connect } = setUp()
    const { cancel } = ask('/one')
    const { requests } = await connect()
    cancel()
    expect(requests[0]?.isCancelled).toBe(true)
  })

  test('is never sent when the connection was not yet there', async () => {
    const { ask, connect } = setUp()
    const [one, two] = [ask('/one'), ask('/two')]
    one.cancel()
    const { paths } = await connect()
    expect(paths()).toEqual(['/two'])
    expect(two.replies).toEqual([])
  })

  test('hears nothing of a connection that fails to open', async () => {
    const { attempts, ask } = setUp()
    const { replies, cancel } = ask('/one')
    cancel()
    attempts[0]?.fail(new Error('connection refused'))
    await settled()
    expect(replies).toEqual([])
  })

  test('is cancelled on the second connection when it has moved there', async () => {
    const { ask, connect } = setUp()
    const { cancel } = ask('/one')
    const first = await connect()
    first.state.isUsable = false
    first.requests[0]?.done(LOST)
    const second = await connect()
    cancel()
    expect(second.requests[0]?.isCancelled).toBe(true)
  })

  test('is not sent again when it is given up between two connections', async () => {
    const { ask, connect } = setUp()
    const { replies, cancel } = ask('/one')
    const first = await connect()
    first.state.isUsable = false
    first.requests[0]?.done(LOST)
    cancel()
    const second = await connect()
    expect(second.requests).toHaveLength(0)
    expect(replies).toEqual([])
  })
})

describe('closing', () => {
  test('closes the connection and breaks what is under way, at once and only once', async () => {
    const { transport, attempts, ask, connect } = setUp()
    const { replies } = ask('/one')
    const { requests, state } = await connect()
    transport.close()
    expect(state.isClosed).toBe(true)
    expect(requests[0]?.isCancelled).toBe(true)
    expect(replies).toEqual([CLOSED])
    transport.close()
    await settled()
    expect(replies).toEqual([CLOSED])
    expect(attempts).toHaveLength(1)
  })

  test('reaches questions on a connection that was already replaced', async () => {
    const { transport, ask, connect } = setUp()
    const one = ask('/one')
    const first = await connect()
    first.state.isUsable = false
    ask('/two')
    await connect()
    transport.close()
    expect(first.requests[0]?.isCancelled).toBe(true)
    expect(one.replies).toEqual([CLOSED])
  })

  test('tells whoever is connecting, and closes what comes of it', async () => {
    const { transport, attempts, ask, connect } = setUp()
    const { replies } = ask('/one')
    transport.close()
    expect(attempts[0]?.signal.aborted).toBe(true)
    expect(replies).toEqual([CLOSED])
    const { state, requests } = await connect()
    expect(state.isClosed).toBe(true)
    expect(requests).toHaveLength(0)
    expect(replies).toEqual([CLOSED])
  })

  test('is final: a later question is broken, and opens nothing', async () => {
    const { transport, attempts, ask, connect } = setUp()
    ask('/one')
    await connect()
    transport.close()
    const late = ask('/two')
    // Never before `get` has returned, or the caller could not yet cancel.
    expect(late.replies).toEqual([])
    await settled()
    expect(late.replies).toEqual([unreachableResult('the connection was closed by the client')])
    expect(attempts).toHaveLength(1)
  })

  test('is final even for whoever asks again the moment it is told', async () => {
    const { transport, attempts, connect } = setUp()
    const replies: DohResult[] = []
    transport.get('/one', (reply) => {
      replies.push(reply)
      transport.get('/again', (second) => replies.push(second))
    })
    const { paths } = await connect()
    transport.close()
    await settled()
    expect(replies).toEqual([CLOSED, unreachableResult('the connection was closed by the client')])
    expect(paths()).toEqual(['/one'])
    expect(attempts).toHaveLength(1)
  })

  test('does not answer a question that was cancelled before', async () => {
    const { transport, ask, connect } = setUp()
    const { replies, cancel } = ask('/one')
    await connect()
    cancel()
    transport.close()
    expect(replies).toEqual([])
  })

  test('does not answer a question twice that was answered before', async () => {
    const { transport, ask, connect } = setUp()
    const { replies } = ask('/one')
    const { requests } = await connect()
    requests[0]?.done(REPLY)
    transport.close()
    expect(replies).toEqual([REPLY])
  })
})
