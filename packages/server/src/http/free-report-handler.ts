/** Answers a free request: parameters in, the report or a problem out, in whichever form. */
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
import { sendProblemJson } from './problem-response.js'
import { parseQueryParameters } from './query-parameters.js'
import type { ReadRequestContext } from './request-context.js'
import { respondJson } from './respond.js'

export interface FreeReportOptions {
  readonly runOperation: RunOperation
  readonly readRequestContext: ReadRequestContext
  readonly log: ProblemLog
}

/** How answers are written: as JSON, unless people are to read them. */
export interface FreeReportFormat<Report = object> {
  sendReport(c: Context<HttpEnv>, result: OperationResult<Report>): Response | Promise<Response>
  readonly sendProblem: SendProblem
}

const JSON_FORM: FreeReportFormat<unknown> = {
  sendReport: (c, result) => respondJson(c, JSON.stringify(result)),
  sendProblem: sendProblemJson,
}

export function freeReportHandler<Report = object>(
  operation: Operation<Report>,
  { runOperation, readRequestContext, log }: FreeReportOptions,
  { sendReport, sendProblem }: FreeReportFormat<Report> = JSON_FORM,
): RouteHandler {
  return async function handleFree(c) {
    const job = prepareRequest(c, operation)
    if (job.kind === 'invalid')
      return logAndSendProblem(c, invalidInputProblem(job), log, sendProblem)
    const outcome = await runOperation(job, readRequestContext(c))
    return outcome.kind === 'result'
      ? sendReport(c, outcome.result)
      : logAndSendProblem(c, outcome, log, sendProblem)
  }
}

export function prepareRequest<Report>(
  c: Context<HttpEnv>,
  operation: Operation<Report>,
): PreparedRequest<Report> | InvalidInput {
  const read = parseQueryParameters(c.req.url, Object.keys(operation.input.shape))
  return read.kind === 'invalid' ? { ...read, isMissing: false } : operation.prepare(read.values)
}

export function logAndSendProblem(
  c: Context<HttpEnv>,
  { code, cause, ...words }: Problem,
  log: ProblemLog,
  refuse: SendProblem,
): Response | Promise<Response> {
  log.problem(code, cause, c.get('requestId'))
  return refuse(c, code, words)
}
