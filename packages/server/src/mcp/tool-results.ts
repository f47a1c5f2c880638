/** Tool results: a summary for the model, and the same object as over HTTP. */
import { createProblemDetails } from '@mailgrade/operations/problem-details'
import type { Problem } from '@mailgrade/operations/run-operation'
import type { CallToolResult } from '@modelcontextprotocol/server'

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

export function textContent(text: string) {
  return { type: 'text' as const, text }
}
