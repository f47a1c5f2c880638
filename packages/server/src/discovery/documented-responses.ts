/**
 * Every response of each operation with its headers and an example: the result and every problem.
 */
import type { OpenAPIHono } from '@hono/zod-openapi'
import { failed } from '@mailgrade/doh/dns'
import { isPaid, type Operation, type PaidOperation } from '@mailgrade/operations/operation'
import { type ProblemCode, REJECTED_REQUEST_DETAILS } from '@mailgrade/operations/problem-types'
import {
  dnsProblem,
  internalProblem,
  invalidInputProblem,
  OVERLOADED,
  type Problem,
  rateLimitedProblem,
  unknownDomainProblem,
} from '@mailgrade/operations/run-operation'
import {
  type GetPaymentOffer,
  type PaymentOffer,
  toPaymentRequired,
} from '../payments/payment-offer.js'
import {
  chargedBy,
  HTTP_PAYMENT_TRANSPORT,
  IDENTIFIER_IN_PROGRESS,
  IDENTIFIER_USED,
  LEDGER_UNAVAILABLE,
  MALFORMED_IDENTIFIER,
  malformedPayment,
  notCharged,
  outcomeLimited,
  PAYMENT_IN_PROGRESS,
  type PaymentErrorReason,
  payerOnHold,
  paymentRequiredDetail,
  reportNotMade,
  SHUTTING_DOWN,
  settlementUnknown,
  TOO_MANY_UNKNOWN,
  tooManyPayments,
  tooManyUnsoldAttempts,
  verificationUnavailable,
} from '../payments/payment-problems.js'
import { HOLD_SECONDS } from '../payments/trouble-budget.js'
import type { ServiceInfo } from '../service-info.js'
import { EXAMPLE_RUNTIME } from './example-results.js'

export interface DocumentedResponses {
  /** The result of the operation's own example. */
  readonly result: object | undefined
  readonly problems: readonly ProblemCase[]
}

/** By operation id. */
export type DocumentedResponsesById = ReadonlyMap<string, DocumentedResponses>

/** One way a request can end without a result. */
export interface ProblemCase {
  readonly problem: Problem
  /** The response headers besides `X-Request-Id`. */
  readonly headers: readonly DocumentedHeader[]
  /** The name of the example: the problem's code, unless one code has several cases. */
  readonly name: string
  /** A summary of the example: the problem's title by default. */
  readonly summary?: string
  /** The request parameters, if they cause the problem. */
  readonly query?: Operation['example']
  /** Fields of the body besides those of every problem. */
  readonly extraFields?: object
}

export async function documentResponses(
  operations: readonly Operation[],
  service: ServiceInfo,
  results: ReadonlyMap<string, object>,
  getOffer: GetPaymentOffer,
): Promise<DocumentedResponsesById> {
  const responses = operations.map(async (operation) => {
    const cases = isPaid(operation)
      ? await paidCases(operation, await getOffer(operation), service)
      : await freeCases(operation, service)
    const problems = [...cases, ...rejectedRequestCases()]
    return [operation.id, { result: results.get(operation.id), problems }] as const
  })
  return new Map(await Promise.all(responses))
}

const RETRY = ['Retry-After'] as const

async function freeCases(operation: Operation, service: ServiceInfo): Promise<ProblemCase[]> {
  const limitedRetry = [...RATE_LIMIT_HEADERS, ...RETRY]
  return [
    ...(await lookupCases(operation, RATE_LIMIT_HEADERS)),
    // A caller that sends all requests at once has to wait for the whole window.
    problemCase(rateLimitedProblem(service, service.windowSeconds), limitedRetry),
    problemCase(OVERLOADED, limitedRetry),
    problemCase(internalProblem(false), RATE_LIMIT_HEADERS),
  ]
}

