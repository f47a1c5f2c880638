/** Check whether mail from a domain can be forged, and get the exact DNS records that fix it. */
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
  StreamEvidence,
  Verdict,
} from '@mailgrade/core'
export type { DohDns } from '@mailgrade/doh'
export type {
  AbortableDns,
  Dns,
  DnsAnswer,
  DnsQuery,
  FailureReason,
  RecordType,
} from '@mailgrade/doh/dns'
export type {
  DkimOptions,
  DohOptions,
  DomainCheckOptions,
  DomainOptions,
  PlanOptions,
  ReportMeta,
  ReportOptions,
  ReportResult,
  ScoreOptions,
  SpfOptions,
} from './library.js'
export {
  checkAddress,
  checkDkim,
  checkDmarc,
  checkDomain,
  checkMx,
  checkSpf,
  createDoh,
  createZoneDns,
  describeVerdict,
  evaluateSpf,
  FINDINGS,
  failed,
  planDomain,
  scoreDomain,
  toQueryMethod,
} from './mailgrade.js'
