/**
 * What stands around every report, paid or not: headers, a request id and the access log. All who
 * are compared have it, so that they differ in the gate alone.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { createLookup } from '@mailgrade/doh'
import { createZoneDns } from '@mailgrade/doh/zone'
import { Hono, type MiddlewareHandler } from 'hono'
import { accessLog } from '../packages/server/src/http/access-log.js'
import { everyResponse } from '../packages/server/src/http/every-response.js'
import { giveReport } from '../packages/server/src/http/give-report.js'
import type { HttpEnv } from '../packages/server/src/http/http-env.js'
import { mountGet } from '../packages/server/src/http/mount.js'
import { callerReader, visitorReader } from '../packages/server/src/http/visitor.js'
import { type Bench, type Perform, perform } from '../packages/server/src/operations/perform.js'
import { score } from '../packages/server/src/operations/score.js'
import { createHttpLog, createLog } from '../packages/server/src/telemetry/log.js'
import { worldText } from './check-zones.js'
import { BASE_URL } from './pay-aims.js'

export const log = createHttpLog(createLog('info'))

/** Answers from memory: the DNS is nothing that we want to measure here. */
export const dns = createZoneDns('bench', worldText())

const bench: Bench = {
  openLookup: (_, signal) => createLookup(dns, { deadlineMs: 5_000, ...(signal && { signal }) }),
  now: () => performance.now(),
  today: () => new Date(),
  randomLabel: () => randomBytes(10).toString('hex'),
}

const work: Perform = (job, { signal }) => perform(job, bench, signal)

/** The score as a free report, behind whatever gates there are. */
export function reportApp(...gates: MiddlewareHandler[]): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>()
  const isDraining = () => false
  const setHeaders = everyResponse({ baseUrl: BASE_URL, isDraining, newRequestId: randomUUID })
  const logRequest = accessLog(log.request, bench.now)
  app.use(async (c, next) => {
    setHeaders(c)
    logRequest(c)
    await next()
  })
  for (const gate of gates) app.use(gate)
  const visitorOf = visitorReader(callerReader(0))
  mountGet(app, score.path, giveReport(score, { perform: work, visitorOf, log }))
  return app
}
