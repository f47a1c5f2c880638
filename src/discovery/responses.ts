/** Every answer an operation can give, in the OpenAPI document. */
import { metaSchema } from '../operations/meta.js'
import { isPaid, type Operation } from '../operations/operation.js'
import { problemSchema } from '../operations/problem-details.js'
import { PROBLEMS, type ProblemCode } from '../operations/problems.js'
import { paymentRequiredSchema } from '../payments/payment-required.js'
import { type HeaderName, headers } from './headers.js'

const FREE_PROBLEMS: readonly ProblemCode[] = [
  'invalid_input',
  'unknown_domain',
  'rate_limited',
  'internal',
  'dns_unavailable',
  'dns_timeout',
]

const PAID_PROBLEMS: readonly ProblemCode[] = [
  'invalid_input',
  'malformed_payment',
  'payment_required',
  'unknown_domain',
  'report_not_ready',
  'internal',
  'dns_unavailable',
  'facilitator_unavailable',
  'overloaded',
  'dns_timeout',
]

const challengeSchema = problemSchema
  .extend(paymentRequiredSchema.shape)
  .meta({ id: 'PaymentRequired' })

/** What travels with a status, besides its body. */
const PAID_HEADERS: Record<number, readonly HeaderName[]> = {
  200: ['PAYMENT-RESPONSE'],
  402: ['PAYMENT-REQUIRED', 'PAYMENT-RESPONSE'],
  409: ['Retry-After'],
  502: ['Retry-After'],
  503: ['Retry-After'],
}

export function responsesOf(operation: Operation, example: object | undefined) {
  const headersOf = isPaid(operation) ? paidHeaders : freeHeaders
  const schema = operation.output.extend({ meta: metaSchema })
  return {
    200: {
      description: 'The result',
      headers: headersOf(200),
      content: { 'application/json': { schema, example } },
    },
    ...Object.fromEntries(
      byStatus(problemsOf(operation)).map(([status, titles]) => [
        status,
        {
          description: titles.join('; or: '),
          headers: headersOf(status),
          content: {
            'application/problem+json': {
              schema: status === 402 ? challengeSchema : problemSchema,
            },
          },
        },
      ]),
    ),
  }
}

function problemsOf(operation: Operation): readonly ProblemCode[] {
  const all = isPaid(operation) ? PAID_PROBLEMS : FREE_PROBLEMS
  return operation.answersUnknownDomains ? all.filter((code) => code !== 'unknown_domain') : all
}

function freeHeaders(status: number) {
  return headers([
    'RateLimit-Policy',
    'RateLimit',
    ...(status === 429 ? (['Retry-After'] as const) : []),
  ])
}

function paidHeaders(status: number) {
  return headers(PAID_HEADERS[status] ?? [])
}

function byStatus(codes: readonly ProblemCode[]): [number, string[]][] {
  const titles = new Map<number, string[]>()
  for (const code of codes) {
    const { status, title } = PROBLEMS[code]
    titles.set(status, [...(titles.get(status) ?? []), title])
  }
  return [...titles]
}
