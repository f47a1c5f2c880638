/** The responses of an operation in the OpenAPI document, with their headers. */
import { isPaid, metaSchema, type Operation } from '@mailgrade/operations/operation'
import { createProblemDetails, problemSchema } from '@mailgrade/operations/problem-details'
import { PROBLEM_TYPES, type ProblemCode } from '@mailgrade/operations/problem-types'
import { z } from 'zod'
import { CONTENT } from '../content/generated/content.js'
import { paymentRequiredSchema } from '../payments/payment-offer.js'
import {
  type DocumentedResponses,
  headerRefs,
  type ProblemCase,
  RATE_LIMIT_HEADERS,
} from './documented-responses.js'
import { EXAMPLE_REQUEST_ID } from './example-results.js'

/** Everything we send in x402's object; callers may rely on less. */
const paymentRequiredBodySchema = problemSchema
  .extend(paymentRequiredSchema.shape)
  .extend({
    resource: paymentRequiredSchema.shape.resource
      .extend({
        serviceName: z.string().optional().describe('This service’s name'),
        iconUrl: z.url().describe('This service’s icon'),
        tags: z.array(z.string()).describe('Keywords for catalogs'),
      })
      .describe('What you pay for'),
  })
  .meta({ id: 'PaymentRequired', description: 'The price and how to pay it, in x402’s format' })

/** Facts that may change, so the page about the problem leaves them out. */
const NOTES: Partial<Record<ProblemCode, string>> = {
  report_not_ready:
    'Only `waiting` and `analysis_failed` occur today; `rejected_or_not_received` is reserved.',
}

/** Clients handle all reports alike, so this one declares the status too. */
const UNUSED_NOT_FOUND = {
  description:
    'Not used. If an address’s domain does not exist, you get a 200 with the verdict `undeliverable` and the reason `domain_not_found`. We declare this status because the other paid reports return it for an unknown domain.',
  headers: headerRefs(['X-Request-Id']),
  content: { 'application/problem+json': { schema: problemSchema } },
}

export function openApiResponses(
  operation: Operation,
  { result, problems }: DocumentedResponses,
  baseUrl: string,
) {
  const schema = z.intersection(operation.output, z.object({ meta: metaSchema }))
  return {
    200: {
      description: isPaid(operation) ? 'The paid report' : 'The report',
      headers: headerRefs([
        'X-Request-Id',
        ...(isPaid(operation) ? (['PAYMENT-RESPONSE'] as const) : RATE_LIMIT_HEADERS),
      ]),
      content: { 'application/json': { schema, example: result } },
    },
    ...(operation.answersUnknownDomains && { 404: UNUSED_NOT_FOUND }),
    ...Object.fromEntries(
      groupByStatus(problems).map(([status, cases]) => [
        status,
        problemResponse(operation, cases, baseUrl),
      ]),
    ),
  }
}

function problemResponse({ path }: Operation, cases: readonly ProblemCase[], baseUrl: string) {
  const codes = [...new Set(cases.map(({ problem }) => problem.code))]
  const isPaymentRequired = codes.includes('payment_required')
  const examples = cases.map((it) => [it.name, toExample(it, path, baseUrl)] as const)
  return {
    description: codes.map(describeProblem).join('\n\n'),
    headers: headerRefs(['X-Request-Id', ...new Set(cases.flatMap((it) => it.headers))]),
    content: {
      'application/problem+json': {
        schema: isPaymentRequired ? paymentRequiredBodySchema : problemSchema,
        examples: Object.fromEntries(examples),
      },
    },
  }
}

function toExample(it: ProblemCase, path: string, baseUrl: string) {
  const { code, kind: _, cause: __, ...fields } = it.problem
  const details = createProblemDetails(code, fields, { baseUrl, requestId: EXAMPLE_REQUEST_ID })
  return {
    summary: it.summary ?? PROBLEM_TYPES[code].title,
    ...(it.query && { description: `\`GET ${path}?${new URLSearchParams(it.query)}\`` }),
    value: { ...details, ...it.extraFields },
  }
}

function describeProblem(code: ProblemCode): string {
  const { title } = PROBLEM_TYPES[code]
  const { meaning } = CONTENT.problems[code]
  const note = NOTES[code]
  return `\`${code}\`: ${title}. ${meaning}${note ? ` ${note}` : ''}`
}

function groupByStatus(cases: readonly ProblemCase[]): [number, ProblemCase[]][] {
  const groups = new Map<number, ProblemCase[]>()
  for (const it of cases) {
    const { status } = PROBLEM_TYPES[it.problem.code]
    groups.set(status, [...(groups.get(status) ?? []), it])
  }
  return [...groups].sort(([one], [other]) => one - other)
}
