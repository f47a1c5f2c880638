/** Answers a free request: parameters in, the report or a problem out. */
import type { Context } from 'hono'
import type { InvalidInput, Job, Operation } from '../operations/operation.js'
import {
  type Bench,
  invalidInput,
  type Problem,
  type ProblemLog,
  perform,
} from '../operations/perform.js'
import type { HttpEnv } from './http-env.js'
import type { Handle } from './mount.js'
import { readParameters } from './parameters.js'
import { problem } from './problem.js'

export interface ReportOptions {
  readonly bench: Bench
  readonly log: ProblemLog
}

export function giveReport(operation: Operation, { bench, log }: ReportOptions): Handle {
  return async function handleFree(c) {
    const job = readJob(c, operation)
    if (job.kind === 'invalid') return setback(c, invalidInput(job), log)
    const outcome = await perform(job, bench, c.req.raw.signal)
    return outcome.kind === 'result' ? c.json(outcome.result) : setback(c, outcome, log)
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
): Response {
  log.problem(code, cause, c.var.requestId)
  return problem(c, code, words)
}
