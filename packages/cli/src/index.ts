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
  SpfReport,
} from '@mailgrade/core'
export { FINDINGS } from '@mailgrade/core'
export {
  type CheckRequestOptions,
  createMailgrade,
  type DkimRequestOptions,
  type DomainRequestOptions,
  type Mailgrade,
  type MailgradeMeta,
  type MailgradeOptions,
  type MailgradeResult,
  type PlanRequestOptions,
  type RequestOptions,
  type SelectorRequestOptions,
  type SpfRequestOptions,
} from './mailgrade.js'
