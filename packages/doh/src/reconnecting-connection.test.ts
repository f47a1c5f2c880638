import { describe, expect, test } from 'vitest'
import { type DohConnection, type DohResult, unreachableResult } from './doh-connection.js'
import { createReconnectingConnection } from './reconnecting-connection.js'

const RESPONSE: DohResult = {
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
  readonly done: (result: DohResult) => void
  isCancelled: boolean
}

/** A connection that the test answers, breaks and inspects. */
function fakeConnection() {
  const requests: Request[] = []
  const state = { isUsable: true, isClosed: false, livenessChecks: 0 }
  const connection: DohConnection = {
    isUsable: () => state.isUsable,
    get(path, sink) {
      const done = (result: DohResult) => sink.onResult(result)
      const request = { path, done, isCancelled: false }
      requests.push(request)
      return {
        cancel() {
          request.isCancelled = true
        },
      }
    },
    checkLiveness() {
      state.livenessChecks++
    },
    close() {
      state.isClosed = true
      state.isUsable = false
    },
  }
  return { connection, requests, state, paths: () => requests.map(({ path }) => path) }
}

/** The test decides when connections open or fail to open. */
function setUp() {
  const attempts: {
    signal: AbortSignal
    succeed: (connection: DohConnection) => void
    fail: (error: Error) => void
  }[] = []
  const connection = createReconnectingConnection(
    (signal) =>
      new Promise((succeed, fail) => {
        attempts.push({ signal, succeed, fail })
      }),
  )
  const get = (path: string) => {
    const results: DohResult[] = []
    const request = connection.get(path, { onResult: (result) => results.push(result) })
    return { results, cancel: () => request.cancel() }
  }
  /** Opens the connection under way. */
  const connect = async () => {
    const fake = fakeConnection()
    attempts.at(-1)?.succeed(fake.connection)
    await settled()
    return fake
  }
  return { connection, attempts, get, connect }
}

