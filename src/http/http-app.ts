/** The HTTP shell: parameters in, results and problems out; it judges nothing. */
import { Hono } from 'hono'
import type { Operation } from '../operations/operation.js'
import { type Bench, perform } from '../operations/perform.js'
import { PROBLEMS, type ProblemCode } from '../operations/problems.js'
import { accessLog, type RequestLine } from './access-log.js'
import { type EveryResponseOptions, everyResponse } from './every-response.js'
import { healthz, type ReadinessOptions, readyz } from './health.js'
import type { HttpEnv } from './http-env.js'
import { type Handle, mountGet } from './mount.js'
import { readParameters } from './parameters.js'
import { problem, problemPath } from './problem.js'
import { problemPage } from './problem-page.js'
import { type RateLimitOptions, rateLimit } from './rate-limit.js'

const MAX_URL_CHARACTERS = 2_048

export interface HttpLog {
  request(line: RequestLine): void
  /** Why a request ended without a result; may name a domain, so it is for debugging only. */
  problem(code: ProblemCode, cause: string, requestId: string): void
  /** A fault of ours, which the caller sees as a 500. */
  fault(error: unknown, requestId: string): void
}

export interface HttpOptions extends EveryResponseOptions, ReadinessOptions, RateLimitOptions {
  readonly operations: readonly Operation[]
  readonly bench: Bench
  readonly log: HttpLog
}

export function createHttpApp(options: HttpOptions): Hono<HttpEnv> {
  const { operations, bench, log } = options
  const app = new Hono<HttpEnv>()
  app.use(everyResponse(options), accessLog(log.request, bench.now))
  app.use(async function limitUrl(c, next) {
    const { url } = c.req
    const pathAt = url.indexOf('/', url.indexOf('//') + 2)
    if (url.length - pathAt <= MAX_URL_CHARACTERS) return next()
    return problem(c, 'uri_too_long', {
      detail: `Path and query may have ${MAX_URL_CHARACTERS} characters together.`,
    })
  })
  app.onError((error, c) => {
    log.fault(error, c.var.requestId)
    return problem(c, 'internal', { detail: 'The fault is ours. Try again in a moment.' })
  })
  app.notFound((c) =>
    problem(c, 'not_found', {
      detail: 'There is nothing here; /openapi.json lists what there is.',
    }),
  )

  const free = rateLimit(options)
  for (const operation of operations) {
    mountGet(app, operation.path, free(operationHandler(operation, options)))
  }
  for (const code of Object.keys(PROBLEMS) as ProblemCode[]) {
    mountGet(app, problemPath(code), (c) => c.html(problemPage(code)))
  }
  mountGet(app, '/healthz', healthz)
  mountGet(app, '/readyz', readyz(options))
  return app
}

function operationHandler(operation: Operation, { bench, log }: HttpOptions): Handle {
  const names = Object.keys(operation.input.shape)
  return async function handleOperation(c) {
    const read = readParameters(c.req.url, names)
    const job = read.kind === 'invalid' ? read : operation.prepare(read.values)
    if (job.kind === 'invalid') {
      return problem(c, 'invalid_input', { detail: job.detail, parameter: job.parameter })
    }
    const outcome = await perform(job, bench, c.req.raw.signal)
    if (outcome.kind === 'result') return c.json(outcome.result)
    log.problem(outcome.code, outcome.cause, c.var.requestId)
    return problem(c, outcome.code, { detail: outcome.detail })
  }
}
