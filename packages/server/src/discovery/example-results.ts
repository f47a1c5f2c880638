/** What the operations answer about the demo domains, to show in the documents: never written by hand. */
import type { Operation } from '../operations/operation.js'
import { type Runtime, runOperation } from '../operations/run-operation.js'

/** In place of the id that every answer has of its own. */
export const EXAMPLE_REQUEST_ID = '5f0c6c0e-8d1a-4d3b-9c55-2f1b7a6e9d10'

/** Always the same day and no time at all, so that the documents do not change by themselves. */
export const EXAMPLE_RUNTIME = {
  now: () => 0,
  currentTime: () => new Date('2026-01-01T00:00:00Z'),
  randomLabel: () => 'b7f3k9',
} satisfies Omit<Runtime, 'openReportDns'>

export async function exampleResults(
  operations: readonly Operation[],
  openReportDns: Runtime['openReportDns'],
): Promise<ReadonlyMap<string, object>> {
  const answers = operations.map(async (operation) => {
    const job = operation.prepare(operation.example)
    if (job.kind === 'invalid') throw new Error(`${operation.id}: ${job.detail}`)
    const outcome = await runOperation(job, { ...EXAMPLE_RUNTIME, openReportDns: openReportDns })
    if (outcome.kind === 'problem') throw new Error(`${operation.id}: ${outcome.cause}`)
    return [operation.id, outcome.result] as const
  })
  return new Map(await Promise.all(answers))
}
