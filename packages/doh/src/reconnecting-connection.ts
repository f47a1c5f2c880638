/** Keeps one connection to one resolver: opened when first needed, replaced when lost. */
import {
  type Cancel,
  type DohConnection,
  type DohResult,
  describeConnectError,
  unreachableResult,
} from './doh-connection.js'

export type ReconnectingConnection = Omit<DohConnection, 'isUsable'>

interface Asked {
  readonly path: string
  readonly done: (reply: DohResult) => void
  /**
   * Asking again is safe, a question changes nothing; but only once, so that a resolver that hangs
   * up on every question is seen as what it is.
   */
  mayAskAgain: boolean
  cancelRequest: Cancel
}

const NOTHING = () => {}

export function createReconnectingConnection(
  open: (signal: AbortSignal) => Promise<DohConnection>,
): ReconnectingConnection {
  let current: DohConnection | null = null
  let opening: Promise<DohConnection> | null = null
  const closing = new AbortController()
  /** The questions without a reply yet, on whichever connection they are. */
  const unanswered = new Set<Asked>()

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

  function send(asked: Asked): void {
    if (current?.isUsable()) {
      sendOver(asked, current)
      return
    }
    reconnect().then(
      (connection) => unanswered.has(asked) && sendOver(asked, connection),
      (error: Error) => finish(asked, unreachableResult(describeConnectError(error))),
    )
  }

  function sendOver(asked: Asked, connection: DohConnection): void {
    asked.cancelRequest = connection.get(asked.path, (reply) => {
      const isLost = reply.kind === 'broken' && reply.isConnectionLost
      if (isLost && asked.mayAskAgain) {
        asked.mayAskAgain = false
        send(asked)
      } else finish(asked, reply)
    })
  }

  function finish(asked: Asked, reply: DohResult): void {
    if (unanswered.delete(asked)) asked.done(reply)
  }

  function cancel(asked: Asked): void {
    if (unanswered.delete(asked)) asked.cancelRequest()
  }

  return {
    get(path, done) {
      const asked: Asked = { path, done, mayAskAgain: true, cancelRequest: NOTHING }
      unanswered.add(asked)
      send(asked)
      return () => cancel(asked)
    },
    checkLiveness: () => current?.checkLiveness(),
    close() {
      closing.abort(new Error('the connection was closed by us'))
      current?.close()
      current = null
      // A copy: whoever is told may ask again, and is to be told so in its turn.
      for (const asked of [...unanswered]) {
        cancel(asked)
        asked.done(unreachableResult('the connection was closed by us', false))
      }
    },
  }
}
