/** DMARC in stages, on a line of time. */
import type { PlanRecord, Stage } from '../../reports/fix-plan/fix-plan-report.js'
import { RecordFields } from '../parts/record.js'

interface RolloutProps {
  readonly stages: readonly Stage[]
  /** Of the plan, which know what goes into the name field. */
  readonly records: readonly PlanRecord[]
}

export function Rollout({ stages, records }: RolloutProps) {
  const hosts = new Map(records.map(({ name, host }) => [name, host]))
  return (
    <>
      <h3>The way to p=reject</h3>
      <ol class="timeline">
        {stages.map((stage, index) => (
          <li>
            <h4>
              Stage {stage.stage}: {whenOf(stages.slice(0, index))}
            </h4>
            <RecordFields {...stage.record} {...hostOf(hosts.get(stage.record.name))} />
            <p>
              <strong>{stage.minimumDays > 0 ? 'Go on when' : 'From then on'}.</strong>{' '}
              {stage.proceedWhen}
            </p>
            <p>
              <strong>If real mail is lost.</strong> {stage.rollback}
            </p>
          </li>
        ))}
      </ol>
    </>
  )
}

/** No sooner than all stages before it have had their time. */
function whenOf(before: readonly Stage[]): string {
  const days = before.reduce((sum, { minimumDays }) => sum + minimumDays, 0)
  return days === 0 ? 'today' : `day ${days} at the earliest`
}

function hostOf(host: string | undefined): { host?: string } {
  return host === undefined ? {} : { host }
}
