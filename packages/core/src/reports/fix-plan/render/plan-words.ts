/** A plan and its stages in words. */
import type { FixPlan, RolloutStage } from '../fix-plan-report.js'

const IN_USE = { yes: '', likely: ' (likely)', unsure: ' (unsure)' } as const

type Fact = readonly [label: string, value: string]

export function planFacts(plan: FixPlan): Fact[] {
  const { sendsMail, mailboxProvider, dnsHost, senders, effort, rollout } = plan
  const { minutesToday, earliestEnd } = effort
  const isRolledOut = rollout.length > 0
  const names = senders.map(({ name, inUse }) => `${name}${IN_USE[inUse]}`)
  const facts: (Fact | false | null)[] = [
    ['Today', minutesToday > 0 ? `about ${minutesToday} minutes` : 'nothing to publish'],
    isRolledOut && ['Earliest finish', earliestEnd],
    !isRolledOut && minutesToday > 0 && ['Earliest finish', `${earliestEnd} (today)`],
    ['DNS host', dnsHost?.name ?? 'not recognized'],
    (sendsMail || mailboxProvider) && ['Mailboxes', mailboxProvider?.name ?? 'not recognized'],
    names.length > 0 && ['Other senders', names.join(', ')],
    !sendsMail && ['Sends mail', 'no sign of it in DNS'],
  ]
  return facts.filter((fact) => fact !== false && fact !== null)
}

/** What a stage does to mail that fails. */
export function describeStage({ record: { value } }: RolloutStage): string {
  const [, policy] = /;\s*p=(\w+)/.exec(value) ?? []
  const isTest = /;\s*t=y\b/.test(value)
  if (policy === 'reject') return isTest ? 'test rejection' : 'failing mail is rejected'
  if (policy === 'quarantine') return isTest ? 'test the spam folder' : 'failing mail goes to spam'
  return 'monitor only'
}
