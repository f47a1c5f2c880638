/** The fix plan as a checklist: what to do today, what follows, and what to keep. */
import { type Finding, type FixPlan, type PlanRecord, planSections } from '@mailgrade/core'
import { PATHS } from '@mailgrade/operations/service-paths'
import type { FormValues } from '../../http/query-parameters.js'
import { Reference } from '../parts/inline-text.js'
import { RecordFields } from '../parts/record-fields.js'
import { Badge, SEVERITY_TONES } from '../parts/status-badge.js'
import { useLink } from '../site-context.js'
import { PlanAnswers } from './fix-plan/plan-answers.js'
import { PlanDownloads } from './fix-plan/plan-downloads.js'
import { PlanSummary } from './fix-plan/plan-summary.js'
import { RolloutTimeline } from './fix-plan/rollout-timeline.js'
import { StepGroups } from './fix-plan/step-groups.js'
import { WhatToWatch } from './fix-plan/what-to-watch.js'

interface FixPlanViewProps {
  readonly report: FixPlan
  /** What this plan was made with, for its buyer. */
  readonly values?: FormValues | undefined
}

export function FixPlanView({ report, values }: FixPlanViewProps) {
  const { records, rollout, warnings, safety, projected } = report
  const { today, later, optional } = planSections(report)
  const kept = records.filter(({ action }) => action === 'keep')
  return (
    <>
      <PlanSummary plan={report} />
      {values && <PlanAnswers plan={report} values={values} />}
      {warnings.length > 0 && <Warnings warnings={warnings} />}
      <h3>Do today</h3>
      {today.length > 0 ? (
        <StepGroups steps={today} plan={report} />
      ) : (
        <WhatToWatch plan={report} />
      )}
      {(later.length > 0 || rollout.length > 0) && <h3>Later</h3>}
      {later.map((step) => (
        <StepGroups
          steps={[step]}
          plan={report}
          date={step.kind === 'remove' ? step.notBefore : null}
        />
      ))}
      {rollout.length > 0 && <RolloutTimeline plan={report} />}
      {optional.length > 0 && (
        <>
          <h3>Optional</h3>
          <StepGroups steps={optional} plan={report} />
        </>
      )}
      {kept.length > 0 && <KeptRecords records={kept} />}
      {safety.tested.length > 0 && <SafetyTests tested={safety.tested} />}
      {projected.assumes.length > 0 && <Assumptions sentences={projected.assumes} />}
      <PlanDownloads plan={report} />
    </>
  )
}

/** What to do is always visible; the explanation and the evidence open on demand. */
function Warnings({ warnings }: { warnings: readonly Finding[] }) {
  const link = useLink()
  return (
    <>
      <h3>Before you start</h3>
      <ul class="plan-warnings">
        {warnings.map(({ id, severity, title, detail, fix, record, evidence, reference }) => (
          <li>
            <h4>
              <Badge tone={SEVERITY_TONES[severity]} word={severity} /> {title}
            </h4>
            <p>{fix}</p>
            {record && <RecordFields {...record} />}
            <details>
              <summary>Why</summary>
              <p>{detail}</p>
              {evidence.map(({ name, type, value }) => (
                <code class="text">
                  {name} {type} {value}
                </code>
              ))}
              <p class="source">
                <a href={`${link(PATHS.findings)}#${id}`}>{id}</a> · <Reference text={reference} />
              </p>
            </details>
          </li>
        ))}
      </ul>
    </>
  )
}

function KeptRecords({ records }: { records: readonly PlanRecord[] }) {
  return (
    <details>
      <summary>Records to keep ({records.length})</summary>
      <ul class="kept">
        {records.map((record) => (
          <li>
            <strong>
              {record.type} <code>{record.name}</code>
            </strong>
            <p>{record.why}</p>
            <RecordFields {...record} />
          </li>
        ))}
      </ul>
    </details>
  )
}

function SafetyTests({ tested }: { tested: FixPlan['safety']['tested'] }) {
  return (
    <details data-screen>
      <summary>Tested: every sender that passes SPF today still passes ({tested.length})</summary>
      <ul>
        {tested.map(({ sender, ip, before, after }) => (
          <li>
            {sender === ip ? '' : `${sender} at `}
            <code>{ip}</code>: {before} today, {after} with the plan
          </li>
        ))}
      </ul>
    </details>
  )
}

function Assumptions({ sentences }: { sentences: readonly string[] }) {
  return (
    <details data-screen>
      <summary>What the projected score assumes ({sentences.length})</summary>
      <ul>
        {sentences.map((sentence) => (
          <li>{sentence}</li>
        ))}
      </ul>
    </details>
  )
}
