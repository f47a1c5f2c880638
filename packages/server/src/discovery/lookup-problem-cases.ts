/** What an operation says of input that it cannot use, and of a DNS that knows nothing or fails. */
import type { Operation } from '../operations/operation.js'
import {
  invalidInputProblem,
  type Problem,
  type Runtime,
  runOperation,
} from '../operations/run-operation.js'
import { EXAMPLE_RUNTIME } from './example-results.js'
import type { DocumentedHeader } from './openapi-headers.js'
import { type ProblemCase, problemCase } from './problem-case.js'

type Lookup = ReturnType<Runtime['openReportDns']>
type Query = Operation['example']
type Answer = Awaited<ReturnType<Lookup['query']>>

const UNUSABLE = 'localhost'
/** The demo zones do not have it, and nobody else can (RFC 6761 §6.2). */
const NOWHERE = 'nowhere.test'

const NOTHING_MORE = { cnames: [], extendedError: null, resolver: null }
const ABSENT: Answer = { ...NOTHING_MORE, kind: 'nxdomain', ttl: null, authenticated: false }
const BROKEN: Answer = { ...NOTHING_MORE, kind: 'failed', reason: 'servfail', detail: '' }
const SLOW: Answer = { ...BROKEN, reason: 'timeout' }

export async function lookupProblemCases(
  operation: Operation,
  headers: readonly DocumentedHeader[],
): Promise<ProblemCase[]> {
  const { example, answersUnknownDomains } = operation
  const [parameter = ''] = Object.keys(example)
  const about = (value: string) => ({ ...example, [parameter]: value })
  const failing = async (query: Query, answer: Answer) =>
    problemCase(await problemOf(operation, query, answer), headers, { query })

  const unusable = about(UNUSABLE)
  return [
    problemCase(refusalOf(operation, unusable), headers, { query: unusable }),
    ...(answersUnknownDomains ? [] : [await failing(about(NOWHERE), ABSENT)]),
    await failing(example, BROKEN),
    await failing(example, SLOW),
  ]
}

function refusalOf(operation: Operation, query: Query): Problem {
  const job = operation.prepare(query)
  if (job.kind === 'job') throw new Error(`${operation.id} takes ${job.requestKey}`)
  return invalidInputProblem(job)
}

/** Whatever it asks, the DNS has this one answer. */
async function problemOf(operation: Operation, query: Query, answer: Answer): Promise<Problem> {
  const job = operation.prepare(query)
  if (job.kind === 'invalid') throw new Error(`${operation.id}: ${job.detail}`)
  const outcome = await runOperation(job, {
    ...EXAMPLE_RUNTIME,
    openReportDns: () => answering(answer),
  })
  if (outcome.kind === 'result')
    throw new Error(`${operation.id} has a result for ${job.requestKey}`)
  return outcome
}

function answering(answer: Answer): Lookup {
  const ask = async () => answer
  return { query: ask as Lookup['query'], queries: [], resolvers: () => [], close: () => {} }
}
