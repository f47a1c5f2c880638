/** The top of a plan: grade today and after, what is wrong, how long it takes, and the progress. */
import { type FixPlan, firstStageStep, planFacts, planSections } from '@mailgrade/core'
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
