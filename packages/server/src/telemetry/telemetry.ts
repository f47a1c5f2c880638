/** Metrics and traces, each loaded only when configured. */
import { readFileSync } from 'node:fs'
import { z } from 'zod'
import type { Config } from '../config.js'
import { hasTool } from '../operations/operation.js'
import { OPERATIONS } from '../operations/operations.js'

/** The version of the software; the API has its own. */
export const { version: SOFTWARE_VERSION } = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')))

const OPERATION_BY_TOOL = new Map(OPERATIONS.filter(hasTool).map(({ id, tool }) => [tool.name, id]))

export async function openMetrics({ mode }: Config, network: string) {
  const { createMetrics } = await import('./metrics.js')
  return createMetrics({
    build: { version: SOFTWARE_VERSION, mode, network },
    operationOf: (tool) => OPERATION_BY_TOOL.get(tool) ?? tool,
    now: () => performance.now(),
  })
}

export async function openTracing() {
  const { startTracing } = await import('./start-tracing.js')
  return startTracing(SOFTWARE_VERSION)
}
