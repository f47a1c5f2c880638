/** An MCP tool: its definition and its call. */
import type { CallToolResult, Tool } from '@modelcontextprotocol/server'
import type { ErrorLog } from '../http/http-app.js'
import type { Problem, RequestContext } from '../operations/run-operation.js'

/** The HTTP request that carries a call. */
export interface McpRequestContext extends RequestContext {
  /** Counts a free call; returns the problem if it exceeds the limit. */
  consumeRateLimit(): Promise<Problem | null>
}

export interface ToolCall {
  readonly arguments: Readonly<Record<string, unknown>>
  /** Not validated yet; undefined when none was sent. */
  readonly payment: unknown
  readonly context: McpRequestContext
}

export interface McpTool {
  readonly definition: Tool
  call(call: ToolCall): Promise<CallToolResult>
}

export interface ToolCallLog extends ErrorLog {
  toolCall(line: ToolCallLine): void
}

interface ToolCallLine {
  readonly requestId: string
  readonly tool: string
  /** `ok`, or the problem code. */
  readonly outcome: string
  readonly durationMs: number
}