async function paidCases(
  operation: PaidOperation,
  offer: PaymentOffer,
  { limit, windowSeconds }: ServiceInfo,
): Promise<ProblemCase[]> {
  const lookups = await lookupCases(operation, [])
  const unsold = tooManyUnsoldAttempts(limit, windowSeconds)
  return [
    // Invalid input is rejected before the payment is read, so it says nothing about the charge.
    ...lookups.map((it) =>
      it.problem.code === 'invalid_input' ? it : { ...it, problem: notCharged(it.problem) },
    ),
    problemCase(malformedPayment(HTTP_PAYMENT_TRANSPORT)),
    problemCase(MALFORMED_IDENTIFIER, [], {
      name: 'malformed_identifier',
      summary: 'The payment identifier is not valid',
    }),
    paymentRequiredCase(operation, offer, 'payment_required', {
      headers: ['PAYMENT-REQUIRED'],
      summary: 'You sent no payment',
    }),
    paymentRequiredCase(operation, offer, 'insufficient_funds', {
      headers: ['PAYMENT-REQUIRED', 'PAYMENT-RESPONSE'],
      summary: 'We could not settle the payment',
    }),
    paymentRequiredCase(operation, offer, 'unsupported_version', {
      headers: ['PAYMENT-REQUIRED'],
      summary: 'You sent an x402 version 1 payment',
    }),
    problemCase(PAYMENT_IN_PROGRESS, RETRY, {
      name: 'waiting',
      summary: 'Another request is using the same payment',
    }),
    problemCase(IDENTIFIER_IN_PROGRESS, RETRY, {
      name: 'identifier_waiting',
      summary: 'Another payment with the same identifier is in progress',
    }),
    problemCase(reportNotMade(await lookupProblem(operation, 'servfail')), RETRY, {
      name: 'analysis_failed',
      summary: 'We received the payment but could not make its report',
    }),
    problemCase(IDENTIFIER_USED),
    problemCase(unsold, RETRY, {
      name: 'unsold_attempts',
      summary: 'Too many paid requests from this wallet ended without a report',
    }),
    problemCase(outcomeLimited(unsold), RETRY, {
      name: 'report_limited',
      summary: 'Too many paid requests from this caller ended without a report',
    }),
    problemCase(payerOnHold(HOLD_SECONDS), RETRY, {
      name: 'payer_on_hold',
      summary: 'An earlier payment from this wallet failed on the chain',
    }),
    problemCase(TOO_MANY_UNKNOWN, RETRY, {
      name: 'unknown_outcomes',
      summary: 'The outcome of earlier payments from this wallet is unknown',
    }),
    problemCase(internalProblem(true)),
    problemCase(verificationUnavailable(''), RETRY, {
      name: 'not_verified',
      summary: 'We could not verify the payment',
    }),
    problemCase(settlementUnknown(''), RETRY, {
      name: 'not_settled',
      summary: 'We do not know whether the payment was settled',
    }),
    problemCase(tooManyPayments(''), RETRY, {
      name: 'too_many_sales',
      summary: 'Too many payments are in progress',
    }),
    problemCase(LEDGER_UNAVAILABLE, RETRY),
    problemCase(SHUTTING_DOWN),
    problemCase(notCharged(OVERLOADED), RETRY),
  ]
}

function paymentRequiredCase(
  { price }: PaidOperation,
  offer: PaymentOffer,
  reason: PaymentErrorReason,
  { headers, summary }: Required<Pick<ProblemCase, 'headers' | 'summary'>>,
): ProblemCase {
  const detail = paymentRequiredDetail(reason, price, HTTP_PAYMENT_TRANSPORT)
  const charged = chargedBy(reason)
  const problem = { ...toProblem('payment_required', detail), ...(charged && { charged }) }
  const extraFields = toPaymentRequired(offer, reason)
  return problemCase(problem, headers, { name: reason, summary, extraFields })
}

const INVALID_DOMAIN = 'localhost'
/** Not in the demo zones, and reserved so it can exist nowhere else (RFC 6761 §6.2). */
const UNKNOWN_DOMAIN = 'nowhere.test'

