/**
 * MCP over streamable HTTP, stateless: one message in, one response out. "Modern" clients speak
 * 2026-07-28, "legacy" clients the revisions before it.
 */

import { internalProblem } from '@mailgrade/operations/internal-problem'
import { hasTool, isPaid, type Operation } from '@mailgrade/operations/operation'
import {
  createMcpHandler,
  isJsonContentType,
  isLegacyRequest,
  localhostAllowedHostnames,
  validateHostHeader,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { INTERNAL_ERROR, jsonRpcErrorResponse, SERVER_ERROR } from './json-rpc-error.js'
import { type JsonRpcMessage, jsonRpcId, parseJsonRpcMessage } from './json-rpc-message.js'
import { createMcpServerFactory, type McpServerOptions } from './mcp-server.js'
import type { McpRequestContext, McpTool } from './mcp-tool.js'
import { createOperationTool, type OperationToolOptions } from './operation-tool.js'
import { createPricingTool, type PricingToolOptions } from './pricing-tool.js'
import { type McpServiceInfo, serverIdentity } from './server-identity.js'
import { PAYMENT_META_KEY } from './tool-results.js'

export interface OperationsMcpOptions
  extends OperationToolOptions,
    PricingToolOptions,
    McpServiceInfo {
  readonly operations: readonly Operation[]
  /** Monotonic milliseconds. */
  readonly now: () => number
}

export function createOperationsMcp(options: OperationsMcpOptions): McpRequestHandler {
  return createMcpRequestHandler({
    ...options,
    identity: serverIdentity(options),
    tools: createTools(options),
    hasPaidTools: options.operations.some(isPaid),
  })
}

/** Free tools first, in a fixed order, so clients can cache the list. */
function createTools(options: OperationsMcpOptions): McpTool[] {
  const operations = options.operations.filter(hasTool)
  const createTool = (operation: (typeof operations)[number]) =>
    createOperationTool(operation, options)
  return [
    ...operations.filter((operation) => !isPaid(operation)).map(createTool),
    createPricingTool(operations, options),
    ...operations.filter(isPaid).map(createTool),
  ]
}

export interface McpRequestHandler {
  handle(request: Request, body: string, context: McpRequestContext): Promise<Response>
}

export function createMcpRequestHandler(options: McpServerOptions): McpRequestHandler {
  const checkOrigin = createOriginGuard(options.baseUrl)
  const createServer = createMcpServerFactory(options)
  /** The SDK passes only the request to the server factory. */
  const contexts = new WeakMap<Request, McpRequestContext>()
  const modern = createMcpHandler(({ requestInfo }) => createServer(contextFor(requestInfo)), {
    legacy: 'reject',
  })

  function contextFor(request: Request | undefined): McpRequestContext {
    const context = request && contexts.get(request)
    if (!context) throw new Error('no context for this request')
    return context
  }

  function handleModern(request: Request, message: JsonRpcMessage, context: McpRequestContext) {
    contexts.set(request, context)
    return modern.fetch(request, { parsedBody: message })
  }

  /** Returns JSON, which proxies forward and people can read; the SDK's default is an event stream. */
  async function handleLegacy(
    request: Request,
    message: JsonRpcMessage,
    context: McpRequestContext,
  ): Promise<Response> {
    if (!acceptsJson(request.headers)) {
      const detail = 'The response is JSON. Send Accept: application/json.'
      return jsonRpcErrorResponse(406, SERVER_ERROR, detail, jsonRpcId(message))
    }
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
    const server = createServer(context)
    await server.connect(transport)
    try {
      return await transport.handleRequest(withLegacyAccept(request), { parsedBody: message })
    } finally {
      await server.close()
    }
  }

  return {
    async handle(request, body, context) {
      const rejection = checkOrigin(request.headers) ?? checkContentType(request.headers)
      if (rejection) return rejection
      const parsed = parseJsonRpcMessage(body)
      if (parsed.kind === 'rejected') return parsed.response
      if (parsed.kind === 'response') return new Response(null, { status: 202 })
      const { message } = parsed
      try {
        return (await isLegacyRequest(request, message))
          ? await handleLegacy(request, message, context)
          : await handleModern(request, message, context)
      } catch (error) {
        options.log.error(error, context.requestId)
        const hasPayment = message.params?._meta?.[PAYMENT_META_KEY] !== undefined
        const { detail } = internalProblem(hasPayment)
        return jsonRpcErrorResponse(500, INTERNAL_ERROR, detail, jsonRpcId(message))
      }
    },
  }
}

function checkContentType(headers: Headers): Response | null {
  const isUncompressed = (headers.get('content-encoding') ?? 'identity') === 'identity'
  if (isUncompressed && isJsonContentType(headers.get('content-type'))) return null
  const detail = 'Send one JSON-RPC message, not compressed, with Content-Type: application/json.'
  return jsonRpcErrorResponse(415, SERVER_ERROR, detail)
}

function acceptsJson(headers: Headers): boolean {
  return /(application|\*)\/(json|\*)/i.test(headers.get('accept') ?? '*/*')
}

/** The SDK requires legacy clients to accept an event stream too, although it sends none here. */
function withLegacyAccept(request: Request): Request {
  const headers = new Headers(request.headers)
  headers.set('accept', 'application/json, text/event-stream')
  return new Request(request.url, { method: 'POST', headers })
}

/**
 * Protects against DNS rebinding: a web page can point its own domain at a server that only the
 * browser can reach. Host and Origin reveal such requests (MCP 2026-07-28, transports).
 */
function createOriginGuard(baseUrl: string): (headers: Headers) => Response | null {
  const base = new URL(baseUrl)
  const local = localhostAllowedHostnames()
  const isLocal = local.includes(base.hostname)
  // localhost has three names, and pages may use any port.
  const hosts = isLocal ? local : [base.hostname]

  function isOwnOrigin(origin: string): boolean {
    if (!URL.canParse(origin)) return false
    const page = new URL(origin)
    return isLocal ? hosts.includes(page.hostname) : page.origin === base.origin
  }

  return function checkOrigin(headers) {
    const origin = headers.get('origin')
    if (!validateHostHeader(headers.get('host'), hosts).ok) {
      return forbidden(
        `The Host header names another server. Use ${baseUrl}. Operators: set BASE_URL to the public URL and have the proxy forward Host.`,
      )
    }
    if (origin !== null && !isOwnOrigin(origin)) {
      return forbidden(`Pages of other sites cannot call this server. Use ${baseUrl}.`)
    }
    return null
  }
}

function forbidden(message: string): Response {
  return jsonRpcErrorResponse(403, SERVER_ERROR, message)
}
