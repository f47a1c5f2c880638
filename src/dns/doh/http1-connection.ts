/** DoH over HTTP/1.1 with kept-alive sockets, for resolvers that offer nothing newer. */
import http, { type ClientRequest, type IncomingMessage } from 'node:http'
import https from 'node:https'
import type { ConnectionOptions } from 'node:tls'
import {
  Body,
  broken,
  type Connection,
  createSettlement,
  DNS_MESSAGE,
  OVERSIZED,
  type Reply,
  textOf,
} from './connection.js'

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
      const { settle, cancel } = createSettlement(done)
      const outgoing = request(url, { path, agent, headers: { accept: DNS_MESSAGE } })
      outgoing.on('response', (response) => receive(outgoing, response, settle))
      outgoing.on('error', (error) => {
        // A resolver that takes no new connection may have come to speak HTTP/2: find out anew.
        if (!outgoing.reusedSocket) isUsable = false
        settle(broken(textOf(error), outgoing.reusedSocket))
      })
      outgoing.end()
      return () => {
        cancel()
        outgoing.destroy()
      }
    },
    // A socket carries one question at a time and is destroyed with it: nothing is left to suspect.
    suspect: () => {},
    close: () => agent.destroy(),
  }
}

function receive(
  outgoing: ClientRequest,
  response: IncomingMessage,
  settle: (reply: Reply) => void,
): void {
  const body = new Body()
  response.on('data', (chunk: Buffer) => {
    if (body.add(chunk)) return
    settle(OVERSIZED)
    outgoing.destroy()
  })
  response.on('error', (error) => settle(broken(error.message, false)))
  response.on('end', () =>
    settle({
      kind: 'reply',
      status: response.statusCode ?? 0,
      contentType: response.headers['content-type'],
      retryAfter: response.headers['retry-after'],
      body: body.take(),
    }),
  )
}
