/** Where the reports of a command come from: DNS, or a running service. */
import type {
  DkimReport,
  DmarcReport,
  DomainReport,
  EmailReport,
  FixPlan,
  MxReport,
  ScoreReport,
  SpfReport,
} from '@mailgrade/core'
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
  type PlanOptions,
  planDomain,
  type ReportOptions,
  type ReportResult,
  type ScoreOptions,
  type SpfOptions,
  scoreDomain,
} from '../library.js'
import type { CommandContext } from './command.js'
import type { SourceOptions } from './shared-options.js'

/** `service-problem`: the service answered with an error, or the payment was declined. */
export type SourceResult<Report> =
  | ReportResult<Report>
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
  readonly score: Request<ScoreOptions, ScoreReport>
  readonly plan: Request<PlanOptions, FixPlan>
  readonly address: Request<ReportOptions, EmailReport>
  close(): void
}

export async function openReportSource(
  options: SourceOptions,
  context: CommandContext,
): Promise<ReportSource> {
  return openDnsSource(options, context)
}

function openDnsSource(
  { resolver, timeout }: SourceOptions,
  context: CommandContext,
): ReportSource {
  const dns = context.openDns(resolver ? { resolvers: resolver } : {})
  const shared: ReportOptions = {
    dns,
    signal: context.signal,
    ...(timeout && { timeoutMs: timeout * 1_000 }),
  }
  return {
    check: (domain, options) => checkDomain(domain, { ...options, ...shared }),
    mx: (domain, options) => checkMx(domain, { ...options, ...shared }),
    spf: (domain, options) => checkSpf(domain, { ...options, ...shared }),
    dmarc: (domain, options) => checkDmarc(domain, { ...options, ...shared }),
    dkim: (domain, options) => checkDkim(domain, { ...options, ...shared }),
    score: (domain, options) => scoreDomain(domain, { ...options, ...shared }),
    plan: (domain, options) => planDomain(domain, { ...options, ...shared }),
    address: (email) => checkAddress(email, shared),
    close: () => dns.close(),
  }
}
