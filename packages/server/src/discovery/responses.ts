/** Every answer an operation can give, in the OpenAPI document. */
import { z } from 'zod'
import { metaSchema } from '../operations/meta.js'
import { isPaid, type Operation } from '../operations/operation.js'
import { problemDetails, problemSchema } from '../operations/problem-details.js'
import { PROBLEMS, type ProblemCode } from '../operations/problems.js'
import { paymentRequiredSchema } from '../payments/payment-required.js'
import type { Answers } from './answers.js'
import { REQUEST_ID } from './examples.js'
import { headers, LIMIT_HEADERS } from './headers.js'
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

export function responsesOf(operation: Operation, answers: Answers, baseUrl: string) {
  const schema = operation.output.extend({ meta: metaSchema })
  return {
    200: {
      description: isPaid(operation) ? 'The report, paid for' : 'The report',
      headers: headers([
        'X-Request-Id',
        ...(isPaid(operation) ? (['PAYMENT-RESPONSE'] as const) : LIMIT_HEADERS),
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
    headers: headers(['X-Request-Id', ...new Set(cases.flatMap((it) => it.headers))]),
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
  const details = problemDetails(code, words, { baseUrl, requestId: REQUEST_ID })
  return {
    summary: it.summary ?? PROBLEMS[code].title,
    ...(it.query && { description: `\`GET ${path}?${new URLSearchParams(it.query)}\`` }),
    value: { ...details, ...it.more },
  }
}

function inWords(code: ProblemCode): string {
  const { title, meaning } = PROBLEMS[code]
  const note = NOTES[code]
  return `\`${code}\`: ${title}. ${meaning}${note ? ` ${note}` : ''}`
}

function byStatus(cases: readonly ProblemCase[]): [number, ProblemCase[]][] {
  const groups = new Map<number, ProblemCase[]>()
  for (const it of cases) {
    const { status } = PROBLEMS[it.problem.code]
    groups.set(status, [...(groups.get(status) ?? []), it])
  }
  return [...groups].sort(([one], [other]) => one - other)
}
