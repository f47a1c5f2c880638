/** Runs a prepared request: opens its DNS, makes the report, and describes what went wrong if anything did. */
import { type DnsUnavailable, describeFailure, type OnChecked } from '@mailgrade/core'
import type { ReportDns } from '@mailgrade/doh'
import type { InvalidInput, OperationResult, PreparedRequest, ReportRuntime } from './operation.js'
import type { ProblemCode, ReportCondition } from './problem-types.js'

/** What running an operation needs from outside. */
export interface Runtime extends ReportRuntime {
  openReportDns(subject: string, signal?: AbortSignal): ReportDns
  /** Monotonic milliseconds. */
  now(): number
}

/** Runs a prepared request for a caller. */
export type RunOperation = <Report = object>(
  request: PreparedRequest<Report>,
  context: RequestContext,
) => Promise<OperationOutcome<Report>>

export interface RequestContext {
  readonly requestId: string
  /** The address that limits are counted by. */
  readonly caller: () => string
  /** Aborted when the caller disconnects. */
  readonly signal: () => AbortSignal
  /** Shows progress to a caller who watches. */
  readonly onChecked?: OnChecked
}

export type OperationOutcome<Report = object> =
  | { readonly kind: 'result'; readonly result: OperationResult<Report> }
  | Problem

/** `unknown`: send the same payment again, never sign a new one. */
export const CHARGED = ['no', 'unknown'] as const
type Charged = (typeof CHARGED)[number]

/** Why a request has no result. */
export interface Problem {
  readonly kind: 'problem'
  readonly code: ProblemCode
  readonly detail: string
  /** The invalid parameter. */
  readonly parameter?: string
  /** Why a paid report is not ready. */
  readonly condition?: ReportCondition
  readonly retryAfterSeconds?: number
  /** Whether the payment that was sent has been charged. */
  readonly charged?: Charged
  /** The underlying cause, for the log. */
  readonly cause: string
}

export interface ProblemLog {
  /** Why a request has no result. The cause may name a domain, so it is logged at debug level only. */
  problem(code: ProblemCode, cause: string, requestId: string): void
}

export interface ErrorLog {
  /** An unexpected error. The caller sees it as an internal error without details. */
  error(error: unknown, requestId: string): void
}

export async function runOperation<Report>(
  request: PreparedRequest<Report>,
  runtime: Runtime,
  signal?: AbortSignal,
): Promise<OperationOutcome<Report>> {
  const checkedAt = runtime.currentTime().toISOString()
  const startedAt = runtime.now()
  const dns = runtime.openReportDns(request.subject, signal)
  try {
    const checked = await request.run(dns, runtime)
    if (checked.kind === 'unknown-domain') return unknownDomainProblem(request.subject)
    if (checked.kind === 'unavailable') return dnsProblem(checked)
    const meta = {
      checkedAt,
      resolvers: dns.resolvers(),
      dnsQueries: dns.queries.length,
      durationMs: Math.round(runtime.now() - startedAt),
    }
    return { kind: 'result', result: { ...checked.report, meta } }
  } finally {
    dns.close()
  }
}

/** Resolves to a function that frees the slot, or to null when there is none in time. */
export type AcquireSlot = (caller: string, signal: AbortSignal) => Promise<(() => void) | null>

export const OVERLOADED: Problem = {
  kind: 'problem',
  code: 'overloaded',
  detail: 'Too many reports are in progress. Try again in 2 seconds.',
  retryAfterSeconds: 2,
  cause: 'no slot in time',
}

/** Limits how many reports run at once. */
export function withConcurrencyLimit(run: RunOperation, acquireSlot: AcquireSlot): RunOperation {
  return async function runWithLimit(request, context) {
    const releaseSlot = await acquireSlot(context.caller(), context.signal())
    if (!releaseSlot) return OVERLOADED
    try {
      return await run(request, context)
    } finally {
      releaseSlot()
    }
  }
}

interface RateLimit {
  readonly limit: number
  readonly windowSeconds: number
}

export function rateLimitedProblem(
  { limit, windowSeconds }: RateLimit,
  resetSeconds: number,
): Problem {
  const window = windowSeconds === 60 ? 'a minute' : `in ${windowSeconds} seconds`
  return {
    kind: 'problem',
    code: 'rate_limited',
    detail: `You’ve reached the limit of ${limit} free checks ${window}. Try again in ${resetSeconds === 1 ? '1 second' : `${resetSeconds} seconds`}.`,
    retryAfterSeconds: resetSeconds,
    cause: 'over the limit',
  }
}

/** The value stays out of the log: it may be an email address. */
export function invalidInputProblem({
  parameter,
  detail,
}: Pick<InvalidInput, 'parameter' | 'detail'>): Problem {
  return {
    kind: 'problem',
    code: 'invalid_input',
    detail,
    parameter,
    cause: `${parameter} is invalid`,
  }
}

export function unknownDomainProblem(domain: string): Problem {
  return {
    kind: 'problem',
    code: 'unknown_domain',
    detail: `${domain} doesn’t exist in DNS. Check the spelling.`,
    cause: `${domain}: NXDOMAIN`,
  }
}

export function dnsProblem({ query, failure }: DnsUnavailable): Problem {
  return {
    kind: 'problem',
    code: failure.reason === 'timeout' ? 'dns_timeout' : 'dns_unavailable',
    detail: describeFailure(query, failure),
    cause: `${query.type} ${query.name}: ${failure.detail}`,
  }
}

/** An unexpected error. If a payment was sent, it may have happened before or after the charge. */
export function internalProblem(hasPayment: boolean): Problem {
  return {
    kind: 'problem',
    code: 'internal',
    ...(hasPayment && { charged: 'unknown' }),
    detail: hasPayment
      ? 'Something went wrong on our side. You may have been charged. Don’t sign a new payment. Send the same one again in a few seconds, and if you were charged, you’ll get your report.'
      : 'Something went wrong on our side. Try again in a few seconds.',
    cause: 'fault',
  }
}
