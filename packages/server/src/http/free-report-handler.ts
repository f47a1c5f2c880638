/** Handles a free request: query parameters in, a report or a problem out. */
import type { Context } from 'hono'
import type {
  InvalidInput,
  Operation,
  OperationResult,
  PreparedRequest,
} from '../operations/operation.js'
import {
  invalidInputProblem,
  type Problem,
  type ProblemLog,
  type RunOperation,
} from '../operations/run-operation.js'
import type { RouteHandler, SendProblem } from './add-route.js'
import type { HttpEnv } from './http-env.js'
import { parseQueryParameters } from './query-parameters.js'
import type { ReadRequestContext } from './request-context.js'
import { respondJson, sendProblemJson } from './respond.js'

export interface FreeReportOptions {
  readonly runOperation: RunOperation
  readonly readRequestContext: ReadRequestContext
  readonly log: ProblemLog
}

/** How responses are written: JSON for programs, HTML for people. */
export interface FreeReportFormat<Report = object> {
  sendReport(c: Context<HttpEnv>, result: OperationResult<Report>): Response | Promise<Response>
  readonly sendProblem: SendProblem
}

const JSON_FORMAT: FreeReportFormat<unknown> = {
  sendReport: (c, result) => respondJson(c, JSON.stringify(result)),
  sendProblem: sendProblemJson,
}

export function freeReportHandler<Report = object>(
  operation: Operation<Report>,
  { runOperation, readRequestContext, log }: FreeReportOptions,
  { sendReport, sendProblem }: FreeReportFormat<Report> = JSON_FORMAT,
): RouteHandler {
  return async function handleFreeRequest(c) {
    const prepared = prepareRequest(c, operation)
    if (prepared.kind === 'invalid') {
      return logAndSendProblem(c, invalidInputProblem(prepared), log, sendProblem)
    }
    const outcome = await runOperation(prepared, readRequestContext(c))
    return outcome.kind === 'result'
      ? sendReport(c, outcome.result)
      : logAndSendProblem(c, outcome, log, sendProblem)
  }
}

export function prepareRequest<Report>(
  c: Context<HttpEnv>,
  operation: Operation<Report>,
): PreparedRequest<Report> | InvalidInput {
  const parsed = parseQueryParameters(c.req.url, Object.keys(operation.input.shape))
  return parsed.kind === 'invalid'
    ? { ...parsed, isMissing: false }
    : operation.prepare(parsed.values)
}

export function logAndSendProblem(
  c: Context<HttpEnv>,
  { code, cause, ...fields }: Problem,
  log: ProblemLog,
  sendProblem: SendProblem,
): Response | Promise<Response> {
  log.problem(code, cause, c.get('requestId'))
  return sendProblem(c, code, fields)
}
