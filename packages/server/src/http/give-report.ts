/** Answers a free request: parameters in, the report or a problem out, in whichever form. */
import type { Context } from 'hono'
import type { InvalidInput, Job, Operation } from '../operations/operation.js'
import {
  invalidInput,
  type Perform,
  type Problem,
  type ProblemLog,
  type Result,
} from '../operations/perform.js'
import type { HttpEnv } from './http-env.js'
import type { Handle, Refuse } from './mount.js'
import { readParameters } from './parameters.js'
import { problem } from './problem.js'
import { replyJson } from './reply.js'
import type { VisitorOf } from './visitor.js'

export interface ReportOptions {
  readonly perform: Perform
  readonly visitorOf: VisitorOf
  readonly log: ProblemLog
}

/** How answers are written: as JSON, unless people are to read them. */
export interface ReportForm {
  write(c: Context<HttpEnv>, result: Result): Response | Promise<Response>
  readonly refuse: Refuse
}

const JSON_FORM: ReportForm = {
  write: (c, result) => replyJson(c, JSON.stringify(result)),
  refuse: problem,
}

export function giveReport(
  operation: Operation,
  { perform, visitorOf, log }: ReportOptions,
  { write, refuse }: ReportForm = JSON_FORM,
): Handle {
  return async function handleFree(c) {
    const job = readJob(c, operation)
    if (job.kind === 'invalid') return setback(c, invalidInput(job), log, refuse)
    const outcome = await perform(job, visitorOf(c))
    return outcome.kind === 'result' ? write(c, outcome.result) : setback(c, outcome, log, refuse)
  }
}

export function readJob(c: Context<HttpEnv>, operation: Operation): Job | InvalidInput {
  const read = readParameters(c.req.url, Object.keys(operation.input.shape))
  return read.kind === 'invalid' ? { ...read, isMissing: false } : operation.prepare(read.values)
}

export function setback(
  c: Context<HttpEnv>,
  { code, cause, ...words }: Problem,
  log: ProblemLog,
  refuse: Refuse,
): Response | Promise<Response> {
  log.problem(code, cause, c.get('requestId'))
  return refuse(c, code, words)
}
