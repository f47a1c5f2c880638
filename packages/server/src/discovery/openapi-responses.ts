/** Every answer an operation can give, in the OpenAPI document. */
import { z } from 'zod'
import { metaSchema } from '../operations/meta.js'
import { isPaid, type Operation } from '../operations/operation.js'
import { createProblemDetails, problemSchema } from '../operations/problem-details.js'
import { PROBLEM_TYPES, type ProblemCode } from '../operations/problem-types.js'
import { paymentRequiredSchema } from '../payments/payment-offer.js'
import type { DocumentedResponses } from './documented-responses.js'
import { EXAMPLE_REQUEST_ID } from './example-results.js'
import { headerRefs, RATE_LIMIT_HEADERS } from './openapi-headers.js'
import type { ProblemCase } from './problem-case.js'

/** All that we send of x402's object; callers rely on less of it. */
const challengeSchema = problemSchema
  .extend(paymentRequiredSchema.shape)
  .extend({
    resource: paymentRequiredSchema.shape.resource.extend({
      serviceName: z.string().optional(),
      tags: z.array(z.string()),
    }),
  })
  .meta({ id: 'PaymentRequired' })

/** What the page about a problem does not say, for it may change. */
const NOTES: Partial<Record<ProblemCode, string>> = {
  report_not_ready:
    'Today only `waiting` occurs; `rejected_or_not_received` and `analysis_failed` are reserved.',
}

export function openApiResponses(
  operation: Operation,
  answers: DocumentedResponses,
  baseUrl: string,
) {
  const schema = operation.output.extend({ meta: metaSchema })
  return {
    200: {
      description: isPaid(operation) ? 'The report, paid for' : 'The report',
      headers: headerRefs([
        'X-Request-Id',
        ...(isPaid(operation) ? (['PAYMENT-RESPONSE'] as const) : RATE_LIMIT_HEADERS),
      ]),
      content: { 'application/json': { schema, example: answers.result } },
    },
    ...Object.fromEntries(
      byStatus(answers.problems).map(([status, cases]) => [
        status,
        problemResponse(operation, cases, baseUrl),
      ]),
    ),
  }
}

function problemResponse({ path }: Operation, cases: readonly ProblemCase[], baseUrl: string) {
  const codes = [...new Set(cases.map(({ problem }) => problem.code))]
  const isChallenge = codes.includes('payment_required')
  const examples = cases.map((it) => [it.name, exampleOf(it, path, baseUrl)] as const)
  return {
    description: codes.map(inWords).join('\n\n'),
    headers: headerRefs(['X-Request-Id', ...new Set(cases.flatMap((it) => it.headers))]),
    content: {
      'application/problem+json': {
        schema: isChallenge ? challengeSchema : problemSchema,
        examples: Object.fromEntries(examples),
      },
    },
  }
}

function exampleOf(it: ProblemCase, path: string, baseUrl: string) {
  const { code, kind: _, cause: __, ...words } = it.problem
  const details = createProblemDetails(code, words, { baseUrl, requestId: EXAMPLE_REQUEST_ID })
  return {
    summary: it.summary ?? PROBLEM_TYPES[code].title,
    ...(it.query && { description: `\`GET ${path}?${new URLSearchParams(it.query)}\`` }),
    value: { ...details, ...it.extraFields },
  }
}

function inWords(code: ProblemCode): string {
  const { title, meaning } = PROBLEM_TYPES[code]
  const note = NOTES[code]
  return `\`${code}\`: ${title}. ${meaning}${note ? ` ${note}` : ''}`
}

function byStatus(cases: readonly ProblemCase[]): [number, ProblemCase[]][] {
  const groups = new Map<number, ProblemCase[]>()
  for (const it of cases) {
    const { status } = PROBLEM_TYPES[it.problem.code]
    groups.set(status, [...(groups.get(status) ?? []), it])
  }
  return [...groups].sort(([one], [other]) => one - other)
}
