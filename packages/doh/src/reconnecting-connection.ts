/** Keeps one connection to one resolver: opens it when first needed, replaces it when lost. */
import {
  type Cancel,
  type DohConnection,
  type DohResult,
  describeConnectError,
  MISDIRECTED_REQUEST,
  unreachableResult,
} from './doh-connection.js'

export type ReconnectingConnection = Omit<DohConnection, 'isUsable'>

interface PendingRequest {
  readonly path: string
  readonly done: (result: DohResult) => void
  /** A query is safe to repeat, but only once: a resolver that always hangs up must be noticed. */
  canRetry: boolean
  cancelRequest: Cancel
}

export function createReconnectingConnection(
  open: (signal: AbortSignal) => Promise<DohConnection>,
): ReconnectingConnection {
  let current: DohConnection | null = null
  let opening: Promise<DohConnection> | null = null
  const closing = new AbortController()
  /** On whichever connection they were sent. */
  const pending = new Set<PendingRequest>()

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

  function send(request: PendingRequest): void {
    if (current?.isUsable()) {
      sendOver(request, current)
      return
    }
    // Both outcomes are handled, so the promise cannot reject.
    void reconnect().then(
      (connection) => {
        if (pending.has(request)) sendOver(request, connection)
      },
      (error: Error) => finish(request, unreachableResult(describeConnectError(error))),
    )
  }

  function sendOver(request: PendingRequest, connection: DohConnection): void {
    request.cancelRequest = connection.get(request.path, (result) => {
      if (request.canRetry && mayMove(result, connection)) {
        request.canRetry = false
        send(request)
      } else finish(request, result)
    })
  }

  function finish(request: PendingRequest, result: DohResult): void {
    if (pending.delete(request)) request.done(result)
  }

  function cancel(request: PendingRequest): void {
    if (pending.delete(request)) request.cancelRequest()
  }

  return {
    get(path, done) {
      const request: PendingRequest = { path, done, canRetry: true, cancelRequest: () => {} }
      pending.add(request)
      send(request)
      return () => cancel(request)
    },
    checkLiveness: () => current?.checkLiveness(),
    close() {
      closing.abort(new Error('the connection was closed by the client'))
      current?.close()
      current = null
      // A copy: a callback may send another request, which then fails on its own.
      for (const request of [...pending]) {
        cancel(request)
        request.done(unreachableResult('the connection was closed by the client', false))
      }
    },
  }
}

/** Whether the request may succeed on another connection; a 421 only if it would be another one. */
function mayMove(result: DohResult, connection: DohConnection): boolean {
  if (result.kind === 'failure') return result.isConnectionLost
  return result.status === MISDIRECTED_REQUEST && !connection.isUsable()
}
