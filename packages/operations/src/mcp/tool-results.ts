/** Tool results: a summary for the model, and the same object as over HTTP. */
import type { CallToolResult } from '@modelcontextprotocol/server'
import { createProblemDetails } from '../problem-details.js'
import type { ErrorLog, Problem, ProblemLog, RequestContext } from '../run-operation.js'

export interface ToolReplyOptions {
  readonly baseUrl: string
  readonly log: ProblemLog & ErrorLog
}

interface ProblemContext {
  readonly baseUrl: string
  readonly requestId: string
}

/** The summary comes first: a model may stop there. */
export function toolResult(summary: string, report: object, json = JSON.stringify(report)) {
  return { content: [textContent(summary), textContent(json)], structuredContent: { ...report } }
}

export function problemToolResult(
  { code, ...fields }: Pick<Problem, 'code' | 'detail'>,
  context: ProblemContext,
): CallToolResult {
  const details = createProblemDetails(code, fields, context)
  return { ...toolResult(`${details.title}. ${details.detail}`, details), isError: true }
}

export function loggedProblemResult(
  problem: Problem,
  { baseUrl, log }: ToolReplyOptions,
  { requestId }: Pick<RequestContext, 'requestId'>,
): CallToolResult {
  log.problem(problem.code, problem.cause, requestId)
  return problemToolResult(problem, { baseUrl, requestId })
}

export function textContent(text: string) {
  return { type: 'text' as const, text }
}
