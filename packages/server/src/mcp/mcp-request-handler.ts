/**
 * MCP over streamable HTTP, stateless: one message in, one response out. "Modern" clients speak
 * 2026-07-28, "legacy" clients the revisions before it.
 */
import { escapeJson } from '@mailgrade/core'
import { createMcpServerFactory, type McpServerOptions } from '@mailgrade/operations/mcp/mcp-server'
import type { ToolCallLog } from '@mailgrade/operations/mcp/mcp-tool'
import {
  type OperationToolOptions,
  withKnownArguments,
} from '@mailgrade/operations/mcp/operation-tool'
import {
  type McpServiceInfo,
  mcpInstructions,
  serverIdentity,
} from '@mailgrade/operations/mcp/server-identity'
import { hasTool, isPaid, type Operation } from '@mailgrade/operations/operation'
import { internalProblem } from '@mailgrade/operations/run-operation'
import {
  createMcpHandler,
  isJsonContentType,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import {
  createFreeTool,
  createPaidTool,
  type HttpTool,
  type McpRequestContext,
  type PaidToolOptions,
  withRateLimit,
} from './http-tools.js'
import {
  createJsonRpcGuard,
  type JsonRpcMessage,
  jsonRpcId,
  parseJsonRpcMessage,
} from './json-rpc.js'
import { INTERNAL_ERROR, jsonRpcErrorResponse, SERVER_ERROR } from './json-rpc-error.js'
import { createPricingTool, type PricingToolOptions } from './pricing-tool.js'
import { PAYMENT_META_KEY } from './server-card.js'

export interface OperationsMcpOptions
  extends OperationToolOptions,
    PaidToolOptions,
    PricingToolOptions,
    McpServiceInfo {
  readonly baseUrl: string
  readonly log: OperationToolOptions['log'] & ToolCallLog
  readonly operations: readonly Operation[]
  /** Monotonic milliseconds. */
  readonly now: () => number
}

export function createOperationsMcp(options: OperationsMcpOptions): McpRequestHandler {
  return createMcpRequestHandler({
    ...options,
    identity: serverIdentity(options),
    tools: createTools(options),
    instructions: mcpInstructions(
      'It is free.',
      ...(options.operations.some(isPaid) ? [PAYMENT_INSTRUCTIONS] : []),
    ),
  })
}

const PAYMENT_INSTRUCTIONS =
  'A paid tool called without a payment returns its price; pay with x402 in the call itself. Ask the person who pays before you spend anything; the pricing tool lists all prices. You are charged only for a report, and at most once per payment. If an error asks you to, send the same payment again and never sign a new one.'

/** Free tools first, in a fixed order, so clients can cache the list. */
function createTools(options: OperationsMcpOptions): HttpTool[] {
  const operations = options.operations.filter(hasTool)
  const free = operations.filter((operation) => !isPaid(operation))
  return [
    ...free.map((operation) => createFreeTool(operation, options)),
    withRateLimit(withKnownArguments(createPricingTool(operations, options), options), options),
    ...operations.filter(isPaid).map((operation) => createPaidTool(operation, options)),
  ]
}

export interface McpRequestHandler {
  handle(request: Request, body: string, context: McpRequestContext): Promise<Response>
}

export function createMcpRequestHandler(
  options: McpServerOptions<McpRequestContext> & { readonly baseUrl: string },
): McpRequestHandler {
  const checkHeaders = createJsonRpcGuard(options.baseUrl)
  const createServer = createMcpServerFactory(options)
  /** A server lives for one request, so any instance can serve the next one. */
  const createServerFor = (context: McpRequestContext) => createServer(() => context)
  /** The SDK passes only the request to the server factory. */
  const contexts = new WeakMap<Request, McpRequestContext>()
  const modern = createMcpHandler(({ requestInfo }) => createServerFor(contextFor(requestInfo)), {
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
      const detail = 'We only respond with JSON. Send Accept: application/json.'
      return jsonRpcErrorResponse(406, SERVER_ERROR, detail, jsonRpcId(message))
    }
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
    const server = createServerFor(context)
    await server.connect(transport)
    try {
      return await transport.handleRequest(withLegacyAccept(request), { parsedBody: message })
    } finally {
      await server.close()
    }
  }

  return {
    async handle(request, body, context) {
      const rejection = checkHeaders(request.headers)
      if (rejection) return rejection
      const parsed = parseJsonRpcMessage(body)
      if (parsed.kind === 'rejected') return parsed.response
      if (parsed.kind === 'response') return new Response(null, { status: 202 })
      const { message } = parsed
      try {
        const isLegacy = await isLegacyRequest(request, message)
        const handleMessage = isLegacy ? handleLegacy : handleModern
        return await escapeBody(await handleMessage(request, message, context))
      } catch (error) {
        options.log.error(error, context.requestId)
        const hasPayment = message.params?._meta?.[PAYMENT_META_KEY] !== undefined
        const { detail } = internalProblem(hasPayment)
        return jsonRpcErrorResponse(500, INTERNAL_ERROR, detail, jsonRpcId(message))
      }
    },
  }
}

/** The SDK writes texts of strangers as they are. */
async function escapeBody(response: Response): Promise<Response> {
  if (!isJsonContentType(response.headers.get('content-type'))) return response
  return new Response(escapeJson(await response.text()), response)
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
