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
import type { DomainOptions } from '../library.js'
import { createPayer, type PayerOptions } from './payer.js'
import { type Parameters, serviceAddress } from './service-address.js'
import { createServiceClient } from './service-client.js'
import { type ServiceRequest, toSourceResult } from './service-result.js'

interface RemoteOptions extends PayerOptions {
  readonly server: URL
  /** Seconds that a free report may take. */
  readonly timeout?: number | undefined
}

interface Endpoint {
  readonly path: string
  /** What is paid for, followed by the subject. */
  readonly purpose: string
  readonly schema: { safeParse(value: unknown): { readonly success: boolean } }
}

const ENDPOINTS = {
  check: { path: '/v1/check', purpose: 'the check of', schema: domainReportSchema },
  mx: { path: '/v1/mx', purpose: 'the MX check of', schema: mxReportSchema },
  spf: { path: '/v1/spf', purpose: 'the SPF check of', schema: spfReportSchema },
  dmarc: { path: '/v1/dmarc', purpose: 'the DMARC check of', schema: dmarcReportSchema },
  dkim: { path: '/v1/dkim', purpose: 'the DKIM check of', schema: dkimReportSchema },
  score: { path: '/v1/score', purpose: 'the score of', schema: scoreReportSchema },
  plan: { path: '/v1/fix-plan', purpose: 'the fix plan of', schema: fixPlanSchema },
  address: { path: '/v1/email-check', purpose: 'the check of', schema: emailReportSchema },
} as const satisfies Record<string, Endpoint>

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
    const paidRequest = { ...request, url, purpose: `${purpose} ${toVisibleText(subject)}` }
    const payment = await payer.pay(paidRequest, answer)
    if (payment.kind === 'unpaid') return payment.result
    const result = toSourceResult<Report>(payment.response, request)
    // The user has paid for it, so it must not be lost.
    if (result.kind !== 'report') {
      context.stderr.write(`${stringifySafely(payment.response.body)}\n`)
    }
    return result
  }

  return {
    check: (domain, { selectors = [], ...options } = {}) =>
      withOneSelector(selectors, (selector) =>
        fetchReport(ENDPOINTS.check, aboutDomain(domain, options), {
          domain,
          selector,
          ...options,
        }),
      ),
    mx: (domain, options) =>
      fetchReport(ENDPOINTS.mx, aboutDomain(domain, options), { domain, ...options }),
    spf: (domain, options) =>
      fetchReport(ENDPOINTS.spf, aboutDomain(domain, options), { domain, ...options }),
    dmarc: (domain, options) =>
      fetchReport(ENDPOINTS.dmarc, aboutDomain(domain, options), { domain, ...options }),
    dkim: (domain, options) =>
      fetchReport(ENDPOINTS.dkim, aboutDomain(domain, options), { domain, ...options }),
    score: (domain, { selectors = [], ...options } = {}) =>
      withOneSelector(selectors, (selector) =>
        fetchReport(ENDPOINTS.score, aboutDomain(domain, options), {
          domain,
          selector,
          ...options,
        }),
      ),
    plan: (domain, { selectors, uses = [], unused = [], ...options } = {}) =>
      fetchReport(ENDPOINTS.plan, aboutDomain(domain, options), {
        domain,
        selector: selectors,
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

/** Files are named after the domain of a report, so it must be the one that was asked for. */
function aboutDomain(text: string, { exact = false }: Pick<DomainOptions, 'exact'> = {}): Subject {
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

/** Of the endpoints for checks and scores. */
const MAX_SELECTORS = 1

async function withOneSelector<Report>(
  selectors: readonly string[],
  request: (selector: string | undefined) => Promise<SourceResult<Report>>,
): Promise<SourceResult<Report>> {
  if (selectors.length <= MAX_SELECTORS) return request(selectors[0])
  const detail = `A service looks up only one selector besides the usual ones, but you gave ${selectors.length}. Use --selector once, or leave out --server.`
  return { kind: 'invalid-input', detail }
}
