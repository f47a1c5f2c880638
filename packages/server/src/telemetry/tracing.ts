/** How the parts of the application are traced. Free of OpenTelemetry, which is loaded on demand. */
import type { AbortableDns } from '@mailgrade/doh/dns'
import type { RunOperation } from '@mailgrade/operations/run-operation'
import type { MiddlewareHandler } from 'hono'
import type { HttpEnv } from '../http/respond.js'
import type { Facilitator } from '../payments/facilitator.js'
import type { Ledger } from '../state/ledger.js'

export interface Tracing {
  readonly requestMiddleware?: MiddlewareHandler<HttpEnv>
  runOperation(run: RunOperation): RunOperation
  dns(dns: AbortableDns): AbortableDns
  facilitator(facilitator: Facilitator): Facilitator
  ledger(ledger: Ledger): Ledger
}

export const NO_TRACING: Tracing = {
  runOperation: (run) => run,
  dns: (dns) => dns,
  facilitator: (facilitator) => facilitator,
  ledger: (ledger) => ledger,
}
