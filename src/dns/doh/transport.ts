/** Keeps one connection to one resolver: opened when first needed, replaced when lost. */
import { broken, type Cancel, type Connection, type Reply } from './connection.js'

export type Transport = Omit<Connection, 'isUsable'>

export function createTransport(open: () => Promise<Connection>): Transport {
  let current: Connection | null = null
  let opening: Promise<Connection> | null = null
  let isClosed = false

  function reconnect(): Promise<Connection> {
    opening ??= open()
      .then((connection) => {
        if (isClosed) connection.close()
        current = connection
        return connection
      })
      .finally(() => {
        opening = null
      })
    return opening
  }

  function get(path: string, done: (reply: Reply) => void): Cancel {
    let isCancelled = false
    let cancelRequest: Cancel = () => {}

    const sendOver = (connection: Connection, mayAskAgain: boolean) => {
      cancelRequest = connection.get(path, (reply) => {
        const isLost = reply.kind === 'broken' && reply.isConnectionLost
        // Asking again is safe, a question changes nothing; but only once, so that a resolver
        // that hangs up on every question is seen as what it is.
        if (isLost && mayAskAgain) send(false)
        else done(reply)
      })
    }
    const send = (mayAskAgain: boolean) => {
      if (current?.isUsable()) return sendOver(current, mayAskAgain)
      reconnect().then(
        (connection) => isCancelled || sendOver(connection, mayAskAgain),
        (error: Error) => isCancelled || done(broken(error.message)),
      )
    }

    send(true)
    return () => {
      isCancelled = true
      cancelRequest()
    }
  }

  return {
    get,
    suspect: () => current?.suspect(),
    close() {
      isClosed = true
      current?.close()
    },
  }
}
