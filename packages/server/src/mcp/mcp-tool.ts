/** A tool: how it is listed, and what it does when it is called. */
import type { CallToolResult, Tool as Listing } from '@modelcontextprotocol/server'
import type { Problem, RequestContext } from '../operations/run-operation.js'

/** The HTTP request that a call came with. */
export interface McpRequestContext extends RequestContext {
  /** Counts a free call; the problem, if it is one too many. */
  consumeRateLimit(): Promise<Problem | null>
}

export interface ToolCall {
  readonly arguments: Readonly<Record<string, unknown>>
  /** As it came; undefined when none was sent. */
  readonly payment: unknown
  readonly context: McpRequestContext
}

export interface McpTool {
  readonly definition: Listing
  call(call: ToolCall): Promise<CallToolResult>
}

export interface ToolCallLog {
  /** How a call of a tool ended: `ok`, or the code of what came instead. */
  toolCall(line: CallLine): void
  /** A fault of ours, which the caller sees as an error without details. */
  fault(error: unknown, requestId: string): void
}

interface CallLine {
  readonly requestId: string
  readonly tool: string
  readonly outcome: string
  readonly durationMs: number
}
