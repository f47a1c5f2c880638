/** DMARC in stages, on a line of time. */
import type { PlanRecord, RolloutStage } from '@mailgrade/core'
import { RecordFields } from '../parts/record-fields.js'

interface RolloutProps {
  readonly stages: readonly RolloutStage[]
  /** Of the plan, which know what goes into the name field. */
  readonly records: readonly PlanRecord[]
}

export function RolloutTimeline({ stages, records }: RolloutProps) {
  const standing = new Map(records.map((record) => [record.name, record]))
  return (
    <>
      <h3>The way to p=reject</h3>
      <ol class="timeline">
        {stages.map((stage, index) => (
          <li>
            <h4>
              <label class="tick">
                <input type="checkbox" name={`stage-${stage.stage}`} /> RolloutStage {stage.stage}:{' '}
                {whenOf(stage, stages.slice(0, index), standing.get(stage.record.name))}
              </label>
            </h4>
            <RecordFields {...stage.record} {...hostOf(standing.get(stage.record.name))} />
            <p>
              <strong>{stage.minimumDays > 0 ? 'Go on when:' : 'From then on:'}</strong>{' '}
              {stage.proceedWhen}
            </p>
            <p>
              <strong>If real mail is lost:</strong> {stage.rollback}
            </p>
          </li>
        ))}
      </ol>
    </>
  )
}

/** No sooner than all stages before it have had their time. */
function whenOf(
  { record }: RolloutStage,
  before: readonly RolloutStage[],
  planned?: PlanRecord,
): string {
  const stands = planned?.action === 'keep' && planned.value === record.value
  if (stands && before.length === 0) return 'stands already'
  const days = before.reduce((sum, { minimumDays }) => sum + minimumDays, 0)
  return days === 0 ? 'today' : `day ${days} at the earliest`
}

function hostOf(planned: PlanRecord | undefined): { host?: string } {
  return planned ? { host: planned.host } : {}
}
