/** Does a job: opens its view of the DNS, runs it, and puts the result or the reason into words. */
import type { DnsUnavailable, Random } from '@mailgrade/core'
import type { ReportDns } from '@mailgrade/doh'
import type { FailureReason } from '@mailgrade/doh/dns'
import type { ReportMeta } from './meta.js'
import type { InvalidInput, PreparedRequest } from './operation.js'
import type { ProblemCode, ReportCondition } from './problem-types.js'

/** What work needs from the outside world. */
export interface Runtime extends Random {
  openReportDns(subject: string, signal?: AbortSignal): ReportDns
  /** Monotonic milliseconds. */
  now(): number
  currentTime(): Date
}

export type OperationResult = object & { readonly meta: ReportMeta }

/** Does a job for somebody. */
export type RunOperation = (
  job: PreparedRequest,
  visitor: RequestContext,
) => Promise<OperationOutcome>

/** Whoever asked. */
export interface RequestContext {
  readonly requestId: string
  /** The address that a fair share is counted by. */
  readonly caller: string
  /** Aborted when he hangs up. */
  readonly signal: AbortSignal
}

export type OperationOutcome =
  | { readonly kind: 'result'; readonly result: OperationResult }
  | Problem

/** `unknown`: send the same payment again, and never sign a new one. */
export const CHARGED = ['no', 'unknown'] as const
type Charged = (typeof CHARGED)[number]

export interface Problem {
  readonly kind: 'problem'
  readonly code: ProblemCode
  readonly detail: string
  /** The one that cannot be used. */
  readonly parameter?: string
  /** Why a report that was paid for is not there. */
  readonly condition?: ReportCondition
  /** When it is worth asking again. */
  readonly retryAfterSeconds?: number
  /** Of a payment that was sent: whether it was charged. */
  readonly charged?: Charged
  /** What lies behind it, for the log. */
  readonly cause: string
}

export interface ProblemLog {
  /** Why a request ended without a result; may name a domain, so it is for debugging only. */
  problem(code: ProblemCode, cause: string, requestId: string): void
}

export async function runOperation(
  job: PreparedRequest,
  bench: Runtime,
  signal?: AbortSignal,
): Promise<OperationOutcome> {
  const checkedAt = bench.currentTime().toISOString()
  const startedAt = bench.now()
  const lookup = bench.openReportDns(job.subject, signal)
  try {
    const checked = await job.run(lookup, bench)
    if (checked.kind === 'unknown-domain') return unknownDomain(job.subject)
    if (checked.kind === 'unavailable') return dnsProblem(checked)
    const meta = {
      checkedAt,
      resolvers: lookup.resolvers(),
      dnsQueries: lookup.queries.length,
      durationMs: Math.round(bench.now() - startedAt),
    }
    return { kind: 'result', result: { ...checked.report, meta } }
  } finally {
    lookup.close()
  }
}

/** What was given stays out of the log: it may be somebody's address. */
export function invalidInputProblem({ parameter, detail }: InvalidInput): Problem {
  return {
    kind: 'problem',
    code: 'invalid_input',
    detail,
    parameter,
    cause: `${parameter} cannot be used`,
  }
}

function unknownDomain(domain: string): OperationOutcome {
  return {
    kind: 'problem',
    code: 'unknown_domain',
    detail: `${domain} does not exist in the DNS. Check the spelling.`,
    cause: `${domain}: NXDOMAIN`,
  }
}

/** In our own words: a resolver's or a socket's may tell what is nobody's business. */
const REASONS: Record<FailureReason, string> = {
  aborted: 'the caller gave up',
  'bad-name': 'no DNS name can be written like this',
  budget: 'the report needs more DNS questions than one report may ask',
  'cname-loop': 'its CNAME records lead back to themselves',
  'http-status': 'no resolver gave a usable answer',
  malformed: 'no resolver gave a usable answer',
  refused: 'no resolver would answer the question',
  servfail: 'no resolver could get an answer from the domain’s name servers',
  timeout: 'no resolver answered in time',
  unreachable: 'no resolver could be reached',
}
const LASTING: readonly FailureReason[] = ['bad-name', 'budget', 'cname-loop']

function dnsProblem({ query, failure }: DnsUnavailable): OperationOutcome {
  const asked = `${query.type} ${query.name}`
  const { code, text } = failure.extendedError ?? {}
  const extended = code === undefined ? '' : ` (extended error ${code}${text && `: ${text}`})`
  const advice = LASTING.includes(failure.reason)
    ? 'Correct the record that leads there.'
    : 'Try again in a moment.'
  return {
    kind: 'problem',
    code: failure.reason === 'timeout' ? 'dns_timeout' : 'dns_unavailable',
    detail: `${asked} could not be looked up: ${REASONS[failure.reason]}${extended}. ${advice}`,
    cause: `${asked}: ${failure.detail}`,
  }
}
