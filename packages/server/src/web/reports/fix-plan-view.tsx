/** The fix plan as a checklist: what to do today, what follows, and what to keep. */
import {
  type FixPlan,
  LOOKUP_LIMIT,
  type PlanRecord,
  type PlanStep,
  type RolloutStage,
} from '@mailgrade/core'
import { CopyableBlock, CopyButton } from '../parts/copyable.js'
import { FactList } from '../parts/fact-list.js'
import { FindingList } from '../parts/finding-list.js'
import { TextWithCode } from '../parts/inline-text.js'
import { RecordFields } from '../parts/record-fields.js'
import { GradeBadge } from '../parts/status-badge.js'

export function FixPlanView({ report }: { report: FixPlan }) {
  const { summary, current, projected, records, rollout, warnings, steps, safety } = report
  const kept = records.filter(({ action }) => action === 'keep')
  const required = steps.filter(({ optional }) => !optional)
  const optional = steps.filter((step) => step.optional)
  return (
    <>
      <p class="score">
        <GradeBadge grade={current.grade} words={`${current.score} today`} />{' '}
        <span aria-hidden="true">→</span>{' '}
        <GradeBadge grade={projected.grade} words={`${projected.score} after all steps`} />
      </p>
      <p>{summary}</p>
      <FactList facts={planFacts(report)} />
      {warnings.length > 0 && (
        <>
          <h3>Before you start</h3>
          <FindingList findings={warnings} />
        </>
      )}
      <h3>Steps</h3>
      {required.length === 0 ? (
        <p>Nothing has to change.</p>
      ) : (
        <StepList steps={required} records={records} />
      )}
      {rollout.length > 0 && (
        <RolloutTimeline stages={rollout} records={records} end={report.effort.earliestEnd} />
      )}
      {optional.length > 0 && (
        <>
          <h3>Optional</h3>
          <StepList steps={optional} records={records} />
        </>
      )}
      {safety.tested.length > 0 && <SafetyTests tested={safety.tested} />}
      {projected.assumes.length > 0 && <Assumptions sentences={projected.assumes} />}
      {kept.length > 0 && (
        <details>
          <summary>Records to keep ({kept.length})</summary>
          <ul class="checklist">
            {kept.map((record) => (
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
      )}
      <Exports domain={report.domain} {...report.exports} />
    </>
  )
}

const IN_USE = { yes: '', likely: ' (likely)', unsure: ' (unsure)' } as const

function planFacts({ sendsMail, mailboxProvider, dnsHost, senders, effort }: FixPlan) {
  return [
    sendsMail ? null : (['Sends mail', 'no sign of it in DNS'] as const),
    mailboxProvider && (['Mailboxes', mailboxProvider.name] as const),
    ['DNS host', dnsHost?.name ?? 'not recognized, so the steps are general'] as const,
    senders.length > 0
      ? ([
          'Other senders',
          senders.map(({ name, inUse }) => `${name}${IN_USE[inUse]}`).join(', '),
        ] as const)
      : null,
    [
      'Time today',
      effort.minutesToday > 0 ? `about ${effort.minutesToday} minutes` : 'nothing to do',
    ] as const,
    ['Earliest end', effort.earliestEnd] as const,
  ]
}

interface StepListProps {
  readonly steps: readonly PlanStep[]
  readonly records: readonly PlanRecord[]
}

function StepList({ steps, records }: StepListProps) {
  return (
    <ol class="checklist">
      {steps.map((step) => (
        <li value={step.order}>
          <Step step={step} records={records.filter(({ order }) => step.records.includes(order))} />
        </li>
      ))}
    </ol>
  )
}

function Step({ step, records }: { step: PlanStep; records: readonly PlanRecord[] }) {
  const { order, title, where, onlyIf, actions, verify } = step
  // The last actions are those of the records, one each.
  const firstRecord = actions.length - records.length
  return (
    <>
      <label class="tick">
        <input type="checkbox" name={`step-${order}`} /> {title}
      </label>
      {onlyIf && (
        <p>
          <strong>Only if:</strong> {onlyIf}
        </p>
      )}
      <p>
        <strong>Where:</strong> {where}
      </p>
      <ul>
        {actions.map((action, index) => (
          <li>
            <TextWithCode text={action} />
            <CopyFields record={records[index - firstRecord]} />
          </li>
        ))}
      </ul>
      {records.length > 0 && <Reasons records={records} />}
      <p>
        <strong>Check:</strong> <TextWithCode text={verify.text} />{' '}
        {verify.url && <a href={pageFor(verify.url)}>Check now</a>}
      </p>
    </>
  )
}

/** The page that shows the same check to people. */
function pageFor(url: string): string {
  return url.replace(/\/v1\/\w+\?/, '/?')
}

/** Text with a placeholder has no copy button: it would be published unchanged. */
function CopyFields({ record }: { record: PlanRecord | undefined }) {
  if (!record || record.action === 'delete') return null
  const { host, type, valueToEnter, placeholders } = record
  const isFilled = (text: string) => placeholders.every(({ token }) => !text.includes(token))
  // Most panels ask for the priority of an MX record in a field of its own.
  const value = type === 'MX' ? valueToEnter.replace(/^\d+ ?/, '') : valueToEnter
  return (
    <span class="copies">
      {host !== '' && isFilled(host) && <CopyButton text={host} what="name" isNamed />}
      {value !== '' && isFilled(value) && <CopyButton text={value} what="value" isNamed />}
    </span>
  )
}

function Reasons({ records }: { records: readonly PlanRecord[] }) {
  const reasons = [...new Set(records.map(({ why }) => why))]
  const replaced = records.flatMap(({ replaces }) => replaces)
  const lookups = records.find(({ lookupCount }) => lookupCount !== undefined)?.lookupCount
  return (
    <details>
      <summary>Why</summary>
      {reasons.map((why) => (
        <p>{why}</p>
      ))}
      {lookups !== undefined && (
        <p>
          {lookups} of {LOOKUP_LIMIT} DNS lookups.
        </p>
      )}
      {replaced.length > 0 && (
        <>
          <p>Replaced:</p>
          {replaced.map((value) => (
            <code class="text">{value}</code>
          ))}
        </>
      )}
    </details>
  )
}

function SafetyTests({ tested }: { tested: FixPlan['safety']['tested'] }) {
  return (
    <details data-screen>
      <summary>Tested: no sender loses its SPF pass ({tested.length})</summary>
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
      <summary>Assumptions behind the projected score ({sentences.length})</summary>
      <ul>
        {sentences.map((sentence) => (
          <li>{sentence}</li>
        ))}
      </ul>
    </details>
  )
}

interface RolloutProps {
  readonly stages: readonly RolloutStage[]
  /** The records of the plan, which know what goes into the fields. */
  readonly records: readonly PlanRecord[]
  /** The earliest day of the last stage. */
  readonly end: string
}

/** DMARC in stages, on a timeline. */
function RolloutTimeline({ stages, records, end }: RolloutProps) {
  const planned = new Map(records.map((record) => [record.name, record]))
  return (
    <>
      <h3>DMARC in stages</h3>
      <ol class="timeline">
        {stages.map((stage, index) => (
          <li>
            <h4>
              <label class="tick">
                <input type="checkbox" name={`stage-${stage.stage}`} /> Stage {stage.stage}:{' '}
                {describePolicy(stage)} (
                {index === 0
                  ? firstStart(stage, planned.get(stage.record.name))
                  : `${stageStart(stages.slice(index), end)} at the earliest`}
                )
              </label>
            </h4>
            <RecordFields
              {...stage.record}
              {...fieldsToEnter(stage, planned.get(stage.record.name))}
            />
            <p>
              <strong>{index < stages.length - 1 ? 'Continue if:' : 'Afterwards:'}</strong>
            </p>
            <ul>
              {stage.proceedWhen.map((condition) => (
                <li>{condition}</li>
              ))}
            </ul>
            <p>
              <strong>If legitimate mail is lost:</strong> {stage.rollback}
            </p>
          </li>
        ))}
      </ol>
    </>
  )
}

function describePolicy({ record: { value } }: RolloutStage): string {
  const [, policy] = /;\s*p=(\w+)/.exec(value) ?? []
  const isTest = /;\s*t=y\b/.test(value)
  if (policy === 'reject') return isTest ? 'test rejection' : 'failing mail is rejected'
  if (policy === 'quarantine') return isTest ? 'test the spam folder' : 'failing mail goes to spam'
  return 'only watch'
}

function firstStart({ record }: RolloutStage, planned?: PlanRecord): string {
  return planned?.action === 'keep' && planned.value === record.value
    ? 'already published'
    : 'today'
}

const DAY_MS = 86_400_000

/** No stage starts before all earlier ones have had their minimum time. */
function stageStart(stages: readonly RolloutStage[], end: string): string {
  const days = stages.reduce((sum, { minimumDays }) => sum + minimumDays, 0)
  return new Date(Date.parse(end) - days * DAY_MS).toISOString().slice(0, 10)
}

/** As the fields of the record of today. */
function fieldsToEnter(
  { record }: RolloutStage,
  planned: PlanRecord | undefined,
): { readonly host?: string; readonly valueToEnter?: string } {
  if (!planned) return {}
  const isQuoted = planned.type === 'TXT' && planned.valueToEnter.startsWith('"')
  return { host: planned.host, ...(isQuoted && { valueToEnter: `"${record.value}"` }) }
}

function Exports({
  domain,
  zoneFile,
  terraform,
  calendar,
}: FixPlan['exports'] & { readonly domain: string }) {
  return (
    <details data-screen>
      <summary>
        Zone file{terraform && ', Terraform'}
        {calendar && ', calendar'}
      </summary>
      <CopyableBlock text={zoneFile} what="the zone file" />
      {terraform && <CopyableBlock text={terraform} what="the Terraform code" />}
      {calendar && (
        <p>
          <a
            download={`${domain}.ics`}
            href={`data:text/calendar;charset=utf-8,${encodeURIComponent(calendar)}`}
          >
            Calendar of the later steps (.ics)
          </a>
        </p>
      )}
    </details>
  )
}