/** Waits until every promise that can settle has settled. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

describe('connection', () => {
  test('is not opened before the first request', () => {
    expect(setUp().attempts).toHaveLength(0)
  })

  test('is opened once for all waiting requests and reused', async () => {
    const { attempts, get, connect } = setUp()
    const [one, two] = [get('/one'), get('/two')]
    expect(attempts).toHaveLength(1)
    const { requests, paths } = await connect()
    const three = get('/three')
    expect(paths()).toEqual(['/one', '/two', '/three'])
    expect(attempts).toHaveLength(1)

    for (const { done } of requests) done(RESPONSE)
    expect([one, two, three].map(({ results }) => results)).toEqual([
      [RESPONSE],
      [RESPONSE],
      [RESPONSE],
    ])
  })

  test('that cannot be opened fails the waiting requests; the next one tries again', async () => {
    const { attempts, get, connect } = setUp()
    const [one, two] = [get('/one'), get('/two')]
    attempts[0]?.fail(new Error('connection refused'))
    await settled()
    expect(one.results).toEqual([unreachableResult('connection refused')])
    expect(two.results).toEqual([unreachableResult('connection refused')])

    const three = get('/three')
    expect(attempts).toHaveLength(2)
    const { requests } = await connect()
    requests[0]?.done(RESPONSE)
    expect(three.results).toEqual([RESPONSE])
  })

  test('that every IP address refuses fails with Node’s error code', async () => {
    const { attempts, get } = setUp()
    const { results } = get('/one')
    const refusals = [new Error('::1 refused'), new Error('127.0.0.1 refused')]
    attempts[0]?.fail(Object.assign(new AggregateError(refusals), { code: 'ECONNREFUSED' }))
    await settled()
    expect(results).toEqual([unreachableResult('ECONNREFUSED')])
  })

  test('that is no longer usable is replaced for the next request', async () => {
    const { attempts, get, connect } = setUp()
    const one = get('/one')
    const first = await connect()
    first.state.isUsable = false
    get('/two')
    expect(attempts).toHaveLength(2)
    const second = await connect()
    expect(second.paths()).toEqual(['/two'])
    // Requests in flight on the old connection are still answered.
    first.requests[0]?.done(RESPONSE)
    expect(one.results).toEqual([RESPONSE])
  })

  test('gets the liveness check', async () => {
    const { connection, get, connect } = setUp()
    connection.checkLiveness()
    get('/one')
    connection.checkLiveness()
    const { state } = await connect()
    connection.checkLiveness()
    expect(state.livenessChecks).toBe(1)
  })
})

describe('lost connection', () => {
  test('has its requests repeated on a new one', async () => {
    const { attempts, get, connect } = setUp()
    const { results } = get('/one')
    const first = await connect()
    first.state.isUsable = false
    first.requests[0]?.done(LOST)
    expect(attempts).toHaveLength(2)
    const second = await connect()
    second.requests[0]?.done(RESPONSE)
    expect(results).toEqual([RESPONSE])
  })

  test('may be a lost stream: the request is repeated on the same connection', async () => {
    const { attempts, get, connect } = setUp()
    const { results } = get('/one')
    const { requests } = await connect()
    requests[0]?.done(LOST)
    expect(attempts).toHaveLength(1)
    requests[1]?.done(RESPONSE)
    expect(results).toEqual([RESPONSE])
  })

  test('causes one retry per request', async () => {
    const { get, connect } = setUp()
    const { results } = get('/one')
    const { requests } = await connect()
    requests[0]?.done(LOST)
    expect(results).toEqual([])
    requests[1]?.done(LOST)
    expect(results).toEqual([LOST])
    expect(requests).toHaveLength(2)
  })

  test('that cannot be replaced fails the request', async () => {
    const { attempts, get, connect } = setUp()
    const { results } = get('/one')
    const first = await connect()
    first.state.isUsable = false
    first.requests[0]?.done(LOST)
    attempts[1]?.fail(new Error('connection refused'))
    await settled()
    expect(results).toEqual([unreachableResult('connection refused')])
    expect(attempts).toHaveLength(2)
  })

  test('is not assumed when a request fails on a usable connection', async () => {
    const { get, connect } = setUp()
    const { results } = get('/one')
    const { requests } = await connect()
    requests[0]?.done(REFUSED)
    expect(results).toEqual([REFUSED])
    expect(requests).toHaveLength(1)
  })
})

describe('HTTP 421', () => {
  const MISDIRECTED: DohResult = { ...RESPONSE, status: 421 }

  test('from a connection that takes no more requests is repeated once on a new one', async () => {
    const { attempts, get, connect } = setUp()
    const { results } = get('/one')
    const first = await connect()
    first.state.isUsable = false
    first.requests[0]?.done(MISDIRECTED)
    expect(attempts).toHaveLength(2)
    const second = await connect()
    second.state.isUsable = false
    second.requests[0]?.done(MISDIRECTED)
    expect(results).toEqual([MISDIRECTED])
    expect(attempts).toHaveLength(2)
  })

  test('from a connection that takes requests is the result', async () => {
    const { get, connect } = setUp()
    const { results } = get('/one')
    const { requests } = await connect()
    requests[0]?.done(MISDIRECTED)
    expect(results).toEqual([MISDIRECTED])
    expect(requests).toHaveLength(1)
  })
})

describe('cancelled request', () => {
  test('is cancelled on its connection', async () => {
    const { get, connect } = setUp()
    const { cancel } = get('/one')
    const { requests } = await connect()
    cancel()
    expect(requests[0]?.isCancelled).toBe(true)
  })

  test('is never sent when the connection was not open', async () => {
    const { get, connect } = setUp()
    const [one, two] = [get('/one'), get('/two')]
    one.cancel()
    const { paths } = await connect()
    expect(paths()).toEqual(['/two'])
    expect(two.results).toEqual([])
  })

  test('gets no result when the connection fails to open', async () => {
    const { attempts, get } = setUp()
    const { results, cancel } = get('/one')
    cancel()
    attempts[0]?.fail(new Error('connection refused'))
    await settled()
    expect(results).toEqual([])
  })

  test('is cancelled on the second connection after a retry', async () => {
    const { get, connect } = setUp()
    const { cancel } = get('/one')
    const first = await connect()
    first.state.isUsable = false
    first.requests[0]?.done(LOST)
    const second = await connect()
    cancel()
    expect(second.requests[0]?.isCancelled).toBe(true)
  })

  test('is not repeated when it is cancelled between two connections', async () => {
    const { get, connect } = setUp()
    const { results, cancel } = get('/one')
    const first = await connect()
    first.state.isUsable = false
    first.requests[0]?.done(LOST)
    cancel()
    const second = await connect()
    expect(second.requests).toHaveLength(0)
    expect(results).toEqual([])
  })
})

describe('close', () => {
  test('closes the connection and fails requests in flight once', async () => {
    const { connection, attempts, get, connect } = setUp()
    const { results } = get('/one')
    const { requests, state } = await connect()
    connection.close()
    expect(state.isClosed).toBe(true)
    expect(requests[0]?.isCancelled).toBe(true)
    expect(results).toEqual([CLOSED])
    connection.close()
    await settled()
    expect(results).toEqual([CLOSED])
    expect(attempts).toHaveLength(1)
  })

  test('fails requests on a connection that was already replaced', async () => {
    const { connection, get, connect } = setUp()
    const one = get('/one')
    const first = await connect()
    first.state.isUsable = false
    get('/two')
    await connect()
    connection.close()
    expect(first.requests[0]?.isCancelled).toBe(true)
    expect(one.results).toEqual([CLOSED])
  })

  test('aborts a connection that is opening and closes it if it opens', async () => {
    const { connection, attempts, get, connect } = setUp()
    const { results } = get('/one')
    connection.close()
    expect(attempts[0]?.signal.aborted).toBe(true)
    expect(results).toEqual([CLOSED])
    const { state, requests } = await connect()
    expect(state.isClosed).toBe(true)
    expect(requests).toHaveLength(0)
    expect(results).toEqual([CLOSED])
  })

  test('makes later requests fail without opening a connection', async () => {
    const { connection, attempts, get, connect } = setUp()
    get('/one')
    await connect()
    connection.close()
    const late = get('/two')
    // Not before `get` has returned the cancel function.
    expect(late.results).toEqual([])
    await settled()
    expect(late.results).toEqual([unreachableResult('the connection was closed by the client')])
    expect(attempts).toHaveLength(1)
  })

  test('makes a request fail that is sent from a callback', async () => {
    const { connection, attempts, connect } = setUp()
    const results: DohResult[] = []
    connection.get('/one', {
      onResult(result) {
        results.push(result)
        connection.get('/again', { onResult: (second) => results.push(second) })
      },
    })
    const { paths } = await connect()
    connection.close()
    await settled()
    expect(results).toEqual([CLOSED, unreachableResult('the connection was closed by the client')])
    expect(paths()).toEqual(['/one'])
    expect(attempts).toHaveLength(1)
  })

  test('does not answer a cancelled request', async () => {
    const { connection, get, connect } = setUp()
    const { results, cancel } = get('/one')
    await connect()
    cancel()
    connection.close()
    expect(results).toEqual([])
  })

  test('does not answer a request twice', async () => {
    const { connection, get, connect } = setUp()
    const { results } = get('/one')
    const { requests } = await connect()
    requests[0]?.done(RESPONSE)
    connection.close()
    expect(results).toEqual([RESPONSE])
  })
})
