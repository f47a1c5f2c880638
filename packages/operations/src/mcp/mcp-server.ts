/** The MCP server of one client or request: lists tools, checks parameters and calls tools. */
import {
  type CallToolResult,
  isInitializeRequest,
  type JSONRPCRequest,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { internalProblem, type RequestContext } from '../run-operation.js'
import { type McpTool, problemToolResult, type ToolCall, type ToolCallLog } from './mcp-tool.js'
import type { ServerIdentity } from './server-identity.js'

/** The list changes only with a release. */
const ONE_HOUR_CACHE = { ttlMs: 3_600_000, cacheScope: 'public' } as const

export interface McpServerOptions<Context = RequestContext> {
  readonly identity: ServerIdentity
  readonly tools: readonly McpTool<Context>[]
  /** For the model, about all tools together. */
  readonly instructions: string
  /** Null without a service. */
  readonly baseUrl: string | null
  readonly log: ToolCallLog
  /** Monotonic milliseconds. */
  readonly now: () => number
}

/** `contextOf` is called for each tool call. */
export type CreateMcpServer<Context = RequestContext> = (
  contextOf: (request: CalledRequest) => Context,
) => Server

type CalledRequest = Pick<ServerContext['mcpReq'], 'id' | 'signal'>

export function createMcpServerFactory<Context extends RequestContext>({
  identity,
  tools,
  instructions,
  baseUrl,
  log,
  now,
}: McpServerOptions<Context>): CreateMcpServer<Context> {
  const definitions = tools.map(({ definition }) => definition)
  const toolsByName = new Map(tools.map((tool) => [tool.definition.name, tool]))

  async function callTool(
    tool: McpTool<Context>,
    call: ToolCall<Context>,
  ): Promise<CallToolResult> {
    const { requestId } = call.context
    const startedAt = now()
    const result = await tool.call(call).catch((error) => {
      log.error(error, requestId)
      return problemToolResult(internalProblem(false), { baseUrl, requestId })
    })
    log.toolCall({
      requestId,
      tool: tool.definition.name,
      outcome: toolOutcome(result),
      durationMs: Math.round(now() - startedAt),
    })
    return result
  }

  return function createServer(contextOf) {
    const server = new ParamsCheckingServer(identity, {
      capabilities: { tools: { listChanged: false } },
      instructions,
      cacheHints: { 'tools/list': ONE_HOUR_CACHE, 'server/discover': ONE_HOUR_CACHE },
    })
    server.setRequestHandler('tools/list', () => ({ tools: definitions }))
    server.setRequestHandler('tools/call', ({ params }, { mcpReq }) => {
      const tool = toolsByName.get(params.name)
      if (!tool) {
        const names = [...toolsByName.keys()].join(', ')
        throw new ProtocolError(
          ProtocolErrorCode.InvalidParams,
          `There’s no tool with that name. The tools are ${names}.`,
        )
      }
      return callTool(tool, {
        arguments: params.arguments ?? {},
        meta: mcpReq._meta ?? {},
        context: contextOf(mcpReq),
      })
    })
    return server
  }
}

/**
 * Checks parameters before the SDK does, so the error is a sentence and not a validator's dump. The
 * SDK has checked headers and protocol version by then. It deprecates `Server` in favor of
 * `McpServer`, which would replace our problems with its own texts and rebuild every schema for
 * every request.
 */
class ParamsCheckingServer extends Server {
  protected override _wrapHandler(...[method, handler]: Parameters<Server['_wrapHandler']>) {
    const handle = super._wrapHandler(method, handler)
    return async (...[request, context]: Parameters<typeof handle>) => {
      const problem = describeInvalidParams(request)
      if (problem !== null) throw new ProtocolError(ProtocolErrorCode.InvalidParams, problem)
      return handle(request, context)
    }
  }
}

function describeInvalidParams(request: JSONRPCRequest): string | null {
  const { method, params = {} } = request
  if (method === 'initialize' && !isInitializeRequest(request)) {
    return 'initialize requires protocolVersion, capabilities, and clientInfo.'
  }
  if (method === 'tools/list' && params.cursor !== undefined) {
    return 'The list of tools has only one page. Omit cursor.'
  }
  if (method !== 'tools/call') return null
  if (typeof params.name !== 'string') return 'params.name must be the name of a tool.'
  return params.arguments === undefined || isPlainObject(params.arguments)
    ? null
    : 'params.arguments must be an object with the tool’s arguments.'
}

function isPlainObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The HTTP status is always 200, so the log needs the code. */
function toolOutcome({ isError, structuredContent }: CallToolResult): string {
  if (!isError) return 'ok'
  const { code, error }: Record<string, unknown> = { ...Object(structuredContent) }
  return String(code ?? error ?? 'error')
}
