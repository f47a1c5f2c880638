/** Check whether a domain can be spoofed, and get the exact DNS records that fix it. */
export type {
  DkimReport,
  DmarcReport,
  DomainReport,
  EmailReport,
  Finding,
  FixPlan,
  MxReport,
  ScoreReport,
  SpfEvaluation,
  SpfReport,
  Verdict,
} from '@mailgrade/core'
export { describeVerdict, FINDINGS } from '@mailgrade/core'
export type { DohDns } from '@mailgrade/doh'
export type {
  AbortableDns,
  Dns,
  DnsAnswer,
  DnsQuery,
  FailureReason,
  RecordType,
} from '@mailgrade/doh/dns'
export {
  checkAddress,
  checkDkim,
  checkDmarc,
  checkDomain,
  checkMx,
  checkSpf,
  createDoh,
  type DkimOptions,
  type DohOptions,
  type DomainCheckOptions,
  type DomainOptions,
  evaluateSpf,
  type PlanOptions,
  planDomain,
  type ReportMeta,
  type ReportOptions,
  type ReportResult,
  type ScoreOptions,
  type SpfOptions,
  scoreDomain,
} from './library.js'
