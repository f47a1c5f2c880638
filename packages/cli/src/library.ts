/**
 * The public library: from the text a person typed to a report.
 *
 * Nothing here throws for bad input, an unknown domain or broken DNS. Each is a result of its own,
 * so a missing record and a failed lookup cannot be confused.
 */
import type {
  CheckOptions,
  CheckResult,
  Delegation,
  DkimReport,
  DmarcReport,
  DnsUnavailable,
  DomainName,
  DomainReport,
  EmailReport,
  FixPlan,
  MxReport,
  ReportSubject,
  ScoreReport,
  SpfEvaluation,
  SpfReport,
  StreamEvidence,
} from '@mailgrade/core'
import * as core from '@mailgrade/core'
import {
  createDohDns,
  createReportDns,
  type DohDns,
  type DohDnsOptions,
  queryTimeoutWithin,
  randomLabel,
} from '@mailgrade/doh'
import type { AbortableDns, Dns, DnsQuery, FailureReason } from '@mailgrade/doh/dns'

/** How a report was made; the HTTP API returns the same fields. */
export interface ReportMeta {
  /** ISO 8601, UTC. */
  readonly checkedAt: string
  /** The resolvers that answered. */
  readonly resolvers: string[]
  readonly dnsQueries: number
  readonly durationMs: number
}

/** In every case without a report, `detail` is a sentence for the person who asked. */
export type ReportResult<Report> =
  | { readonly kind: 'report'; readonly report: Report; readonly meta: ReportMeta }
  /** The text is not a domain, email address or selector. */
  | { readonly kind: 'invalid-input'; readonly detail: string }
  /** DNS says that the domain does not exist (NXDOMAIN). */
  | { readonly kind: 'unknown-domain'; readonly domain: string; readonly detail: string }
  /** A query that the report depends on failed. Nothing is known; try again. */
  | {
      readonly kind: 'dns-unavailable'
      readonly query: DnsQuery
      readonly reason: FailureReason
      readonly detail: string
    }

/** In every option, `undefined` means that it is not given. */
export interface ReportOptions {
  /**
   * Where answers come from: `createDoh()`, `createZoneDns` from `@mailgrade/doh/zone`, or your own.
   * Without it, every report opens connections to `resolvers` and closes them.
   */
  readonly dns?: AbortableDns | undefined
  /** Without `dns`: DNS-over-HTTPS endpoints (RFC 8484). Default: Cloudflare, then Google. */
  readonly resolvers?: readonly (string | URL)[] | undefined
  /** Deadline for all lookups of the report, in milliseconds. Default: 5000. */
  readonly timeoutMs?: number | undefined
  /** Abort to stop waiting; the result is then `dns-unavailable`. */
  readonly signal?: AbortSignal | undefined
  /**
   * Look up names for private networks too, such as `nas.internal`, also in the records of other
   * domains. Use it with a resolver of that network, and only for names that its own people ask
   * about. Default: false.
   */
  readonly allowPrivateNames?: boolean | undefined
}

export interface DomainOptions extends ReportOptions {
  /**
   * Keep a leading `www.`. Without this option it is removed, and `requested` in the report has the
   * name as given.
   */
  readonly exact?: boolean | undefined
}

export interface SpfOptions extends DomainOptions {
  /** The IP address of a sending server; the report then has the SPF result for its mail. */
  readonly ip?: string | undefined
  /** With `ip`: the MAIL FROM address, or its domain. Default: the postmaster of the domain. */
  readonly sender?: string | undefined
  /** With `ip`: the name that the server sends in HELO or EHLO. */
  readonly helo?: string | undefined
}

export interface ScoreOptions extends DomainOptions {
  /** Up to 5 DKIM selectors to query besides the usual ones. */
  readonly selectors?: readonly string[] | undefined
}

export interface PlanOptions extends ScoreOptions {
  /** The email address for DMARC reports. */
  readonly rua?: string | undefined
  /** Ids of services that send for the domain but do not show in DNS. */
  readonly uses?: readonly string[] | undefined
  /** Ids of services that no longer send for the domain. */
  readonly unused?: readonly string[] | undefined
  /** What aggregate reports and messages prove about who sends. */
  readonly evidence?: readonly StreamEvidence[] | undefined
  /** The day on which the plan begins. Default: today. */
  readonly now?: Date | undefined
}

export type DomainCheckOptions = ScoreOptions & SpfOptions

export interface DkimOptions extends DomainOptions {
  /** Query only this selector instead of the usual ones. */
  readonly selector?: string | undefined
}

