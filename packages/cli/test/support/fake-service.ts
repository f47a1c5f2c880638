/** A service that answers as a test says, for faults that the real one does not have on demand. */
import { createServer, type IncomingMessage } from 'node:http'
import { listenOnLoopback } from '@mailgrade/testing/listen-on-loopback'
import { onTestFinished } from 'vitest'

export interface FakeAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: object | string
}

/** `hang` never answers, `drop` closes the connection. */
type Behavior = FakeAnswer | 'hang' | 'drop'

export interface FakeService {
  readonly url: URL
  /** Path and query of every request, in order. */
  readonly requests: string[]
  readonly authorizations: (string | undefined)[]
  /** The PAYMENT-SIGNATURE of every request that has one. */
  readonly payments: string[]
}

export async function startFakeService(
  behave: (request: IncomingMessage, count: number) => Behavior,
): Promise<FakeService> {
  const requests: string[] = []
  const authorizations: (string | undefined)[] = []
  const payments: string[] = []
  const server = createServer((request, response) => {
    requests.push(request.url ?? '')
    authorizations.push(request.headers.authorization)
    const payment = request.headers['payment-signature']
    if (typeof payment === 'string') payments.push(payment)
    const behavior = behave(request, requests.length)
    if (behavior === 'hang') return
    if (behavior === 'drop') {
      request.socket.destroy()
      return
    }
    const { status, headers = {}, body = {} } = behavior
    response.writeHead(status, headers)
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  })
  const port = await listenOnLoopback(server)
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: new URL(`http://127.0.0.1:${port}`), requests, authorizations, payments }
}
