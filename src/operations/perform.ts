/** Does a job: opens its view of the DNS, runs it, and puts the result or the reason into words. */
import type { Unavailable } from '../checks/checked.js'
import type { Lookup } from '../dns/lookup.js'
import type { DomainName } from '../names/domain-name.js'
import type { Meta } from './meta.js'
import type { Job } from './operation.js'
import type { ProblemCode } from './problems.js'

/** What work needs from the outside world. */
export interface Bench {
  openLookup(subject: DomainName, signal?: AbortSignal): Lookup
  /** Monotonic milliseconds. */
  now(): number
  today(): Date
}

export type Outcome =
  | { readonly kind: 'result'; readonly result: object & { readonly meta: Meta } }
  | { readonly kind: 'problem'; readonly code: ProblemCode; readonly detail: string }

export async function perform(job: Job, bench: Bench, signal?: AbortSignal): Promise<Outcome> {
  const checkedAt = bench.today().toISOString()
  const startedAt = bench.now()
  const lookup = bench.openLookup(job.subject, signal)
  try {
    const checked = await job.run(lookup)
    if (checked.kind === 'unknown-domain') return unknownDomain(job.subject)
    if (checked.kind === 'unavailable') return dnsProblem(checked)
    const meta = {
      checkedAt,
      resolvers: lookup.resolvers(),
      dnsQueries: lookup.trace.length,
      durationMs: Math.round(bench.now() - startedAt),
    }
    return { kind: 'result', result: { ...checked.report, meta } }
  } finally {
    lookup.end()
  }
}

function unknownDomain(domain: DomainName): Outcome {
  return {
    kind: 'problem',
    code: 'unknown_domain',
    detail: `${domain} does not exist in the DNS. Check the spelling.`,
  }
}

function dnsProblem({ question, failure }: Unavailable): Outcome {
  const { code, text } = failure.extendedError ?? {}
  const extended = code === undefined ? '' : ` (extended error ${code}${text && `: ${text}`})`
  return {
    kind: 'problem',
    code: failure.reason === 'timeout' ? 'dns_timeout' : 'dns_unavailable',
    detail: `${question.type} ${question.name} could not be looked up: ${failure.detail}${extended}. Try again in a moment.`,
  }
}
