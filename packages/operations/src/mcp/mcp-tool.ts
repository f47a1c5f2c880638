/**
 * An MCP tool: its definition, its call, and its results, a summary for the model and the same object
 * as over HTTP.
 */
import { stringifySafely, toVisibleLine } from '@mailgrade/core'
import type { CallToolResult, Tool } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { metaSchema, type ToolOperation } from '../operation.js'
import { createProblemDetails, problemSchema } from '../problem-details.js'
import type { ErrorLog, Problem, ProblemLog, RequestContext } from '../run-operation.js'
import { outlineSchema, type SchemaOutline } from '../schema-fields.js'
import { PATHS } from '../service-paths.js'
import { mcpIcons } from './server-identity.js'

export interface ToolCall<Context = RequestContext> {
  readonly arguments: Readonly<Record<string, unknown>>
  /** `_meta` of the request, not validated. */
  readonly meta: Readonly<Record<string, unknown>>
  readonly context: Context
}

export interface McpTool<Context = RequestContext> {
  readonly definition: Tool
  call(call: ToolCall<Context>): Promise<CallToolResult>
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

export const READ_ONLY_ANNOTATIONS = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: true,
}

/** `otherResults` are what else a call may return, besides the report and problems. */
export function toolDefinition(
  { tool, summary, description, input, output }: ToolOperation,
  { baseUrl }: Pick<ToolReplyOptions, 'baseUrl'>,
  ...otherResults: readonly SchemaOutline[]
): Tool {
  const report = outlineSchema(z.object({ ...output.shape, meta: metaSchema }))
  const fields = baseUrl !== null && { description: `${PATHS.openapi} describes every field` }
  const outline = { ...report, ...fields }
  return {
    name: tool.name,
    title: tool.title,
    icons: mcpIcons(baseUrl),
    description: `${summary}. ${tool.useWhen} ${description}`,
    inputSchema: toInputSchema(input),
    outputSchema: toolOutputSchema(outline, ...otherResults),
    annotations: READ_ONLY_ANNOTATIONS,
  }
}

/** The tool with one more sentence about it. */
export function withNote(definition: Tool, note: string): Tool {
  return { ...definition, description: `${definition.description} ${note}` }
}

const problemOutline = outlineSchema(problemSchema.pick({ type: true, status: true, detail: true }))

/**
 * The schema of `structuredContent`, including errors: clients before 2026-07-28 validate those too
 * and discard what does not match. Outlines, because many clients load the whole list of tools into
 * the context of a model.
 */
export function toolOutputSchema(
  ...kinds: readonly (SchemaOutline | SchemaObject)[]
): SchemaObject {
  return { type: 'object', anyOf: [...kinds, problemOutline] }
}

type SchemaObject = Tool['inputSchema']

/** Closed, so that a model sees which arguments there are, and a client can reject others. */
export function toInputSchema(schema: z.ZodObject): SchemaObject {
  return { ...toJsonSchema(schema), additionalProperties: false }
}

/** The `input` form leaves objects open, so a member added later does not break a client. */
export function toJsonSchema(schema: z.ZodObject): SchemaObject {
  // No `$schema`: validators that know only older dialects reject a schema that names a newer one.
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io: 'input', override: removeNoise })
  // The same JSON Schema, for which zod and MCP declare types that do not match.
  return { ...json, type: 'object' } as SchemaObject
}

function removeNoise({ jsonSchema }: { jsonSchema: Record<string, unknown> }): void {
  // Not a JSON Schema keyword since draft 4; Ajv rejects it.
  delete jsonSchema.id
  // The limits of JavaScript numbers are not limits of the API.
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
}

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
