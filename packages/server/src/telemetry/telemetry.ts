/** What operators see besides the log, each loaded only where it is asked for. */

import { hasTool } from '@mailgrade/operations/operation'
import { OPERATIONS } from '@mailgrade/operations/operations'
import { RELEASE_VERSION } from '@mailgrade/operations/release-version'
import type { Config } from '../config.js'
import type { PaymentTerms } from '../payments/payment-terms.js'

const OPERATION_BY_TOOL = new Map(OPERATIONS.filter(hasTool).map(({ id, tool }) => [tool.name, id]))

export async function openMetrics({ mode }: Config, terms: PaymentTerms | null) {
  const { createMetrics } = await import('./metrics.js')
  return createMetrics({
    build: { version: RELEASE_VERSION, mode, network: terms?.network ?? 'none' },
    operationOf: (tool) => OPERATION_BY_TOOL.get(tool) ?? tool,
    now: () => performance.now(),
  })
}

export async function openTracing() {
  const { startTracing } = await import('./start-tracing.js')
  return startTracing(RELEASE_VERSION)
}