async function lookupCases(
  operation: Operation,
  headers: readonly DocumentedHeader[],
): Promise<ProblemCase[]> {
  const { example, answersUnknownDomains } = operation
  const [parameter = ''] = Object.keys(example)
  const invalid = { ...example, [parameter]: INVALID_DOMAIN }
  const unknown = { ...example, [parameter]: UNKNOWN_DOMAIN }
  return [
    problemCase(inputProblem(operation, invalid), headers, { query: invalid }),
    ...(answersUnknownDomains
      ? []
      : [problemCase(unknownDomainProblem(UNKNOWN_DOMAIN), headers, { query: unknown })]),
    problemCase(await lookupProblem(operation, 'servfail'), headers, { query: example }),
    problemCase(await lookupProblem(operation, 'timeout'), headers, { query: example }),
  ]
}

function inputProblem(operation: Operation, query: Operation['example']): Problem {
  const request = operation.prepare(query)
  if (request.kind === 'invalid') return invalidInputProblem(request)
  throw new Error(`${operation.id} accepts ${request.requestKey()}`)
}

/** Runs the example against a DNS that fails, because the detail names the query that failed. */
async function lookupProblem(
  operation: Operation,
  reason: 'servfail' | 'timeout',
): Promise<Problem> {
  const request = operation.prepare(operation.example)
  if (request.kind === 'invalid') throw new Error(`${operation.id}: ${request.detail}`)
  const checked = await request.run({ query: async () => failed(reason, '') }, EXAMPLE_RUNTIME)
  if (checked.kind === 'unavailable') return dnsProblem(checked)
  throw new Error(`${operation.id} has a result without DNS`)
}

function rejectedRequestCases(): ProblemCase[] {
  const { malformed_request, request_timeout, uri_too_long, headers_too_large } =
    REJECTED_REQUEST_DETAILS
  return [
    problemCase(toProblem('malformed_request', malformed_request)),
    problemCase(toProblem('request_timeout', request_timeout)),
    problemCase(toProblem('uri_too_long', uri_too_long)),
    problemCase(toProblem('headers_too_large', headers_too_large)),
  ]
}

function toProblem(code: ProblemCode, detail: string): Problem {
  return { kind: 'problem', code, detail, cause: code }
}

function problemCase(
  problem: Problem,
  headers: readonly DocumentedHeader[] = [],
  particulars: Partial<ProblemCase> = {},
): ProblemCase {
  return { name: problem.code, problem, headers, ...particulars }
}

const HEADERS = {
  'X-Request-Id': {
    description:
      'Identifies this response, including in our log. If you sent an id of up to 64 letters, digits, dots, hyphens, and underscores, we use yours.',
    required: true,
    schema: { type: 'string' },
  },
  'RateLimit-Policy': {
    description:
      'The limit on free requests: at most `q` in any `w` seconds across all free endpoints, per IPv4 address or IPv6 /64. Every GET and HEAD counts, whatever the response, except those rejected with 429.',
    schema: { type: 'string', example: '"free";q=30;w=60' },
  },
  RateLimit: {
    description:
      'How much of the limit is left: you can send `r` more requests now, and one more in `t` seconds.',
    schema: { type: 'string', example: '"free";r=12;t=8' },
  },
  'Retry-After': {
    description: 'How many seconds to wait before you try again.',
    schema: { type: 'integer', minimum: 1 },
  },
  'PAYMENT-RESPONSE': {
    description:
      'The receipt: an x402 SettlementResponse as base64. If the operator signs receipts, `extensions["offer-receipt"]` has a signed one. With a 402, this is the settlement that failed.',
    schema: { type: 'string' },
  },
  'PAYMENT-REQUIRED': {
    description: 'The price and how to pay it: an x402 PaymentRequired object as base64.',
    required: true,
    schema: { type: 'string' },
  },
} as const

type DocumentedHeader = keyof typeof HEADERS

/** On every response of a free operation. */
export const RATE_LIMIT_HEADERS: readonly DocumentedHeader[] = ['RateLimit-Policy', 'RateLimit']

export function registerOpenApiHeaders(
  registry: OpenAPIHono['openAPIRegistry'],
  isSelling: boolean,
): void {
  for (const [name, header] of Object.entries(HEADERS)) {
    if (!isSelling && name.startsWith('PAYMENT-')) continue
    registry.registerComponent('headers', name, header)
  }
}

export function headerRefs(names: readonly DocumentedHeader[]) {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}
