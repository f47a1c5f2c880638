/** Free tools over HTTP, which share the rate limit of the free endpoints. */
import { type McpTool, withNote } from '@mailgrade/operations/mcp/mcp-tool'
import {
  createOperationTool,
  type OperationToolOptions,
} from '@mailgrade/operations/mcp/operation-tool'
import { loggedProblemResult, type ToolReplyOptions } from '@mailgrade/operations/mcp/tool-results'
import type { ToolOperation } from '@mailgrade/operations/operation'
import type { Problem } from '@mailgrade/operations/run-operation'
import type { PaidRequestContext } from '../payments/handle-paid-request.js'

/** The HTTP request that carries a call. */
export interface McpRequestContext extends PaidRequestContext {
  /** Counts a free call; returns the problem if it exceeds the limit. */
  consumeRateLimit(): Promise<Problem | null>
}

export type HttpTool = McpTool<McpRequestContext>

export function createFreeTool(operation: ToolOperation, options: OperationToolOptions): HttpTool {
  const { definition, call } = createOperationTool(operation, options)
  return withRateLimit({ definition: withNote(definition, 'Free.'), call }, options)
}

export function withRateLimit(tool: McpTool, options: ToolReplyOptions): HttpTool {
  return {
    definition: tool.definition,
    async call(call) {
      const rateLimited = await call.context.consumeRateLimit()
      return rateLimited ? loggedProblemResult(rateLimited, options, call.context) : tool.call(call)
    },
  }
}
