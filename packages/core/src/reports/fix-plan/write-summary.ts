/** The summary of a plan in three sentences, and how long it takes. */
import { formatList } from '../../checks/format-list.js'
import type { FixPlan, PlanRecord, RolloutStage } from './fix-plan-report.js'

const DAY_MS = 86_400_000

export function addDays(start: Date, days: number): string {
  return new Date(start.getTime() + days * DAY_MS).toISOString().slice(0, 10)
}

/** A first stage that is published already may have lasted long enough. */
export function daysUntilStage(
  stages: readonly RolloutStage[],
  stage: number,
  isFirstPublished: boolean,
): number {
  return stages
    .filter((each) => each.stage < stage && !(isFirstPublished && each.stage === 1))
    .reduce((sum, { minimumDays }) => sum + minimumDays, 0)
}

/** Minutes to sign in at the DNS host, to enter a record, and to work in the screen of a service. */
const MINUTES = { signIn: 5, record: 2, screen: 5 }

export function estimateMinutes(changes: number, steps: FixPlan['steps']): number {
  const screens = steps.filter(({ when, records }) => when === 'today' && records.length === 0)
  const minutes =
    (changes > 0 ? MINUTES.signIn : 0) + changes * MINUTES.record + screens.length * MINUTES.screen
  return Math.ceil(minutes / 5) * 5
}

type SummaryInput = Pick<
  FixPlan,
  'domain' | 'unicodeDomain' | 'effort' | 'current' | 'projected' | 'rollout' | 'steps'
> & {
  /** The records to publish today. */
  readonly changes: readonly Pick<PlanRecord, 'purpose'>[]
  /** The DMARC record with the plan, if there are no later stages. */
  readonly policy: string | null
  readonly isRejectedToday: boolean
  /** The policy of today is only a test. */
  readonly isTest: boolean
  /** What a stranger can do today, as a clause. */
  readonly danger: string
  /** Whose mail is lost today, as a clause; null if no one's is. */
  readonly loss: string | null
  readonly warnings: FixPlan['warnings']
}

export function writeSummary(plan: SummaryInput): string {
  return [describeToday(plan), describeWork(plan), describeEnd(plan)].join(' ')
}

function describeToday(plan: SummaryInput): string {
  const { domain, unicodeDomain, current, danger, loss, warnings } = plan
  const name = unicodeDomain ? `${unicodeDomain} (${domain})` : domain
  const isAtRisk = warnings.some(({ id }) => id === 'plan.mail-at-risk')
  const risk = loss
    ? ` ${loss}.`
    : isAtRisk
      ? ' Your own mail may get lost, because it isn’t signed.'
      : ''
  return `${name} scores ${current.score} of 100 (grade ${current.grade}): ${danger}.${risk}`
}

function describeWork({ changes, steps, effort }: SummaryInput): string {
  const time = `about ${effort.minutesToday} minutes`
  if (changes.length > 0) {
    const what = formatList(changes.map(({ purpose }) => purpose.toUpperCase()))
    return `Today: ${count(changes.length, 'change')} (${what}), ${time}.`
  }
  const others = steps.filter(({ when }) => when === 'today')
  return others.length > 0
    ? `Today: ${count(others.length, 'step')}, ${time}. There are no records to publish.`
    : 'You don’t need to change anything today.'
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`
}

function describeEnd({
  rollout,
  effort,
  projected,
  current,
  policy,
  isRejectedToday,
  isTest,
}: SummaryInput): string {
  const last = rollout.at(-1)
  const score =
    projected.score > current.score
      ? ` That brings the score to ${projected.score} (grade ${projected.grade}).`
      : ''
  if (!last) {
    if (isRejectedToday) return `The policy is already p=reject.${score}`
    return /;\s*p=reject\b/.test(policy ?? '')
      ? `After that, receivers refuse forged mail.${score}`
      : `The DMARC policy stays as it is.${score}`
  }
  const stages = count(rollout.length - 1, 'more stage')
  if (isRejectedToday) {
    const goal = isTest ? 'end the test of p=reject' : 'extend p=reject to all mail and subdomains'
    return `Then ${goal} in ${stages}. You can finish on ${effort.earliestEnd} at the earliest.${score}`
  }
  const end = /\bp=(\w+)/.exec(last.record.value)?.[1] ?? 'reject'
  return `Then tighten DMARC in ${stages}. You can reach p=${end} on ${effort.earliestEnd} at the earliest.${score}`
}
