/** The results that the documents show: real reports on the demo domains, never written by hand. */
import type { Operation } from '../operations/operation.js'
import { type Runtime, runOperation } from '../operations/run-operation.js'

/** The request id of all examples; real ones are unique. */
export const EXAMPLE_REQUEST_ID = '5f0c6c0e-8d1a-4d3b-9c55-2f1b7a6e9d10'

/** A fixed date and duration, so the documents only change with the code. */
export const EXAMPLE_RUNTIME = {
  now: () => 0,
  currentTime: () => new Date('2026-01-01T00:00:00Z'),
  randomLabel: () => 'b7f3k9',
  baseUrl: 'http://localhost:3000',
} satisfies Omit<Runtime, 'openReportDns'>

/** The result of each operation's example, by operation id. */
export async function exampleResults(
  operations: readonly Operation[],
  openReportDns: Runtime['openReportDns'],
): Promise<ReadonlyMap<string, object>> {
  const results = operations.map(async (operation) => {
    const request = operation.prepare(operation.example)
    if (request.kind === 'invalid') throw new Error(`${operation.id}: ${request.detail}`)
    const outcome = await runOperation(request, { ...EXAMPLE_RUNTIME, openReportDns })
    if (outcome.kind === 'problem') throw new Error(`${operation.id}: ${outcome.cause}`)
    return [operation.id, outcome.result] as const
  })
  return new Map(await Promise.all(results))
}
