/** MCP over streamable HTTP, stateless: one message in, one answer out, in either of two eras. */
import {
  createMcpHandler,
  isJsonContentType,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { fault } from '../payments/setbacks.js'
import { doorkeeper } from './doorkeeper.js'
import { idOf, readMessage, type Sent } from './message.js'
import { refuseParams } from './params.js'
import { PAYMENT } from './replies.js'
import { INTERNAL_ERROR, REFUSED, rpcError } from './rpc-error.js'
import { type ServerOptions, serverOpener } from './server.js'
import type { Visit } from './tool.js'

export interface Mcp {
  answer(request: Request, body: string, visit: Visit): Promise<Response>
}

export function createMcp(options: ServerOptions): Mcp {
  const refuse = doorkeeper(options.baseUrl)
  const openServer = serverOpener(options)
  /** The SDK asks for a server by the request alone. */
  const visits = new WeakMap<Request, Visit>()
  const modern = createMcpHandler(({ requestInfo }) => openServer(visitOf(requestInfo)), {
    legacy: 'reject',
  })

  function visitOf(request: Request | undefined): Visit {
    const visit = request && visits.get(request)
    if (!visit) throw new Error('a request that nobody made')
    return visit
  }

  /** As JSON, which proxies pass on and people can read; the SDK would send a stream of one event. */
  async function answerLegacy(request: Request, message: Sent, visit: Visit): Promise<Response> {
    if (!takesJson(request.headers)) {
      const words = 'The answer is JSON. Send Accept: application/json.'
      return rpcError(406, REFUSED, words, idOf(message))
    }
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
    const server = openServer(visit)
    await server.connect(transport)
    try {
      return await transport.handleRequest(takingBoth(request), { parsedBody: message })
    } finally {
      await server.close()
    }
  }

  function answerModern(request: Request, message: Sent, visit: Visit): Promise<Response> {
    visits.set(request, visit)
    return modern.fetch(request, { parsedBody: message })
  }

  async function answerMessage(request: Request, message: Sent, visit: Visit) {
    const isLegacy = await isLegacyRequest(request, message)
    const answer = isLegacy ? answerLegacy : answerModern
    const response = await answer(request, message, visit)
    // Other statuses tell what is wrong with the headers, which comes first.
    const refusal = response.status === 200 ? refuseParams(message, isLegacy) : null
    return refusal ?? response
  }

  return {
    async answer(request, body, visit) {
      const refusal = refuse(request.headers) ?? refuseForm(request.headers)
      if (refusal) return refusal
      const read = readMessage(body)
      if (read.kind === 'refused') return read.response
      if (read.kind === 'response') return new Response(null, { status: 202 })
      try {
        return await answerMessage(request, read.message, visit)
      } catch (error) {
        options.log.fault(error, visit.requestId)
        const { detail } = fault(read.message.params?._meta?.[PAYMENT] !== undefined)
        return rpcError(500, INTERNAL_ERROR, detail, idOf(read.message))
      }
    },
  }
}

function refuseForm(headers: Headers): Response | null {
  const isPlain = (headers.get('content-encoding') ?? 'identity') === 'identity'
  if (isPlain && isJsonContentType(headers.get('content-type'))) return null
  const words = 'Send one JSON-RPC message, not compressed, with Content-Type: application/json.'
  return rpcError(415, REFUSED, words)
}

function takesJson(headers: Headers): boolean {
  return /(application|\*)\/(json|\*)/i.test(headers.get('accept') ?? '*/*')
}

/** Before 2026-07-28 clients had to accept a stream as well, and the SDK insists, though none comes. */
function takingBoth(request: Request): Request {
  const headers = new Headers(request.headers)
  headers.set('accept', 'application/json, text/event-stream')
  return new Request(request.url, { method: 'POST', headers })
}
