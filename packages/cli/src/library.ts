/**
 * The public library: from the text a person typed to a report.
 *
 * Nothing here throws for bad input, an unknown domain or broken DNS. Each is a result of its own,
 * so a missing record and a failed lookup cannot be confused.
 */
import { randomBytes } from 'node:crypto'
import {
  type CheckOptions,
  type CheckResult,
  checkAddress,
  checkDkim,
  checkDmarc,
  checkDomain,
  checkMx,
  checkSpf,
  type DkimReport,
  type DmarcReport,
  type DomainName,
  type DomainReport,
  type EmailReport,
  type FixPlan,
  type MxReport,
  parseDomainInput,
  parseMailAddress,
  parseSelectors,
  parseServiceIds,
  parseSpfSender,
  planDomain,
  type ReportSubject,
  type ScoreReport,
  type SpfReport,
  scoreDomain,
  withRequestedName,
} from '@mailgrade/core'
import { createDohDns, createReportDns } from '@mailgrade/doh'
import type { AbortableDns, Dns, DnsQuery, FailureReason } from '@mailgrade/doh/dns'

/** How a report was made, as every HTTP response of the service says it too. */
export interface MailgradeMeta {
  /** ISO 8601, UTC. */
  readonly checkedAt: string
  /** The resolvers that answered. */
  readonly resolvers: string[]
  readonly dnsQueries: number
  readonly durationMs: number
}

export type MailgradeResult<Report> =
  | { readonly kind: 'report'; readonly report: Report; readonly meta: MailgradeMeta }
  /** The text is not a domain, email address or selector; `reason` is a sentence for the person who typed it. */
  | { readonly kind: 'invalid-input'; readonly reason: string }
  /** DNS says that the domain does not exist (NXDOMAIN). */
  | { readonly kind: 'unknown-domain'; readonly domain: string }
  /** A query that the report depends on failed. Nothing is known; try again. */
  | {
      readonly kind: 'dns-unavailable'
      readonly query: DnsQuery
      readonly reason: FailureReason
      readonly detail: string
    }

export interface MailgradeOptions {
  /** DNS-over-HTTPS endpoints (RFC 8484) in order of preference. Default: Cloudflare, then Google. */
  readonly resolvers?: readonly (string | URL)[]
  /** Any other source of DNS answers instead, such as `createZoneDns` from `@mailgrade/doh/zone`. */
  readonly dns?: AbortableDns
  /** Deadline for all lookups of one report. Default: 5000. */
  readonly timeoutMs?: number
}

export interface RequestOptions {
  /** Abort to stop waiting; the result is then `dns-unavailable`. */
  readonly signal?: AbortSignal
}

export interface DomainRequestOptions extends RequestOptions {
  /**
   * Keep a leading `www.`. Without this option it is removed, and `requested` in the report has the
   * name as given.
   */
  readonly exact?: boolean
}

export interface SpfRequestOptions extends DomainRequestOptions {
  /** The address of a sending server; the report then has the SPF result for its mail. */
  readonly ip?: string
  /** With `ip`: the MAIL FROM address, or its domain. Default: the postmaster of the domain. */
  readonly sender?: string
  /** With `ip`: the name that the server gives in HELO or EHLO. */
  readonly helo?: string
}

export interface SelectorRequestOptions extends DomainRequestOptions {
  /** Up to 5 DKIM selectors to query besides the usual ones. */
  readonly selectors?: readonly string[]
}

export interface PlanRequestOptions extends SelectorRequestOptions {
  /** The mail address that reports should go to. */
  readonly rua?: string
  /** Ids of services that send for the domain although DNS does not show it. */
  readonly uses?: readonly string[]
  /** Ids of services that no longer send for the domain. */
  readonly unused?: readonly string[]
}

export type CheckRequestOptions = SelectorRequestOptions & SpfRequestOptions

export interface DkimRequestOptions extends DomainRequestOptions {
  /** Query only this selector instead of the usual ones. */
  readonly selector?: string
}

export interface Mailgrade {
  /** MX, SPF, DMARC, DKIM and transport security together. */
  check(domain: string, options?: CheckRequestOptions): Promise<MailgradeResult<DomainReport>>
  mx(domain: string, options?: DomainRequestOptions): Promise<MailgradeResult<MxReport>>
  spf(domain: string, options?: SpfRequestOptions): Promise<MailgradeResult<SpfReport>>
  dmarc(domain: string, options?: DomainRequestOptions): Promise<MailgradeResult<DmarcReport>>
  dkim(domain: string, options?: DkimRequestOptions): Promise<MailgradeResult<DkimReport>>
  /** 0 to 100 and A to F, with a reason for every lost point. */
  score(domain: string, options?: SelectorRequestOptions): Promise<MailgradeResult<ScoreReport>>
  /** The exact records to publish, in order. */
  fixPlan(domain: string, options?: PlanRequestOptions): Promise<MailgradeResult<FixPlan>>
  /** Whether mail to an address can arrive. No mail server is contacted. */
  emailCheck(email: string, options?: RequestOptions): Promise<MailgradeResult<EmailReport>>
  /** Closes the connections to the resolvers, so a script can exit. */
  close(): void
}

