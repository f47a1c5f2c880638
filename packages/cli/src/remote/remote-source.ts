/** Reports from a running service instead of DNS. */
import {
  dkimReportSchema,
  dmarcReportSchema,
  domainReportSchema,
  emailReportSchema,
  fixPlanSchema,
  mxReportSchema,
  parseDomainInput,
  parseMailAddress,
  scoreReportSchema,
  spfReportSchema,
  stringifySafely,
  toVisibleText,
} from '@mailgrade/core'
import type { CommandContext } from '../command-line/command.js'
import type { ReportSource, SourceResult } from '../command-line/report-source.js'
import type { DomainCheckOptions, DomainOptions } from '../library.js'
import { createPayer, type PayerOptions } from './payer.js'
import { createServiceClient, type Parameters, serviceAddress } from './service-client.js'
import { type ServiceRequest, toSourceResult } from './service-result.js'

interface RemoteOptions extends PayerOptions {
  readonly server: URL
  /** Seconds that a free report may take. */
  readonly timeout?: number | undefined
}

interface Endpoint {
  readonly path: string
  /** What is paid for. */
  readonly purpose: string
  readonly schema: { safeParse(value: unknown): { readonly success: boolean } }
}

const ENDPOINTS = {
  check: { path: '/v1/check', purpose: 'check', schema: domainReportSchema },
  mx: { path: '/v1/mx', purpose: 'MX check', schema: mxReportSchema },
  spf: { path: '/v1/spf', purpose: 'SPF check', schema: spfReportSchema },
  dmarc: { path: '/v1/dmarc', purpose: 'DMARC check', schema: dmarcReportSchema },
  dkim: { path: '/v1/dkim', purpose: 'DKIM check', schema: dkimReportSchema },
  score: { path: '/v1/score', purpose: 'score', schema: scoreReportSchema },
  plan: { path: '/v1/fix-plan', purpose: 'fix plan', schema: fixPlanSchema },
  address: { path: '/v1/email-check', purpose: 'check', schema: emailReportSchema },
} as const satisfies Record<string, Endpoint>

/** Of the endpoints for checks and scores. */
const MAX_SELECTORS = 1

/** Longer than the service itself may take. */
const DEFAULT_TIMEOUT_SECONDS = 20

export function openRemoteSource(
  { server, timeout = DEFAULT_TIMEOUT_SECONDS, yes, maxUsd }: RemoteOptions,
  context: CommandContext,
): ReportSource {
  const service = serviceAddress(server)
  const client = createServiceClient(service, context, timeout * 1_000)
  const payer = createPayer(service, client, { yes, maxUsd }, context)

  async function fetchReport<Report>(
    { path, purpose, schema }: Endpoint,
    { subject, isAnswer }: Subject,
    parameters: Parameters,
  ): Promise<SourceResult<Report>> {
    const url = service.endpoint(path, parameters)
    const isReport = (value: unknown) => schema.safeParse(value).success
    const request = { subject, service: service.name, isReport, isAnswer }
    const answer = await client.get(url)
    if (answer.kind !== 'response' || answer.status !== 402) return toSourceResult(answer, request)
    const paidRequest = { ...request, url, purpose: `${purpose} of ${toVisibleText(subject)}` }
    const payment = await payer.pay(paidRequest, answer)
    if (payment.kind === 'unpaid') return payment.result
    const result = toSourceResult<Report>(payment.response, request)
    // The user has paid for it, so it must not be lost.
    if (result.kind !== 'report') {
      context.stderr.write(`${stringifySafely(payment.response.body)}\n`)
    }
    return result
  }

  const requestFor =
    (endpoint: Endpoint) =>
    <Report>(domain: string, options: ExactOption & Parameters = {}) =>
      fetchReport<Report>(endpoint, aboutDomain(domain, options), { domain, ...options })
  const requestWithSelector =
    (endpoint: Endpoint) =>
    async <Report>(domain: string, { selectors = [], ...options }: SelectorOptions = {}) => {
      if (selectors.length > MAX_SELECTORS) return refuseSelectors(selectors.length)
      return requestFor(endpoint)<Report>(domain, { selector: selectors[0], ...options })
    }

  return {
    check: requestWithSelector(ENDPOINTS.check),
    mx: requestFor(ENDPOINTS.mx),
    spf: requestFor(ENDPOINTS.spf),
    dmarc: requestFor(ENDPOINTS.dmarc),
    dkim: requestFor(ENDPOINTS.dkim),
    delegation: null,
    score: requestWithSelector(ENDPOINTS.score),
    // What reports and messages add is in the selectors and services; the rest stays here.
    plan: (domain, { selectors: selector, uses = [], unused = [], evidence: _, ...options } = {}) =>
      requestFor(ENDPOINTS.plan)(domain, {
        selector,
        uses: uses.join(',') || undefined,
        unused: unused.join(',') || undefined,
        ...options,
      }),
    address: (email) => fetchReport(ENDPOINTS.address, aboutAddress(email), { email }),
    maxSelectors: MAX_SELECTORS,
    close: () => payer.close(),
  }
}

type Subject = Pick<ServiceRequest, 'subject' | 'isAnswer'>
type ExactOption = Pick<DomainOptions, 'exact'>
type SelectorOptions = Pick<DomainCheckOptions, 'exact' | 'selectors'>

/** Files are named after the domain of a report, so it must be the one that was asked for. */
function aboutDomain(text: string, { exact = false }: ExactOption): Subject {
  const names = [true, exact].map((exact) => {
    const parsed = parseDomainInput(text, { exact, allowPrivateNames: true })
    return parsed.kind === 'refused' ? null : parsed.domain
  })
  const isAnswer = (report: unknown) => names.includes(Object(report).domain)
  return { subject: text, isAnswer }
}

function aboutAddress(text: string): Subject {
  const parsed = parseMailAddress(text.trim())
  const isAnswer = (report: unknown) => {
    const { email, normalized, domain } = Object(report)
    return (
      parsed.kind !== 'refused' &&
      email === parsed.given &&
      normalized === parsed.normalized &&
      domain === (parsed.domain ?? parsed.literal.bracketed)
    )
  }
  return { subject: text, isAnswer }
}

function refuseSelectors(count: number): SourceResult<never> {
  const detail = `With --server, you can add only one selector to the usual ones, but you passed ${count}. Use --selector once, or leave out --server.`
  return { kind: 'invalid-input', detail }
}
