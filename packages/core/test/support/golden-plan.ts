/** A plan in short form, so a test can assert all of it. */
import type {
  FixPlan,
  PlanRecord,
  PlanSender,
  PlanService,
} from '../../src/reports/fix-plan/fix-plan-report.js'
import { GOOD_KEY_RECORD } from './dkim-fixture.js'
import { planFromZone, recordLines } from './plan-fixture.js'

export async function goldenPlan(zone: string, domain = 'acme.test') {
  return shortPlan(await planFromZone(zone, { domain }))
}

/** Defaults for what a plan does not contain. */
export const EMPTY_GOLDEN_PLAN = {
  senders: [],
  assumes: [],
  replaces: {},
  placeholders: {},
  onlyIf: {},
  rollout: [],
  warnings: [],
}

function shortPlan(plan: FixPlan) {
  const { sendsMail, mailboxProvider, dnsHost, senders, current, projected } = plan
  return {
    sendsMail,
    mailboxProvider: mailboxProvider && formatService(mailboxProvider),
    dnsHost: dnsHost && formatService(dnsHost),
    senders: senders.map(formatSender),
    score: `${current.score} ${current.grade} to ${projected.score} ${projected.grade}`,
    assumes: projected.assumes,
    records: recordLines(plan),
    replaces: byRecord(plan, ({ replaces }) => replaces),
    placeholders: byRecord(plan, ({ placeholders }) => placeholders.map(({ token }) => token)),
    onlyIf: conditions(plan),
    rollout: plan.rollout.map(
      ({ record: { name, value }, minimumDays }) => `${minimumDays} days: ${name} ${value}`,
    ),
    warnings: plan.warnings.map(({ id }) => id),
  }
}

function formatService({ id, evidence }: PlanService): string {
  return `${id} via ${evidence}`
}

function formatSender(sender: PlanSender): string {
  return `${formatService(sender)} (${sender.inUse})`
}

/** Keyed by `TXT acme.test`; records without values are left out. */
function byRecord({ records }: FixPlan, of: (record: PlanRecord) => string[]) {
  const entries = records.map((record) => [`${record.type} ${record.name}`, of(record)] as const)
  return Object.fromEntries(entries.filter(([, values]) => values.length > 0))
}

function conditions({ records }: FixPlan) {
  const conditional = records.filter(({ onlyIf }) => onlyIf !== null)
  return Object.fromEntries(
    conditional.map(({ type, name, onlyIf }) => [`${type} ${name}`, onlyIf]),
  )
}

/** The condition for the records of a service that may be a leftover. */
export function stillUses(name: string): string {
  return `You still use ${name}. If you don’t, skip this step. Next time you get a plan, mark ${name} as no longer used, and the plan will remove what’s left of it.`
}

/** The condition for the keys of a service that may sign under another selector. */
export function signsNothingYet(name: string): string {
  return `${name} doesn’t sign your mail yet. To find out, open a message from it in Gmail and choose Show original. If DKIM says PASS with acme.test or one of its subdomains, skip this step.`
}

/** For mailboxes at Google or Microsoft; optional. */
export const TLS_REPORTS = 'create TXT _smtp._tls.acme.test v=TLSRPTv1; rua=mailto:dmarc@acme.test'

/** The records of a well-configured domain at Google. */
export const KEPT_GOOGLE_RECORDS = [
  'keep MX acme.test 1 smtp.google.com',
  'keep TXT acme.test v=spf1 include:_spf.google.com ~all',
  `keep TXT google._domainkey.acme.test ${GOOD_KEY_RECORD}`,
]

export const ROLLOUT_ASSUMPTION = 'The rollout has reached its last stage.'

/** The stages for acme.test without a usable record (RFC 9989 §7.4). */
export const ROLLOUT_FROM_NO_RECORD = [
  '30 days: _dmarc.acme.test v=DMARC1; p=none; rua=mailto:dmarc@acme.test',
  '7 days: _dmarc.acme.test v=DMARC1; p=quarantine; t=y; pct=0; rua=mailto:dmarc@acme.test',
  '30 days: _dmarc.acme.test v=DMARC1; p=quarantine; rua=mailto:dmarc@acme.test',
  '7 days: _dmarc.acme.test v=DMARC1; p=reject; t=y; pct=0; rua=mailto:dmarc@acme.test',
  '0 days: _dmarc.acme.test v=DMARC1; p=reject; rua=mailto:dmarc@acme.test',
]

/** The same for a record that already has these tags, so `t` comes last. */
export const ROLLOUT_FROM_NONE = [
  '30 days: _dmarc.acme.test v=DMARC1; p=none; rua=mailto:dmarc@acme.test',
  '7 days: _dmarc.acme.test v=DMARC1; p=quarantine; rua=mailto:dmarc@acme.test; t=y; pct=0',
  '30 days: _dmarc.acme.test v=DMARC1; p=quarantine; rua=mailto:dmarc@acme.test',
  '7 days: _dmarc.acme.test v=DMARC1; p=reject; rua=mailto:dmarc@acme.test; t=y; pct=0',
  '0 days: _dmarc.acme.test v=DMARC1; p=reject; rua=mailto:dmarc@acme.test',
]

export const ROLLOUT_FROM_QUARANTINE = ROLLOUT_FROM_NONE.slice(2)
