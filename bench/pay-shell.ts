/**
 * What stands around every report, paid or not: headers, a request id and the access log. All who
 * are compared have it, so that they differ in the gate alone.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { createReportDns } from '@mailgrade/doh'
import { createZoneDns } from '@mailgrade/doh/zone'
import { Hono, type MiddlewareHandler } from 'hono'
import { createAccessLog } from '../packages/server/src/http/access-log.js'
import { addGetRoute } from '../packages/server/src/http/add-route.js'
import {
  createAssignRequestId,
  createSetCommonHeaders,
} from '../packages/server/src/http/common-headers.js'
import { freeReportHandler } from '../packages/server/src/http/free-report-handler.js'
import type { HttpEnv } from '../packages/server/src/http/http-env.js'
import {
  createReadCaller,
  createReadRequestContext,
} from '../packages/server/src/http/request-context.js'
import {
  type RunOperation,
  type Runtime,
  runOperation,
} from '../packages/server/src/operations/run-operation.js'
import { score } from '../packages/server/src/operations/score.js'
import { createAppLog, createLogger } from '../packages/server/src/telemetry/log.js'
import { benchZoneText } from './bench-zones.js'
import { BENCH_BASE_URL } from './pay-aims.js'

export const benchHttpLog = createAppLog(createLogger('info'))

/** Answers from memory: the DNS is nothing that we want to measure here. */
export const benchZoneDns = createZoneDns('bench', benchZoneText())

const bench: Runtime = {
  openReportDns: (_, signal) =>
    createReportDns(benchZoneDns, { deadlineMs: 5_000, ...(signal && { signal }) }),
  now: () => performance.now(),
  currentTime: () => new Date(),
  randomLabel: () => randomBytes(10).toString('hex'),
}

const work: RunOperation = (job, { signal }) => runOperation(job, bench, signal)

/** The score as a free report, behind whatever gates there are. */
export function createScoreApp(...gates: MiddlewareHandler[]): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>()
  const isDraining = () => false
  const assignRequestId = createAssignRequestId({ newRequestId: randomUUID })
  const setHeaders = createSetCommonHeaders({ baseUrl: BENCH_BASE_URL, isDraining })
  const logRequest = createAccessLog(benchHttpLog.request, bench.now)
  app.use(async (c, next) => {
    assignRequestId(c)
    setHeaders(c)
    logRequest(c)
    await next()
  })
  for (const gate of gates) app.use(gate)
  const visitorOf = createReadRequestContext(createReadCaller(0))
  addGetRoute(
    app,
    score.path,
    freeReportHandler(score, {
      runOperation: work,
      readRequestContext: visitorOf,
      log: benchHttpLog,
    }),
  )
  return app
}