export interface DohOptions extends Omit<DohDnsOptions, 'urls'> {
  /** DNS-over-HTTPS endpoints (RFC 8484) in order of preference. Default: Cloudflare, then Google. */
  readonly resolvers?: readonly (string | URL)[] | undefined
}

export const DEFAULT_RESOLVERS = [
  'https://cloudflare-dns.com/dns-query',
  'https://dns.google/dns-query',
] as const

/** Connections that many reports can share. Call `close` at the end, so a script can exit. */
export function createDoh({ resolvers = DEFAULT_RESOLVERS, ...options }: DohOptions = {}): DohDns {
  return createDohDns({ ...options, urls: resolvers.map((url) => new URL(url)) })
}

const DEFAULT_TIMEOUT_MS = 5_000

/** A timer of Node cannot wait longer, and ends at once if it should. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1

const RANDOM = { randomLabel }

/** MX, SPF, DMARC, DKIM and transport security together. */
export function checkDomain(
  domain: string,
  options: DomainCheckOptions = {},
): Promise<ReportResult<DomainReport>> {
  return reportOnDomain(domain, options, (dns, name, known) =>
    core.checkDomain(dns, name, RANDOM, known),
  )
}

/** The servers that receive the domain's mail. */
export function checkMx(
  domain: string,
  options: DomainOptions = {},
): Promise<ReportResult<MxReport>> {
  return reportOnDomain(domain, options, (dns, name) => core.checkMx(dns, name))
}

/** Who may send mail as the domain. */
export function checkSpf(
  domain: string,
  options: SpfOptions = {},
): Promise<ReportResult<SpfReport>> {
  return reportOnDomain(domain, options, (dns, name, { message }) =>
    core.checkSpf(dns, name, message),
  )
}

/** What receivers do with mail that fails. */
export function checkDmarc(
  domain: string,
  options: DomainOptions = {},
): Promise<ReportResult<DmarcReport>> {
  return reportOnDomain(domain, options, (dns, name) => core.checkDmarc(dns, name))
}

/** Who can change the domain's mail records. */
export function findDelegation(
  domain: string,
  options: DomainOptions = {},
): Promise<ReportResult<Delegation>> {
  return reportOnDomain(domain, options, async (dns, name) => {
    return { kind: 'report', report: await core.discoverDelegation(dns, name) }
  })
}

/** The keys that sign the domain's mail. */
export function checkDkim(
  domain: string,
  { selector, ...options }: DkimOptions = {},
): Promise<ReportResult<DkimReport>> {
  const selectors = selector === undefined ? [] : [selector]
  return reportOnDomain(domain, { ...options, selectors }, (dns, name, known) =>
    core.checkDkim(dns, name, { ...RANDOM, selector: known.selectors?.[0] }),
  )
}

/** 0 to 100 and A to F, with a reason for every lost point. */
export function scoreDomain(
  domain: string,
  options: ScoreOptions = {},
): Promise<ReportResult<ScoreReport>> {
  return reportOnDomain(domain, options, async (dns, name, { selectors }) => {
    const planning = await import('@mailgrade/core/planning')
    return planning.scoreDomain(dns, name, RANDOM, { selectors })
  })
}

/** The exact records to publish, in order. */
export async function planDomain(
  domain: string,
  { rua, uses = [], unused = [], evidence, now = new Date(), ...options }: PlanOptions = {},
): Promise<ReportResult<FixPlan>> {
  const used = core.parseServiceIds(uses.join(','))
  if (used.kind === 'refused') return invalidInput(used)
  const left = core.parseServiceIds(unused.join(','))
  if (left.kind === 'refused') return invalidInput(left)
  const contradiction = core.contradictionIn(used.ids, left.ids)
  if (contradiction !== null) return invalidInput({ reason: contradiction })
  const address = rua === undefined ? null : core.parseMailAddress(rua)
  if (address?.kind === 'refused') return invalidInput(address)
  const reason = options.allowPrivateNames ? null : core.privateNameProblem(address?.domain ?? '')
  if (reason !== null) return invalidInput({ reason })
  const owner = { rua: address?.normalized, uses: used.ids, unused: left.ids, evidence, now }
  return reportOnDomain(domain, options, async (dns, name, { selectors }) => {
    const planning = await import('@mailgrade/core/planning')
    return planning.planDomain(dns, name, RANDOM, { selectors, ...owner })
  })
}

