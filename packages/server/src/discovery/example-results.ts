/** The results that the documents show: real reports on the demo domains, never written by hand. */
import type { Operation, OperationResult } from '@mailgrade/operations/operation'
import { type Runtime, runOperation } from '@mailgrade/operations/run-operation'

/** The request id of all examples; real ones are unique. */
export const EXAMPLE_REQUEST_ID = '5f0c6c0e-8d1a-4d3b-9c55-2f1b7a6e9d10'

type ExampleRuntime = Omit<Runtime, 'openReportDns'>

/** A fixed date and duration, so the documents only change with the code. */
export const EXAMPLE_RUNTIME = {
  now: () => 0,
  currentTime: () => new Date('2026-01-01T00:00:00Z'),
  randomLabel: () => 'b7f3k9',
  baseUrl: 'http://localhost:3000',
} satisfies ExampleRuntime

/** The result of each operation's example, by operation id. */
export async function exampleResults(
  operations: readonly Operation[],
  openReportDns: Runtime['openReportDns'],
): Promise<ReadonlyMap<string, object>> {
  const results = operations.map(
    async (operation) =>
      [operation.id, await runExample(operation, operation.example, openReportDns)] as const,
  )
  return new Map(await Promise.all(results))
}

export async function runExample<Report>(
  operation: Operation<Report>,
  parameters: Operation['example'],
  openReportDns: Runtime['openReportDns'],
  runtime: ExampleRuntime = EXAMPLE_RUNTIME,
): Promise<OperationResult<Report>> {
  const request = operation.prepare(parameters)
  if (request.kind === 'invalid') throw new Error(`${operation.id}: ${request.detail}`)
  const outcome = await runOperation(request, { ...runtime, openReportDns })
  if (outcome.kind === 'problem') throw new Error(`${operation.id}: ${outcome.cause}`)
  return outcome.result
}