const DEFAULT_RESOLVERS = [
  'https://cloudflare-dns.com/dns-query',
  'https://dns.google/dns-query',
] as const

const RANDOM = { randomLabel: () => randomBytes(10).toString('hex') }

export function createMailgrade({
  resolvers = DEFAULT_RESOLVERS,
  dns: givenDns,
  timeoutMs = 5_000,
}: MailgradeOptions = {}): Mailgrade {
  const { dns, close } = givenDns ? { dns: givenDns, close() {} } : connect(resolvers)

  async function run<Report>(
    subject: string,
    check: (dns: Dns) => Promise<CheckResult<Report>>,
    { signal }: RequestOptions,
  ): Promise<MailgradeResult<Report>> {
    const checkedAt = new Date().toISOString()
    const startedAt = performance.now()
    const reportDns = createReportDns(dns, { deadlineMs: timeoutMs, ...(signal && { signal }) })
    try {
      const result = await check(reportDns)
      if (result.kind === 'unknown-domain') return { kind: 'unknown-domain', domain: subject }
      if (result.kind === 'unavailable') {
        const { reason, detail } = result.failure
        return { kind: 'dns-unavailable', query: result.query, reason, detail }
      }
      const meta = {
        checkedAt,
        resolvers: reportDns.resolvers(),
        dnsQueries: reportDns.queries.length,
        durationMs: Math.round(performance.now() - startedAt),
      }
      return { kind: 'report', report: result.report, meta }
    } finally {
      reportDns.close()
    }
  }

  function forDomain<Report extends ReportSubject>(
    check: (
      dns: Dns,
      domain: DomainName,
      options: Pick<Required<CheckOptions>, 'selectors' | 'message'>,
    ) => Promise<CheckResult<Report>>,
  ) {
    return async (
      text: string,
      { exact, selectors = [], ip, sender, helo, ...options }: CheckRequestOptions = {},
    ): Promise<MailgradeResult<Report>> => {
      const parsed = parseDomainInput(text, { exact })
      if (parsed.kind === 'refused') return { kind: 'invalid-input', reason: parsed.reason }
      const { domain, requested } = parsed
      const given = parseSelectors(selectors, domain)
      if (given.kind === 'refused') return { kind: 'invalid-input', reason: given.reason }
      const from = parseSpfSender({ ip, sender, helo }, domain)
      if (from.kind === 'refused') return { kind: 'invalid-input', reason: from.reason }
      const timestamp = Math.floor(Date.now() / 1_000)
      const message = from.sender && { ...from.sender, timestamp }
      const result = await run(
        domain,
        (reportDns) => check(reportDns, domain, { selectors: given.selectors, message }),
        options,
      )
      if (result.kind !== 'report') return result
      return { ...result, report: withRequestedName(result.report, requested) }
    }
  }

  const dkim = forDomain((reportDns, domain, { selectors }) =>
    checkDkim(reportDns, domain, { ...RANDOM, selector: selectors?.[0] }),
  )

  return {
    check: forDomain((reportDns, domain, known) => checkDomain(reportDns, domain, RANDOM, known)),
    mx: forDomain((reportDns, domain) => checkMx(reportDns, domain)),
    spf: forDomain((reportDns, domain, { message }) => checkSpf(reportDns, domain, message)),
    dmarc: forDomain((reportDns, domain) => checkDmarc(reportDns, domain)),
    dkim: (text, { selector, ...options } = {}) =>
      dkim(text, { ...options, selectors: selector === undefined ? [] : [selector] }),
    score: forDomain((reportDns, domain, { selectors }) =>
      scoreDomain(reportDns, domain, RANDOM, { selectors }),
    ),
    async fixPlan(text, { rua, uses = [], unused = [], ...options } = {}) {
      const services = parseServiceIds([...uses, ...unused].join(','))
      if (services.kind === 'refused') return { kind: 'invalid-input', reason: services.reason }
      const address = rua === undefined ? null : parseMailAddress(rua)
      if (address?.kind === 'refused') return { kind: 'invalid-input', reason: address.reason }
      const owner = { rua: address?.normalized, uses, unused }
      const plan = forDomain((reportDns, domain, { selectors }) =>
        planDomain(reportDns, domain, RANDOM, { selectors, ...owner, now: new Date() }),
      )
      return plan(text, options)
    },
    async emailCheck(text, options = {}) {
      const address = parseMailAddress(text)
      if (address.kind !== 'address') return { kind: 'invalid-input', reason: address.reason }
      const subject = address.domain ?? address.literal.bracketed
      return run(subject, (reportDns) => checkAddress(reportDns, address), options)
    },
    close,
  }
}

function connect(resolvers: readonly (string | URL)[]) {
  const dns = createDohDns({ urls: resolvers.map((url) => new URL(url)) })
  return { dns, close: dns.close }
}