/** Whether mail to an address can arrive. No mail server is contacted. */
export async function checkAddress(
  email: string,
  options: ReportOptions = {},
): Promise<ReportResult<EmailReport>> {
  if (typeof email !== 'string') return invalidInput(NO_TEXT)
  const address = core.parseMailAddress(email.trim())
  if (address.kind === 'refused') return invalidInput(address)
  const subject = address.domain ?? address.literal.bracketed
  return runReport(subject, (dns) => core.checkAddress(dns, address, options), options)
}

/** RFC 7208 check_host(): the SPF result for mail from a server. */
export async function evaluateSpf(
  domain: string,
  options: SpfOptions & { readonly ip: string },
): Promise<ReportResult<SpfEvaluation>> {
  return reportOnDomain(domain, options, async (dns, name, { message }) => {
    if (!message) throw new Error('evaluateSpf needs the option ip')
    return { kind: 'report', report: await core.evaluateSpf(dns, name, message) }
  })
}

/** A form can send nothing or a list, and a caller without types passes it on. */
const NO_TEXT = { reason: 'This isn’t text. Enter a domain name or an email address.' }

type KnownInput = Pick<Required<CheckOptions>, 'selectors' | 'message'>

async function reportOnDomain<Report extends object>(
  text: string,
  { exact, selectors = [], ip, sender, helo, ...options }: DomainCheckOptions,
  check: (dns: Dns, domain: DomainName, known: KnownInput) => Promise<CheckResult<Report>>,
): Promise<ReportResult<Report>> {
  if (typeof text !== 'string') return invalidInput(NO_TEXT)
  const { allowPrivateNames } = options
  const parsed = core.parseDomainInput(text, { exact, allowPrivateNames })
  if (parsed.kind === 'refused') return invalidInput(parsed)
  const { domain, requested } = parsed
  const given = core.parseSelectors(selectors, domain)
  if (given.kind === 'refused') return invalidInput(given)
  const from = core.parseSpfSender({ ip, sender, helo }, domain)
  if (from.kind === 'refused') return invalidInput(from)
  const timestamp = Math.floor(Date.now() / 1_000)
  const known = {
    selectors: given.selectors,
    message: from.sender && { ...from.sender, timestamp },
  }
  const result = await runReport(domain, (dns) => check(dns, domain, known), options)
  if (result.kind !== 'report' || !isAboutDomain(result.report)) return result
  return { ...result, report: core.withRequestedName(result.report, requested) }
}

function isAboutDomain<Report extends object>(report: Report): report is Report & ReportSubject {
  return 'domain' in report
}

async function runReport<Report>(
  subject: string,
  check: (dns: Dns) => Promise<CheckResult<Report>>,
  { dns, resolvers = DEFAULT_RESOLVERS, ...options }: ReportOptions,
): Promise<ReportResult<Report>> {
  if (dns) return runReportOver(dns, subject, check, options)
  const { timeoutMs = DEFAULT_TIMEOUT_MS } = options
  const own = createDoh({ resolvers, queryTimeoutMs: queryTimeoutWithin(timeoutMs) })
  try {
    return await runReportOver(own, subject, check, options)
  } finally {
    own.close()
  }
}

async function runReportOver<Report>(
  dns: AbortableDns,
  subject: string,
  check: (dns: Dns) => Promise<CheckResult<Report>>,
  { timeoutMs = DEFAULT_TIMEOUT_MS, signal, allowPrivateNames }: Omit<ReportOptions, 'dns'>,
): Promise<ReportResult<Report>> {
  const checkedAt = new Date().toISOString()
  const startedAt = performance.now()
  const deadlineMs = Math.min(timeoutMs, MAX_TIMEOUT_MS)
  const knownDns = allowPrivateNames ? dns : core.withoutPrivateNames(dns)
  const reportDns = createReportDns(knownDns, { deadlineMs, ...(signal && { signal }) })
  try {
    const result = await check(reportDns)
    if (result.kind === 'unknown-domain') return unknownDomain(subject)
    if (result.kind === 'unavailable') return dnsUnavailable(result)
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

function invalidInput({ reason }: { readonly reason: string }): ReportResult<never> {
  return { kind: 'invalid-input', detail: reason }
}

function unknownDomain(domain: string): ReportResult<never> {
  const detail = `${domain} doesn’t exist in DNS. Check the spelling.`
  return { kind: 'unknown-domain', domain, detail }
}

function dnsUnavailable({ query, failure }: DnsUnavailable): ReportResult<never> {
  const detail = core.describeFailure(query, failure)
  return { kind: 'dns-unavailable', query, reason: failure.reason, detail }
}
