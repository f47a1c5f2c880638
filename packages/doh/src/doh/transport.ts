/** Keeps one connection to one resolver: opened when first needed, replaced when lost. */
import { broken, type Cancel, type Connection, type Reply, textOf } from './connection.js'

export type Transport = Omit<Connection, 'isUsable'>

interface Asked {
  readonly path: string
  readonly done: (reply: Reply) => void
  /**
   * Asking again is safe, a question changes nothing; but only once, so that a resolver that hangs
   * up on every question is seen as what it is.
   */
  mayAskAgain: boolean
  cancelRequest: Cancel
}

const NOTHING = () => {}

export function createTransport(open: (signal: AbortSignal) => Promise<Connection>): Transport {
  let current: Connection | null = null
  let opening: Promise<Connection> | null = null
  const closing = new AbortController()
  /** The questions without a reply yet, on whichever connection they are. */
  const unanswered = new Set<Asked>()

  async function connect(): Promise<Connection> {
    closing.signal.throwIfAborted()
    const connection = await open(closing.signal)
    if (closing.signal.aborted) {
      connection.close()
      throw closing.signal.reason
    }
    current = connection
    return connection
  }

  function reconnect(): Promise<Connection> {
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
      (error: Error) => finish(asked, broken(textOf(error))),
    )
  }

  function sendOver(asked: Asked, connection: Connection): void {
    asked.cancelRequest = connection.get(asked.path, (reply) => {
      const isLost = reply.kind === 'broken' && reply.isConnectionLost
      if (isLost && asked.mayAskAgain) {
        asked.mayAskAgain = false
        send(asked)
      } else finish(asked, reply)
    })
  }

  function finish(asked: Asked, reply: Reply): void {
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
    suspect: () => current?.suspect(),
    close() {
      closing.abort(new Error('the connection was closed by us'))
      current?.close()
      current = null
      // A copy: whoever is told may ask again, and is to be told so in its turn.
      for (const asked of [...unanswered]) {
        cancel(asked)
        asked.done(broken('the connection was closed by us', false))
      }
    },
  }
}
