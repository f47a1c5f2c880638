/** DoH over HTTP/1.1 with keep-alive, for resolvers without HTTP/2. */
import http, { type ClientRequest, type IncomingMessage } from 'node:http'
import https from 'node:https'
import type { ConnectionOptions } from 'node:tls'
import {
  DNS_MESSAGE_MEDIA_TYPE,
  type DohConnection,
  describeConnectError,
  PendingResponse,
  unreachableResult,
} from './doh-connection.js'

/** HTTP/1.1 carries one request per socket at a time. */
const MAX_SOCKETS = 64

export function createHttp1Connection(url: URL, tls: ConnectionOptions): DohConnection {
  const isTls = url.protocol === 'https:'
  const agentOptions = { keepAlive: true, maxSockets: MAX_SOCKETS }
  const agent = isTls
    ? new https.Agent({ ...agentOptions, ...tls, ALPNProtocols: ['http/1.1'] })
    : new http.Agent(agentOptions)
  const { request } = isTls ? https : http

  let isUsable = true

  return {
    isUsable: () => isUsable,
    get(path, sink) {
      const pending = new PendingResponse(sink)
      const outgoing = request(url, { path, agent, headers: { accept: DNS_MESSAGE_MEDIA_TYPE } })
      outgoing.on('response', (response) => receive(outgoing, response, pending))
      outgoing.on('error', (error) => {
        // After a failed connect, negotiate again: the resolver may offer HTTP/2 by now.
        if (!outgoing.reusedSocket) isUsable = false
        pending.settle(unreachableResult(describeConnectError(error), outgoing.reusedSocket))
      })
      outgoing.end()
      return {
        cancel() {
          pending.drop()
          outgoing.destroy()
        },
      }
    },
    // A timed-out request is cancelled, which destroys its socket: nothing is left to check.
    checkLiveness: () => {},
    close: () => agent.destroy(),
  }
}

function receive(
  outgoing: ClientRequest,
  response: IncomingMessage,
  pending: PendingResponse,
): void {
  const { statusCode = 0, headers } = response
  response.on('data', (chunk: Buffer) => {
    if (!pending.append(chunk)) outgoing.destroy()
  })
  response.on('error', (error) =>
    pending.settle(unreachableResult(describeConnectError(error), false)),
  )
  response.on('end', () =>
    pending.complete(statusCode, headers['content-type'], headers['retry-after']),
  )
}
