/** Keeps one connection to one resolver: opens it when first needed, replaces it when lost. */
import {
  type Cancellable,
  type DohConnection,
  type DohResult,
  describeConnectError,
  MISDIRECTED_REQUEST,
  type ResultSink,
  unreachableResult,
} from './doh-connection.js'

export type ReconnectingConnection = Omit<DohConnection, 'isUsable'>

interface RequestOwner {
  onResult(request: MovableRequest, result: DohResult): void
  onCancel(request: MovableRequest): void
}

/** A request that may move to another connection. */
class MovableRequest implements ResultSink, Cancellable {
  readonly path: string
  readonly sink: ResultSink
  /** A query is safe to repeat, but only once: a resolver that always hangs up must be noticed. */
  canRetry = true
  connection: DohConnection | null = null
  /** In the list of pending requests; -1 when it is over. */
  position = -1
  /** The request on that connection. */
  current: Cancellable | null = null
  readonly #owner: RequestOwner

  constructor(path: string, sink: ResultSink, owner: RequestOwner) {
    this.path = path
    this.sink = sink
    this.#owner = owner
  }

  get isPending(): boolean {
    return this.position >= 0
  }

  onResult(result: DohResult): void {
    this.#owner.onResult(this, result)
  }

  cancel(): void {
    this.#owner.onCancel(this)
  }
}

export function createReconnectingConnection(
  open: (signal: AbortSignal) => Promise<DohConnection>,
): ReconnectingConnection {
  let current: DohConnection | null = null
  let opening: Promise<DohConnection> | null = null
  const closing = new AbortController()
  /** On whichever connection they were sent. */
  const pending: MovableRequest[] = []

  async function connect(): Promise<DohConnection> {
    closing.signal.throwIfAborted()
    const connection = await open(closing.signal)
    if (closing.signal.aborted) {
      connection.close()
      throw closing.signal.reason
    }
    current = connection
    return connection
  }

  function reconnect(): Promise<DohConnection> {
    opening ??= connect().finally(() => {
      opening = null
    })
    return opening
  }

  function send(request: MovableRequest): void {
    if (current?.isUsable()) {
      sendOver(request, current)
      return
    }
    // Both outcomes are handled, so the promise cannot reject.
    void reconnect().then(
      (connection) => {
        if (request.isPending) sendOver(request, connection)
      },
      (error: Error) => finish(request, unreachableResult(describeConnectError(error))),
    )
  }

  function sendOver(request: MovableRequest, connection: DohConnection): void {
    request.connection = connection
    request.current = connection.get(request.path, request)
  }

  function finish(request: MovableRequest, result: DohResult): void {
    if (remove(request)) request.sink.onResult(result)
  }

  /** The last request takes its place: a `Set` would allocate much more. */
  function remove(request: MovableRequest): boolean {
    if (!request.isPending) return false
    const last = pending.pop()
    if (last && last !== request) {
      pending[request.position] = last
      last.position = request.position
    }
    request.position = -1
    return true
  }

  const owner: RequestOwner = {
    onResult(request, result) {
      if (request.canRetry && mayMove(result, request.connection)) {
        request.canRetry = false
        send(request)
      } else finish(request, result)
    },
    onCancel(request) {
      if (remove(request)) request.current?.cancel()
    },
  }

  return {
    get(path, sink) {
      const request = new MovableRequest(path, sink, owner)
      request.position = pending.push(request) - 1
      send(request)
      return request
    },
    checkLiveness: () => current?.checkLiveness(),
    close() {
      closing.abort(new Error('the connection was closed by the client'))
      current?.close()
      current = null
      // A copy: a callback may send another request, which then fails on its own.
      for (const request of [...pending]) {
        request.cancel()
        request.sink.onResult(unreachableResult('the connection was closed by the client', false))
      }
    },
  }
}

/** Whether the request may succeed on another connection; a 421 only if it would be another one. */
function mayMove(result: DohResult, connection: DohConnection | null): boolean {
  if (result.kind === 'failure') return result.isConnectionLost
  return result.status === MISDIRECTED_REQUEST && !connection?.isUsable()
}
