/** An operation as an MCP tool. */
import type { CallToolResult } from '@modelcontextprotocol/server'
import type { ToolOperation } from '../operation.js'
import {
  type ErrorLog,
  invalidInputProblem,
  type Problem,
  type ProblemLog,
  type RequestContext,
  type RunOperation,
} from '../run-operation.js'
import { type McpTool, toolDefinition } from './mcp-tool.js'
import { problemToolResult, toolResult } from './tool-results.js'

export interface ToolReplyOptions {
  readonly baseUrl: string
  readonly log: ProblemLog & ErrorLog
}

export interface OperationToolOptions extends ToolReplyOptions {
  readonly runOperation: RunOperation
}

export function createOperationTool<Report extends object>(
  operation: ToolOperation<Report>,
  options: OperationToolOptions,
): McpTool {
  return {
    definition: toolDefinition(operation),
    async call({ arguments: input, context }) {
      const prepared = operation.prepare(input)
      if (prepared.kind === 'invalid') {
        return loggedProblemResult(invalidInputProblem(prepared), options, context)
      }
      const outcome = await options.runOperation(prepared, context)
      if (outcome.kind === 'problem') return loggedProblemResult(outcome, options, context)
      const { result } = outcome
      return toolResult(summarizeReport(operation, result, options, context), result)
    },
  }
}

export function loggedProblemResult(
  problem: Problem,
  { baseUrl, log }: ToolReplyOptions,
  { requestId }: Pick<RequestContext, 'requestId'>,
): CallToolResult {
  log.problem(problem.code, problem.cause, requestId)
  return problemToolResult(problem, { baseUrl, requestId })
}

/** A report may be paid for by now, so an error here must not lose it. */
export function summarizeReport<Report extends object>(
  { tool }: ToolOperation<Report>,
  report: Report,
  { log }: ToolReplyOptions,
  { requestId }: Pick<RequestContext, 'requestId'>,
): string {
  try {
    return tool.digest(report)
  } catch (error) {
    log.error(error, requestId)
    return 'The summary is not available. The report itself is complete.'
  }
}
