/** Answers a free request: parameters in, the report or a problem out. */
import type { Context } from 'hono'
import type { Job, Operation } from '../operations/operation.js'
import { type Bench, type Problem, perform } from '../operations/perform.js'
import type { ProblemCode } from '../operations/problems.js'
import type { HttpEnv } from './http-env.js'
import type { Handle } from './mount.js'
import { readParameters } from './parameters.js'
import { problem } from './problem.js'

export interface ReportLog {
  /** Why a request ended without a result; may name a domain, so it is for debugging only. */
  problem(code: ProblemCode, cause: string, requestId: string): void
}

export interface ReportOptions {
  readonly bench: Bench
  readonly log: ReportLog
}

export function giveReport(operation: Operation, { bench, log }: ReportOptions): Handle {
  return async function handleFree(c) {
    const job = readJob(c, operation)
    if (job.kind === 'invalid') return invalidInput(c, job)
    const outcome = await perform(job, bench, c.req.raw.signal)
    return outcome.kind === 'result' ? c.json(outcome.result) : setback(c, outcome, log)
  }
}

type Invalid = Extract<ReturnType<Operation['prepare']>, { kind: 'invalid' }>

export function readJob(c: Context<HttpEnv>, operation: Operation): Job | Invalid {
  const read = readParameters(c.req.url, Object.keys(operation.input.shape))
  return read.kind === 'invalid' ? { ...read, isMissing: false } : operation.prepare(read.values)
}

export function invalidInput(c: Context<HttpEnv>, { detail, parameter }: Invalid): Response {
  return problem(c, 'invalid_input', { detail, parameter })
}

export function setback(c: Context<HttpEnv>, outcome: Problem, log: ReportLog): Response {
  const { code, detail, condition, retryAfterSeconds, cause } = outcome
  log.problem(code, cause, c.var.requestId)
  if (retryAfterSeconds) c.header('Retry-After', String(retryAfterSeconds))
  return problem(c, code, { detail, ...(condition && { condition }) })
}
