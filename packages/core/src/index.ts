/** The checks, the score, the address check and the fix plan: each takes a `Dns` and returns a report. */
export { ADDRESS_REASONS } from './catalog/address-lists.js'
export { DNS_HOSTS, type DnsHost } from './catalog/dns-hosts.js'
export { FINDINGS, type FindingId, findEntry, rfcUrl } from './catalog/findings.js'
export {
  ALL_SERVICES,
  findServiceByCname,
  findServiceById,
  findServiceByMxHost,
  findServiceBySelector,
  findServiceBySpfHost,
  hasUselessInclude,
  type MailService,
} from './catalog/mail-services.js'
export { fillTemplate } from './catalog/record-template.js'
export { describeSetup } from './catalog/service-setup.js'
export {
  type CheckResult,
  type DnsUnavailable,
  type ReportSubject,
  withRequestedName,
} from './checks/check-result.js'
export { type Delegation, discoverDelegation } from './checks/delegation.js'
export { describeFailure } from './checks/describe-failure.js'
export { checkDkim } from './checks/dkim/check-dkim.js'
export { type DkimReport, dkimReportSchema } from './checks/dkim/dkim-report.js'
export { checkDmarc } from './checks/dmarc/check-dmarc.js'
export type { DmarcPolicy } from './checks/dmarc/dmarc-record.js'
export { type DmarcReport, dmarcReportSchema } from './checks/dmarc/dmarc-report.js'
export type { Finding } from './checks/finding.js'
export {
  formatIpAddress,
  parseIpAddress,
  rangeAround,
  unmapIpAddress,
} from './checks/ip-address.js'
export { checkMx } from './checks/mx/check-mx.js'
export { type MxReport, mxReportSchema } from './checks/mx/mx-report.js'
export { checkSpf } from './checks/spf/check-spf.js'
export { evaluateSpf, type SpfMessage } from './checks/spf/evaluate-spf.js'
export { LOOKUP_LIMIT } from './checks/spf/spf-limits.js'
export { type GivenSpfSender, parseSpfSender, type SpfSender } from './checks/spf/spf-message.js'
export { type SpfEvaluation, type SpfReport, spfReportSchema } from './checks/spf/spf-report.js'
export { describeAddress } from './describe/describe-address.js'
export { type CheckDocument, describeCheck } from './describe/describe-check.js'
export {
  describeDkim,
  describeDmarc,
  describeMx,
} from './describe/describe-mechanisms.js'
export { describeScore } from './describe/describe-score.js'
export { describeSpf, type SpfDocument } from './describe/describe-spf.js'
export {
  type Block,
  type BlockOf,
  documentTitle,
  type MechanismSection,
  plainText,
  type ReportDocument,
  statusText,
  type Text,
  type TreeNode,
} from './describe/document.js'
export { type DomainName, parseDomain, parseDomainInput } from './names/domain-name.js'
export { MAX_DOMAIN_LENGTH } from './names/host-problem.js'
export { type MailAddress, parseMailAddress } from './names/mail-address.js'
export { registrableDomain } from './names/registrable-domain.js'
export {
  type NameOptions,
  privateNameProblem,
  withoutPrivateNames,
} from './names/reserved-names.js'
export { MAX_GIVEN_SELECTORS, parseSelector, parseSelectors } from './names/selector.js'
export { checkDomain } from './reports/check/check-domain.js'
export {
  assessSpoofability,
  type CheckReports,
  findingsBySeverity,
  isActionable,
  type MechanismReports,
} from './reports/check/check-reports.js'
export { type DomainReport, domainReportSchema } from './reports/check/domain-report.js'
export { type DomainSummary, summarizeDomain } from './reports/check/domain-summary.js'
export { domainsCsv, findingsCsv } from './reports/check/domains-csv.js'
export {
  dkimStatus,
  dkimWords,
  dmarcStatus,
  dmarcWords,
  MECHANISM_TITLES,
  type MechanismSummary,
  mxWords,
  spfWords,
  summarizeMechanisms,
} from './reports/check/mechanism-words.js'
export { isUndecided, noMailRecords } from './reports/check/no-mail.js'
export type { CheckOptions, OnChecked, Random } from './reports/check/run-checks.js'
export { BYTE_ORDER_MARK, toCsvRecords } from './reports/csv.js'
export { checkAddress, summarizeAddress } from './reports/email-check/check-address.js'
export { type EmailReport, emailReportSchema } from './reports/email-check/email-report.js'
export {
  type FixPlan,
  fixPlanSchema,
  type PlanRecord,
  type PlanStep,
  type RolloutStage,
} from './reports/fix-plan/fix-plan-report.js'
export type { PlanOptions } from './reports/fix-plan/plan-context.js'
export { nameField } from './reports/fix-plan/render/panel-record.js'
export { planFiles } from './reports/fix-plan/render/plan-files.js'
export {
  describeRecords,
  firstStageStep,
  groupSteps,
  planSections,
  reportMailboxes,
  type StepGroup,
  stageDate,
} from './reports/fix-plan/render/plan-sections.js'
export { describeStage, planFacts } from './reports/fix-plan/render/plan-words.js'
export { describePanel } from './reports/fix-plan/render/record-steps.js'
export { TERRAFORM_HOST_NAMES } from './reports/fix-plan/render/terraform.js'
export { contradictionIn, parseServiceIds } from './reports/fix-plan/service-ids.js'
export { SCORE_COMPONENTS } from './reports/score/score-components.js'
export {
  type ScoreComponent,
  type ScoreReport,
  scoreReportSchema,
} from './reports/score/score-report.js'
export { describeVerdict, type Verdict, verdictStatus } from './reports/score/verdict.js'
export { STATUS_SIGNS, STATUS_WORDS, type StatusName } from './reports/status-words.js'
export {
  escapeJson,
  formatUtc,
  hasCodePointMarks,
  quoteText,
  stringifySafely,
  toShortLine,
  toVisibleLine,
  toVisibleReport,
  toVisibleText,
  toVisibleValue,
} from './reports/visible-text.js'
export { describeCondition } from './rollout/condition-words.js'
export {
  conditionsBefore,
  EXCEPTIONS_STAGE,
  findPosition,
  levelsAfter,
  POLICY_LEVELS,
  type PolicyLevel,
  type StageCondition,
  subdomainPoliciesAfter,
} from './rollout/policy-ladder.js'
export type { StreamEvidence } from './streams/stream-evidence.js'
