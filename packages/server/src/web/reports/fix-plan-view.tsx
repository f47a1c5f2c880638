/** The fix plan as a checklist: what to publish today, what follows, and what to keep. */
import { type FixPlan, LOOKUP_LIMIT, type PlanRecord, type RolloutStage } from '@mailgrade/core'
import { CopyableBlock } from '../parts/copyable.js'
import { FactList } from '../parts/fact-list.js'
import { FindingList } from '../parts/finding-list.js'
import { TextWithCode } from '../parts/inline-text.js'
import { RecordFields } from '../parts/record-fields.js'
import { GradeBadge } from '../parts/status-badge.js'

export function FixPlanView({ report }: { report: FixPlan }) {
  const { current, projected, records, rollout, warnings, dnsHost } = report
  const changes = records.filter(({ action }) => action !== 'keep')
  const kept = records.filter(({ action }) => action === 'keep')
  return (
    <>
      <p class="score">
        <GradeBadge grade={current.grade} words={`${current.score} today`} />{' '}
        <span aria-hidden="true">→</span>{' '}
        <GradeBadge grade={projected.grade} words={`${projected.score} after all steps`} />
      </p>
      <FactList facts={planFacts(report)} />
      {projected.assumes.length > 0 && <Assumptions sentences={projected.assumes} />}
      {warnings.length > 0 && (
        <>
          <h3>Before you start</h3>
          <FindingList findings={warnings} />
        </>
      )}
      <h3>Today</h3>
      {changes.length === 0 ? (
        <NoChangesToday report={report} />
      ) : (
        <PlanRecordList records={changes} />
      )}
      <details data-screen>
        <summary>Step by step{dnsHost && ` for ${dnsHost.name}`}</summary>
        <ol class="steps">
          {report.steps.map((step) => (
            <li>
              <TextWithCode text={step} />
            </li>
          ))}
        </ol>
      </details>
      {rollout.length > 0 && <RolloutTimeline stages={rollout} records={records} />}
      {kept.length > 0 && (
        <details>
          <summary>Records to keep ({kept.length})</summary>
          <PlanRecordList records={kept} />
        </details>
      )}
      <Exports {...report.exports} />
    </>
  )
}

function planFacts({ sendsMail, mailboxProvider, dnsHost, senders }: FixPlan) {
  return [
    sendsMail ? null : (['Sends mail', 'no sign of it in DNS'] as const),
    mailboxProvider && (['Mailboxes', mailboxProvider.name] as const),
    ['DNS host', dnsHost?.name ?? 'not recognized, so the steps are general'] as const,
    senders.length > 0
      ? (['Other senders', senders.map(({ name }) => name).join(', ')] as const)
      : null,
  ]
}

function Assumptions({ sentences }: { sentences: readonly string[] }) {
  return (
    <details data-screen>
      <summary>Assumptions behind the projected score ({sentences.length})</summary>
      <ul>
        {sentences.map((sentence) => (
          <li>{sentence}</li>
        ))}
      </ul>
    </details>
  )
}

function NoChangesToday({ report: { domain, rollout } }: { report: FixPlan }) {
  const [first, next] = rollout
  return (
    <p>
      No DNS change for {domain} today.
      {first &&
        next &&
        ` Read the DMARC reports for at least ${first.minimumDays} days, then continue with stage ${next.stage} below.`}
    </p>
  )
}

const ACTIONS = {
  create: 'Create',
  replace: 'Replace',
  delete: 'Delete',
  keep: 'Keep',
} as const

function PlanRecordList({ records }: { records: readonly PlanRecord[] }) {
  return (
    <ol class="checklist">
      {records.map((record) => (
        <li>
          <PlanRecordItem record={record} />
        </li>
      ))}
    </ol>
  )
}

function PlanRecordItem({ record }: { record: PlanRecord }) {
  const { order, action, type, name, replaces, why, placeholders, lookupCount } = record
  const title = (
    <>
      {ACTIONS[action]} {type} <code>{name}</code>
    </>
  )
  return (
    <>
      {action === 'keep' ? (
        <strong>{title}</strong>
      ) : (
        <label class="tick">
          <input type="checkbox" name={`record-${order}`} /> {title}
        </label>
      )}
      <p>{why}</p>
      <RecordFields {...record} />
      {lookupCount !== undefined && (
        <p>
          {lookupCount} of {LOOKUP_LIMIT} DNS lookups.
        </p>
      )}
      {replaces.length > 0 && <Replaces values={replaces} />}
      {placeholders.length > 0 && (
        <ul>
          {placeholders.map(({ token, whereToFind }) => (
            <li>
              <code>{token}</code>: {whereToFind}
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

function Replaces({ values }: { values: readonly string[] }) {
  return (
    <details>
      <summary>What this replaces</summary>
      {values.map((value) => (
        <code class="text">{value}</code>
      ))}
    </details>
  )
}

interface RolloutProps {
  readonly stages: readonly RolloutStage[]
  /** The records of the plan, which know what goes into the name field. */
  readonly records: readonly PlanRecord[]
}

/** DMARC in stages, on a timeline. */
function RolloutTimeline({ stages, records }: RolloutProps) {
  const planned = new Map(records.map((record) => [record.name, record]))
  return (
    <>
      <h3>Rollout to p=reject</h3>
      <ol class="timeline">
        {stages.map((stage, index) => (
          <li>
            <h4>
              <label class="tick">
                <input type="checkbox" name={`stage-${stage.stage}`} /> Stage {stage.stage}:{' '}
                {stageStart(stage, stages.slice(0, index), planned.get(stage.record.name))}
              </label>
            </h4>
            <RecordFields {...stage.record} {...pickHost(planned.get(stage.record.name))} />
            <p>
              <strong>{stage.minimumDays > 0 ? 'Continue when:' : 'Afterwards:'}</strong>{' '}
              {stage.proceedWhen}
            </p>
            <p>
              <strong>If legitimate mail is lost:</strong> {stage.rollback}
            </p>
          </li>
        ))}
      </ol>
    </>
  )
}

/** No stage starts before all earlier ones have had their minimum time. */
function stageStart(
  { record }: RolloutStage,
  earlier: readonly RolloutStage[],
  planned?: PlanRecord,
): string {
  const isPublished = planned?.action === 'keep' && planned.value === record.value
  if (isPublished && earlier.length === 0) return 'already published'
  const days = earlier.reduce((sum, { minimumDays }) => sum + minimumDays, 0)
  return days === 0 ? 'today' : `day ${days} at the earliest`
}

function pickHost(planned: PlanRecord | undefined): { host?: string } {
  return planned ? { host: planned.host } : {}
}

function Exports({ zoneFile, terraform }: FixPlan['exports']) {
  return (
    <details data-screen>
      <summary>Zone file{terraform && ' and Terraform'}</summary>
      <CopyableBlock text={zoneFile} what="the zone file" />
      {terraform && <CopyableBlock text={terraform} what="the Terraform code" />}
    </details>
  )
}
