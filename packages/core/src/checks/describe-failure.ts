/** A failed DNS query, in words for the person who asked for the report. */

import type { DnsQuery, Failed, FailureReason } from '@mailgrade/doh/dns'

/** Our own texts, because an error from a resolver or socket could reveal internals. */
const FAILURE_REASONS: Record<FailureReason, string> = {
  aborted: 'the request was canceled',
  'bad-name': 'it isn’t a valid DNS name',
  budget: 'it would take more DNS queries than we send for one report',
  'cname-loop': 'its CNAME records form a loop',
  'http-status': 'no resolver returned a usable answer',
  malformed: 'no resolver returned a usable answer',
  refused: 'every resolver refused the query',
  servfail: 'no resolver could get an answer from the domain’s name servers',
  timeout: 'no resolver answered in time',
  unreachable: 'we couldn’t reach any resolver',
}
/** Trying again does not help. */
const LASTING_FAILURES: readonly FailureReason[] = ['bad-name', 'budget', 'cname-loop']

export function describeFailure({ name, type }: DnsQuery, failure: Failed): string {
  const { code, text } = failure.extendedError ?? {}
  const extended =
    code === undefined
      ? ''
      : ` (extended error ${code}${text && `: “${text.replace(/[“”]/g, '"')}”`})`
  const advice = LASTING_FAILURES.includes(failure.reason)
    ? 'Fix the record that points there.'
    : 'Try again in a moment.'
  return `We couldn’t look up ${type} ${name} because ${FAILURE_REASONS[failure.reason]}${extended}. ${advice}`
}
