/** The essence of a plan, so that a story can tell all of it at a glance. */
import type {
  FixPlan,
  PlanRecord,
  PlanService,
} from '../../src/reports/fix-plan/fix-plan-report.js'
import { GOOD_KEY_RECORD } from './dkim-fixture.js'
import { planFromZone, recordLines } from './plan-fixture.js'

export async function goldenPlan(zone: string, domain = 'acme.test') {
  return essenceOf(await planFromZone(zone, { domain }))
}

/** What a story need not tell. */
export const EMPTY_GOLDEN_PLAN = {
  senders: [],
  assumes: [],
  replaces: {},
  gaps: {},
  rollout: [],
  warnings: [],
}

function essenceOf(plan: FixPlan) {
  const { sendsMail, mailboxProvider, dnsHost, senders, current, projected } = plan
  return {
    sendsMail,
    mailboxProvider: mailboxProvider && shown(mailboxProvider),
    dnsHost: dnsHost && shown(dnsHost),
    senders: senders.map(shown),
    score: `${current.score} ${current.grade} to ${projected.score} ${projected.grade}`,
    assumes: projected.assumes,
    records: recordLines(plan),
    replaces: byPlace(plan, ({ replaces }) => replaces),
    gaps: byPlace(plan, ({ placeholders }) => placeholders.map(({ token }) => token)),
    rollout: plan.rollout.map(
      ({ record: { name, value }, minimumDays }) => `${minimumDays} days: ${name} ${value}`,
    ),
    warnings: plan.warnings.map(({ id }) => id),
  }
}

function shown({ id, evidence }: PlanService): string {
  return `${id} by ${evidence}`
}

/** `TXT acme.test`: only where there is something. */
function byPlace({ records }: FixPlan, of: (record: PlanRecord) => string[]) {
  const places = records.map((record) => [`${record.type} ${record.name}`, of(record)] as const)
  return Object.fromEntries(places.filter(([, values]) => values.length > 0))
}

/** What a sound domain at Google has, and keeps. */
export const KEPT_GOOGLE_RECORDS = [
  'keep MX acme.test 1 smtp.google.com',
  'keep TXT acme.test v=spf1 include:_spf.google.com ~all',
  `keep TXT google._domainkey.acme.test ${GOOD_KEY_RECORD}`,
]

export const ROLLOUT_ASSUMPTION = 'The rollout has come to its last stage.'

/** What the first stages of a plan lead to (RFC 9989 §7.4), where acme.test had no record of use. */
export const ROLLOUT_FROM_NO_RECORD = [
  '30 days: _dmarc.acme.test v=DMARC1; p=none; rua=mailto:dmarc@acme.test',
  '7 days: _dmarc.acme.test v=DMARC1; p=quarantine; t=y; rua=mailto:dmarc@acme.test',
  '30 days: _dmarc.acme.test v=DMARC1; p=quarantine; rua=mailto:dmarc@acme.test',
  '7 days: _dmarc.acme.test v=DMARC1; p=reject; t=y; rua=mailto:dmarc@acme.test',
  '0 days: _dmarc.acme.test v=DMARC1; p=reject; rua=mailto:dmarc@acme.test',
]

/** The same where the record had these tags already, and `t` comes behind them. */
export const ROLLOUT_FROM_NONE = [
  '30 days: _dmarc.acme.test v=DMARC1; p=none; rua=mailto:dmarc@acme.test',
  '7 days: _dmarc.acme.test v=DMARC1; p=quarantine; rua=mailto:dmarc@acme.test; t=y',
  '30 days: _dmarc.acme.test v=DMARC1; p=quarantine; rua=mailto:dmarc@acme.test',
  '7 days: _dmarc.acme.test v=DMARC1; p=reject; rua=mailto:dmarc@acme.test; t=y',
  '0 days: _dmarc.acme.test v=DMARC1; p=reject; rua=mailto:dmarc@acme.test',
]

export const ROLLOUT_FROM_QUARANTINE = ROLLOUT_FROM_NONE.slice(2)
