/** From the answer of a service to the result that the same report over DNS would have. */
import { toVisibleText } from '@mailgrade/core'
import type { SourceResult } from '../command-line/report-source.js'
import type { ReportMeta } from '../library.js'
import type { ServiceAnswer, ServiceResponse } from './service-client.js'

export interface ServiceRequest {
  /** The domain or email address, as the user gave it. */
  readonly subject: string
  /** The name of the service, for messages. */
  readonly service: string
  /** Whether this version can read the report. */
  isReport(value: unknown): boolean
  /** Whether the report is about the subject. */
  isAnswer(report: unknown): boolean
}

export function toSourceResult<Report>(
  answer: ServiceAnswer,
  request: ServiceRequest,
): SourceResult<Report> {
  if (answer.kind === 'no-response') return serviceProblem(answer.code, answer.detail)
  if (answer.status !== 200) return toProblemResult(answer, request)
  const { meta, ...report } = answer.body
  if (!isMeta(meta) || !request.isReport(report)) {
    return serviceProblem(
      'invalid_response',
      `This version of mailgrade can’t read what the service at ${request.service} sent. Check the --server URL, and make sure that both run the same version.`,
    )
  }
  if (!request.isAnswer(report)) {
    const other = toLine(`${report.email ?? report.domain}`)
    return serviceProblem(
      'invalid_response',
      `The service at ${request.service} sent a report about ${other}, which isn’t what you asked for. Check the --server URL.`,
    )
  }
  return { kind: 'report', report: report as Report, meta }
}

/** `note` says whether the user was charged, where the service does not. */
export function toProblemResult(
  response: ServiceResponse,
  { subject, service }: ServiceRequest,
  note = '',
): SourceResult<never> {
  const { status, headers } = response
  const { code, detail: text } = response.body
  if (typeof code !== 'string' || typeof text !== 'string') {
    return serviceProblem(
      'invalid_response',
      withNote(describeStatus(status, headers, service), note),
    )
  }
  const detail = withNote(toLine(text), note)
  switch (code) {
    case 'invalid_input':
      return { kind: 'invalid-input', detail }
    case 'unknown_domain':
      return { kind: 'unknown-domain', domain: subject, detail }
    case 'dns_unavailable':
      return { kind: 'dns-unavailable', reason: 'unknown', detail }
    case 'dns_timeout':
      return { kind: 'dns-unavailable', reason: 'timeout', detail }
    default:
      return serviceProblem(toLine(code), detail)
  }
}

export function serviceProblem(code: string, detail: string): SourceResult<never> {
  return { kind: 'service-problem', code, detail }
}

/** Most details of the service say it already. */
function withNote(detail: string, note: string): string {
  return note === '' || detail.includes('charged') ? detail : `${detail} ${note}`
}

function describeStatus(status: number, headers: Headers, service: string): string {
  const location = headers.get('location')
  if (status >= 300 && status < 400 && location !== null) {
    return `The service at ${service} redirects to ${toLine(location)}. Use that URL with --server.`
  }
  return `The service at ${service} answered with HTTP status ${status} and no explanation. Check the --server URL.`
}

const LONGEST_TEXT = 1_000

/** One line without control characters, so a service cannot write anything else to a terminal. */
function toLine(text: string): string {
  return toVisibleText(text.slice(0, LONGEST_TEXT).replace(/\s+/g, ' '))
}

function isMeta(value: unknown): value is ReportMeta {
  const { checkedAt, resolvers, dnsQueries, durationMs } = Object(value)
  return (
    typeof checkedAt === 'string' &&
    Array.isArray(resolvers) &&
    resolvers.every((it) => typeof it === 'string') &&
    typeof dnsQueries === 'number' &&
    typeof durationMs === 'number'
  )
}
