/** Tool results: a summary for the model, and the same object as over HTTP. */
import { stringifySafely, toVisibleLine } from '@mailgrade/core'
import type { CallToolResult } from '@modelcontextprotocol/server'
import { createProblemDetails } from '../problem-details.js'
import type { ErrorLog, Problem, ProblemLog, RequestContext } from '../run-operation.js'

export interface ToolReplyOptions {
  /** Null without a service. */
  readonly baseUrl: string | null
  readonly log: ProblemLog & ErrorLog
}

interface ProblemContext extends Pick<ToolReplyOptions, 'baseUrl'> {
  readonly requestId: string
}

/** A larger report would fill the context of a model twice. */
const MAX_REPEATED_BYTES = 8_192
const MAX_SUMMARY_BYTES = 2_048
const SENT_ONCE = ' The full report is in structuredContent.'

/** The summary comes first: a model may stop there. */
export function toolResult(summary: string, report: object, json = stringifySafely(report)) {
  const shown = toVisibleLine(summary)
  const texts =
    Buffer.byteLength(json) > MAX_REPEATED_BYTES
      ? [shorten(shown, MAX_SUMMARY_BYTES - SENT_ONCE.length) + SENT_ONCE]
      : [shown, json]
  return { content: texts.map(textContent), structuredContent: { ...report } }
}

function shorten(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= maxBytes) return text
  const ellipsis = '…'
  const start = bytes.subarray(0, maxBytes - Buffer.byteLength(ellipsis))
  // As part of a stream, a character that is cut off is left out.
  return new TextDecoder().decode(start, { stream: true }).trimEnd() + ellipsis
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
