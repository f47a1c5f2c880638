/** The top of a plan: grade today and after, what is wrong, how long it takes, and the progress. */
import { type FixPlan, firstStageStep, planSections } from '@mailgrade/core'
import { GradeBadge } from '../../parts/status-badge.js'

export function PlanSummary({ plan }: { plan: FixPlan }) {
  const { summary, current, projected } = plan
  return (
    <>
      <p class="score">
        <GradeBadge grade={current.grade} words={`${current.score} today`} />{' '}
        <span aria-hidden="true">→</span>{' '}
        <GradeBadge grade={projected.grade} words={`${projected.score} after all steps`} />
      </p>
      <p class="plan-text">{summary}</p>
      <dl class="plan-facts">
        {planFacts(plan).map(([label, value]) => (
          <div class={value.length > WIDE ? 'wide' : undefined}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <Progress plan={plan} />
    </>
  )
}

/** Characters that need more than a tile. */
const WIDE = 45

const IN_USE = { yes: '', likely: ' (likely)', unsure: ' (unsure)' } as const

type Fact = readonly [label: string, value: string]

function planFacts(plan: FixPlan): Fact[] {
  const { sendsMail, mailboxProvider, dnsHost, senders, effort, rollout } = plan
  const { minutesToday, earliestEnd } = effort
  const isRolledOut = rollout.length > 0
  const names = senders.map(({ name, inUse }) => `${name}${IN_USE[inUse]}`)
  const facts: (Fact | false | null)[] = [
    ['Today', minutesToday > 0 ? `about ${minutesToday} minutes` : 'nothing to publish'],
    isRolledOut && ['Earliest end', earliestEnd],
    !isRolledOut && minutesToday > 0 && ['Earliest end', `${earliestEnd} (today)`],
    ['DNS host', dnsHost?.name ?? 'not recognized'],
    (sendsMail || mailboxProvider) && ['Mailboxes', mailboxProvider?.name ?? 'not recognized'],
    names.length > 0 && ['Other senders', names.join(', ')],
    !sendsMail && ['Sends mail', 'no sign of it in DNS'],
  ]
  return facts.filter((fact) => fact !== false && fact !== null)
}

/** Counts what is needed, not what is optional, by the numbers on the page; the script updates it. */
function Progress({ plan }: { plan: FixPlan }) {
  const { today, later } = planSections(plan)
  const [first] = plan.rollout
  const steps = today.length + later.length
  const stages = plan.rollout.length
  const doneStages = first !== undefined && firstStageStep(first, plan) === null ? 1 : 0
  if (steps + stages === 0) return null
  return (
    <p class="plan-progress">
      <progress max={steps + stages} value={doneStages} aria-label="Done" />{' '}
      <span data-progress>
        0 of {steps} {steps === 1 ? 'step' : 'steps'} done
        {stages > 0 && `, ${doneStages} of ${stages} stages`}
      </span>
    </p>
  )
}
