/** Where the reports of a command come from, and the source that is DNS. */
import {
  type Delegation,
  type DkimReport,
  type DmarcReport,
  type DomainReport,
  type EmailReport,
  type FixPlan,
  MAX_GIVEN_SELECTORS,
  type MxReport,
  type ScoreReport,
  type SpfReport,
} from '@mailgrade/core'
import { queryTimeoutWithin } from '@mailgrade/doh'
import type { FailureReason } from '@mailgrade/doh/dns'
import {
  checkAddress,
  checkDkim,
  checkDmarc,
  checkDomain,
  checkMx,
  checkSpf,
  type DkimOptions,
  type DomainCheckOptions,
  type DomainOptions,
  findDelegation,
  type PlanOptions,
  planDomain,
  type ReportOptions,
  type ReportResult,
  type ScoreOptions,
  type SpfOptions,
  scoreDomain,
} from '../library.js'
import { type CommandContext, type OpenDns, UsageError } from './command.js'
import type { LocalSourceOptions } from './shared-options.js'

export type SourceResult<Report> =
  | Exclude<ReportResult<Report>, { readonly kind: 'dns-unavailable' }>
  /** `unknown`: a service says only that DNS failed. */
  | {
      readonly kind: 'dns-unavailable'
      readonly reason: FailureReason | 'unknown'
      readonly detail: string
    }
  /** The service answered with an error, or the payment was declined. */
  | { readonly kind: 'service-problem'; readonly code: string; readonly detail: string }

type Request<Options, Report> = (
  subject: string,
  options?: Omit<Options, keyof ReportOptions>,
) => Promise<SourceResult<Report>>

export interface ReportSource {
  readonly check: Request<DomainCheckOptions, DomainReport>
  readonly mx: Request<DomainOptions, MxReport>
  readonly spf: Request<SpfOptions, SpfReport>
  readonly dmarc: Request<DomainOptions, DmarcReport>
  readonly dkim: Request<DkimOptions, DkimReport>
  /** Null: a service has no such report. */
  readonly delegation: Request<DomainOptions, Delegation> | null
  readonly score: Request<ScoreOptions, ScoreReport>
  readonly plan: Request<Omit<PlanOptions, 'now'>, FixPlan>
  readonly address: Request<ReportOptions, EmailReport>
  /** How many selectors `check` and `score` take. */
  readonly maxSelectors: number
  close(): void
}

/** The DNS of reports that are made here. */
export function openLocalDns({ resolver, timeout = 5 }: LocalSourceOptions, openDns: OpenDns) {
  const timeoutMs = timeout * 1_000
  const queryTimeoutMs = queryTimeoutWithin(timeoutMs)
  return {
    dns: openDns({ queryTimeoutMs, ...(resolver && { resolvers: resolver }) }),
    timeoutMs,
  }
}

export function openDnsSource(options: LocalSourceOptions, context: CommandContext): ReportSource {
  const allowPrivateNames = readAllowPrivateNames(context.env)
  const { dns, timeoutMs } = openLocalDns(options, context.openDns)
  const shared: ReportOptions = { dns, timeoutMs, signal: context.signal, allowPrivateNames }
  return {
    check: (domain, options) => checkDomain(domain, { ...options, ...shared }),
    mx: (domain, options) => checkMx(domain, { ...options, ...shared }),
    spf: (domain, options) => checkSpf(domain, { ...options, ...shared }),
    dmarc: (domain, options) => checkDmarc(domain, { ...options, ...shared }),
    dkim: (domain, options) => checkDkim(domain, { ...options, ...shared }),
    delegation: (domain, options) => findDelegation(domain, { ...options, ...shared }),
    score: (domain, options) => scoreDomain(domain, { ...options, ...shared }),
    plan: (domain, options) => planDomain(domain, { ...options, ...shared, now: context.now() }),
    address: (email) => checkAddress(email, shared),
    maxSelectors: MAX_GIVEN_SELECTORS,
    close: () => dns.close(),
  }
}

const PRIVATE_NAMES_VARIABLE = 'ALLOW_PRIVATE_NAMES'

/** Whether names such as `nas.internal` may be checked: the variable that the service reads too. */
export function readAllowPrivateNames(env: CommandContext['env']): boolean {
  const value = env[PRIVATE_NAMES_VARIABLE] || 'false'
  if (value === 'true' || value === 'false') return value === 'true'
  throw new UsageError(`The environment variable ${PRIVATE_NAMES_VARIABLE} must be true or false.`)
}
