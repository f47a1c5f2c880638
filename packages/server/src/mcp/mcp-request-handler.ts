/** MCP over streamable HTTP, stateless: one message in, one answer out, in either of two eras. */
import {
  createMcpHandler,
  isJsonContentType,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { internalProblem } from '../operations/internal-problem.js'
import { checkParams } from './check-params.js'
import { INTERNAL_ERROR, jsonRpcErrorResponse, SERVER_ERROR } from './json-rpc-error.js'
import { type JsonRpcMessage, jsonRpcId, parseJsonRpcMessage } from './json-rpc-message.js'
import { createMcpServerFactory, type McpServerOptions } from './mcp-server.js'
import type { McpRequestContext } from './mcp-tool.js'
import { createOriginGuard } from './origin-guard.js'
import { PAYMENT_META_KEY } from './tool-results.js'

export interface McpRequestHandler {
  handle(request: Request, body: string, visit: McpRequestContext): Promise<Response>
}

export function createMcpRequestHandler(options: McpServerOptions): McpRequestHandler {
  const refuse = createOriginGuard(options.baseUrl)
  const openServer = createMcpServerFactory(options)
  /** The SDK asks for a server by the request alone. */
  const visits = new WeakMap<Request, McpRequestContext>()
  const modern = createMcpHandler(({ requestInfo }) => openServer(visitOf(requestInfo)), {
    legacy: 'reject',
  })

  function visitOf(request: Request | undefined): McpRequestContext {
    const visit = request && visits.get(request)
    if (!visit) throw new Error('a request that nobody made')
    return visit
  }

  /** As JSON, which proxies pass on and people can read; the SDK would send a stream of one event. */
  async function answerLegacy(
    request: Request,
    message: JsonRpcMessage,
    visit: McpRequestContext,
  ): Promise<Response> {
    if (!takesJson(request.headers)) {
      const words = 'The answer is JSON. Send Accept: application/json.'
      return jsonRpcErrorResponse(406, SERVER_ERROR, words, jsonRpcId(message))
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

  function answerModern(
    request: Request,
    message: JsonRpcMessage,
    visit: McpRequestContext,
  ): Promise<Response> {
    visits.set(request, visit)
    return modern.fetch(request, { parsedBody: message })
  }

  async function answerMessage(
    request: Request,
    message: JsonRpcMessage,
    visit: McpRequestContext,
  ) {
    const isLegacy = await isLegacyRequest(request, message)
    const answer = isLegacy ? answerLegacy : answerModern
    const response = await answer(request, message, visit)
    // Other statuses tell what is wrong with the headers, which comes first.
    const refusal = response.status === 200 ? checkParams(message, isLegacy) : null
    return refusal ?? response
  }

  return {
    async handle(request, body, visit) {
      const refusal = refuse(request.headers) ?? refuseForm(request.headers)
      if (refusal) return refusal
      const read = parseJsonRpcMessage(body)
      if (read.kind === 'refused') return read.response
      if (read.kind === 'response') return new Response(null, { status: 202 })
      try {
        return await answerMessage(request, read.message, visit)
      } catch (error) {
        options.log.fault(error, visit.requestId)
        const { detail } = internalProblem(
          read.message.params?._meta?.[PAYMENT_META_KEY] !== undefined,
        )
        return jsonRpcErrorResponse(500, INTERNAL_ERROR, detail, jsonRpcId(read.message))
      }
    },
  }
}

function refuseForm(headers: Headers): Response | null {
  const isPlain = (headers.get('content-encoding') ?? 'identity') === 'identity'
  if (isPlain && isJsonContentType(headers.get('content-type'))) return null
  const words = 'Send one JSON-RPC message, not compressed, with Content-Type: application/json.'
  return jsonRpcErrorResponse(415, SERVER_ERROR, words)
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
