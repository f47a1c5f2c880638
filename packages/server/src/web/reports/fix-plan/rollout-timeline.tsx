/** The DMARC stages on a timeline, with what must be true before the next. */
import {
  describeStage,
  type FixPlan,
  firstStageStep,
  type PlanRecord,
  type RolloutStage,
  stageDate,
} from '@mailgrade/core'
import { CopyButton } from '../../parts/copyable.js'

export function RolloutTimeline({ plan }: { plan: FixPlan }) {
  const { rollout, records, effort } = plan
  const planned = new Map(records.map((record) => [record.name, record]))
  return (
    <ol class="timeline">
      {rollout.map((stage, index) => (
        <li>
          <h4>
            <StageHeading
              stage={stage}
              date={stageDate(rollout, index, effort.earliestEnd)}
              plan={plan}
            />
          </h4>
          <StageRecord
            stage={stage}
            planned={planned.get(stage.record.name)}
            isNamed={rollout[index - 1]?.record.name !== stage.record.name}
          />
          <Conditions stage={stage} next={rollout[index + 1]} />
          <p>
            <strong>If you lose legitimate mail:</strong> {stage.rollback}
          </p>
        </li>
      ))}
    </ol>
  )
}

interface StageHeadingProps {
  readonly stage: RolloutStage
  /** The earliest day. */
  readonly date: string
  readonly plan: FixPlan
}

/** A first stage that a step publishes has no tick of its own. */
function StageHeading({ stage, date, plan }: StageHeadingProps) {
  const title = `Stage ${stage.stage}: ${describeStage(stage)}`
  const step = stage.stage === 1 ? firstStageStep(stage, plan) : null
  if (step) return <span>{`${title} (today, in step ${step.order})`}</span>
  const isPublished = stage.stage === 1
  return (
    <label class="tick">
      <input type="checkbox" name={`stage-${stage.stage}`} data-stage="" checked={isPublished} />{' '}
      {title} ({isPublished ? 'already published' : `${date} at the earliest`})
    </label>
  )
}

interface StageRecordProps {
  readonly stage: RolloutStage
  /** The record of today, which knows what goes into the fields. */
  readonly planned: PlanRecord | undefined
  /** The name is not that of the stage before. */
  readonly isNamed: boolean
}

function StageRecord({ stage, planned, isNamed }: StageRecordProps) {
  const { type, name, value } = stage.record
  const isQuoted = planned?.type === 'TXT' && planned.valueToEnter.startsWith('"')
  const text = isQuoted ? `"${value}"` : value
  const host = planned?.host ?? name
  return (
    <>
      {isNamed && (
        <p>
          {type} record, {planned ? 'name' : 'full name'}{' '}
          {host === '' ? 'left empty' : <code>{host}</code>}
          {host !== name && ` (full name ${name})`}{' '}
          {host !== '' && <CopyButton text={host} what="the name" />}
        </p>
      )}
      <p class="copied">
        <code class="text">{text}</code>
        <CopyButton text={text} what={`the value of stage ${stage.stage}`} />
      </p>
    </>
  )
}

function Conditions({ stage, next }: { stage: RolloutStage; next: RolloutStage | undefined }) {
  return (
    <>
      <p>
        <strong>{next ? `Continue to stage ${next.stage} if:` : 'Afterwards:'}</strong>
      </p>
      <ul>
        {stage.proceedWhen.map((condition) => (
          <li>{condition}</li>
        ))}
      </ul>
    </>
  )
}
