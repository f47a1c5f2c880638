/** DoH over HTTP/1.1 with kept-alive sockets, for resolvers that offer nothing newer. */
import http, { type ClientRequest, type IncomingMessage } from 'node:http'
import https from 'node:https'
import type { ConnectionOptions } from 'node:tls'
import { broken, type Connection, DNS_MESSAGE, PendingReply, textOf } from './connection.js'

/** HTTP/1.1 carries one question per socket at a time. */
const MAX_SOCKETS = 64

export function createHttp1Connection(url: URL, tls: ConnectionOptions): Connection {
  const isTls = url.protocol === 'https:'
  const agentOptions = { keepAlive: true, maxSockets: MAX_SOCKETS }
  const agent = isTls
    ? new https.Agent({ ...agentOptions, ...tls, ALPNProtocols: ['http/1.1'] })
    : new http.Agent(agentOptions)
  const { request } = isTls ? https : http

  let isUsable = true

  return {
    isUsable: () => isUsable,
    get(path, done) {
      const pending = new PendingReply(done)
      const outgoing = request(url, { path, agent, headers: { accept: DNS_MESSAGE } })
      outgoing.on('response', (response) => receive(outgoing, response, pending))
      outgoing.on('error', (error) => {
        // A resolver that takes no new connection may have come to speak HTTP/2: find out anew.
        if (!outgoing.reusedSocket) isUsable = false
        pending.settle(broken(textOf(error), outgoing.reusedSocket))
      })
      outgoing.end()
      return () => {
        pending.cancel()
        outgoing.destroy()
      }
    },
    // A socket carries one question at a time and is destroyed with it: nothing is left to suspect.
    suspect: () => {},
    close: () => agent.destroy(),
  }
}

function receive(outgoing: ClientRequest, response: IncomingMessage, pending: PendingReply): void {
  const { statusCode = 0, headers } = response
  response.on('data', (chunk: Buffer) => {
    if (!pending.add(chunk)) outgoing.destroy()
  })
  response.on('error', (error) => pending.settle(broken(textOf(error), false)))
  response.on('end', () =>
    pending.complete(statusCode, headers['content-type'], headers['retry-after']),
  )
}
