/**
 * The public library: from the text a person typed to a report.
 *
 * Nothing here throws for bad input, an unknown domain or broken DNS. Each is a result of its own,
 * so a missing record and a failed lookup cannot be confused.
 */
import { randomBytes } from 'node:crypto'
import {
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
  parseDomain,
  parseMailAddress,
  parseSelector,
  planDomain,
  type ScoreReport,
  type SpfReport,
  scoreDomain,
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

export interface DkimRequestOptions extends RequestOptions {
  /** Query only this selector instead of the usual ones. */
  readonly selector?: string
}

export interface Mailgrade {
  /** MX, SPF, DMARC, DKIM and transport security together. */
  check(domain: string, options?: RequestOptions): Promise<MailgradeResult<DomainReport>>
  mx(domain: string, options?: RequestOptions): Promise<MailgradeResult<MxReport>>
  spf(domain: string, options?: RequestOptions): Promise<MailgradeResult<SpfReport>>
  dmarc(domain: string, options?: RequestOptions): Promise<MailgradeResult<DmarcReport>>
  dkim(domain: string, options?: DkimRequestOptions): Promise<MailgradeResult<DkimReport>>
  /** 0 to 100 and A to F, with a reason for every lost point. */
  score(domain: string, options?: RequestOptions): Promise<MailgradeResult<ScoreReport>>
  /** The exact records to publish, in order. */
  fixPlan(domain: string, options?: RequestOptions): Promise<MailgradeResult<FixPlan>>
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

  function forDomain<Report>(
    check: (dns: Dns, domain: DomainName) => Promise<CheckResult<Report>>,
  ) {
    return async (text: string, options: RequestOptions = {}): Promise<MailgradeResult<Report>> => {
      const parsed = parseDomain(text)
      if (parsed.kind !== 'domain') return { kind: 'invalid-input', reason: parsed.reason }
      return run(parsed.domain, (reportDns) => check(reportDns, parsed.domain), options)
    }
  }

  return {
    check: forDomain((reportDns, domain) => checkDomain(reportDns, domain, RANDOM)),
    mx: forDomain(checkMx),
    spf: forDomain(checkSpf),
    dmarc: forDomain(checkDmarc),
    async dkim(text, { selector, ...options } = {}) {
      const parsed = parseDomain(text)
      if (parsed.kind === 'refused') return { kind: 'invalid-input', reason: parsed.reason }
      const { domain } = parsed
      const key = selector === undefined ? null : parseSelector(selector, domain)
      if (key?.kind === 'refused') return { kind: 'invalid-input', reason: key.reason }
      const dkimOptions = { ...RANDOM, ...(key && { selector: key.selector }) }
      return run(domain, (reportDns) => checkDkim(reportDns, domain, dkimOptions), options)
    },
    score: forDomain((reportDns, domain) => scoreDomain(reportDns, domain, RANDOM)),
    fixPlan: forDomain((reportDns, domain) => planDomain(reportDns, domain, RANDOM)),
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
