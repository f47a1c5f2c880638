/** The steps of one part of the plan, with what to enter and how to check each. */
import {
  describeRecords,
  type FixPlan,
  firstStageStep,
  groupSteps,
  LOOKUP_LIMIT,
  type PlanRecord,
  type PlanStep,
  type StepGroup,
} from '@mailgrade/core'
import type { Child } from 'hono/jsx'
import { CopyButton } from '../../parts/copyable.js'
import { TextWithCode } from '../../parts/inline-text.js'
import { checkPagePath, stepChecks } from './step-checks.js'
import { groupZoneLines } from './zone-lines.js'

interface StepGroupsProps {
  readonly steps: readonly PlanStep[]
  readonly plan: FixPlan
  /** The earliest day of all these steps, if it is not today. */
  readonly date?: string | null
}

export function StepGroups({ steps, plan, date = null }: StepGroupsProps) {
  const [stage] = plan.rollout
  const publisher = stage && firstStageStep(stage, plan)
  return (
    <>
      {groupSteps(steps, plan).map((group) => (
        <div class="step-group">
          {hasHeading(group) && <GroupHeading group={group} zoneFile={plan.exports.zoneFile} />}
          {group.steps.length > 1 && <Conditions group={group} date={date} />}
          <ol class="checklist">
            {group.steps.map((step) => (
              <li value={step.order}>
                <Step
                  step={step}
                  records={recordsOf(step, group)}
                  isFirstStage={step === publisher}
                >
                  {group.steps.length === 1 && <Conditions group={group} date={date} />}
                </Step>
              </li>
            ))}
          </ol>
          {!hasHeading(group) && <Reasons records={group.records} />}
        </div>
      ))}
    </>
  )
}

function recordsOf({ records }: PlanStep, group: StepGroup): PlanRecord[] {
  return group.records.filter(({ order }) => records.includes(order))
}

/** One step with one record says it all itself. */
function hasHeading({ label, service, steps, records }: StepGroup): boolean {
  return label !== null && (records.length > 1 || (service !== null && steps.length > 1))
}

function GroupHeading({ group, zoneFile }: { group: StepGroup; zoneFile: string }) {
  const { label, records } = group
  const published = records.filter(({ action }) => action !== 'delete')
  const lines = published.length > 1 ? groupZoneLines(records, zoneFile) : null
  const count = describeRecords(records)
  return (
    <div class="group-heading">
      <h4>
        {label}
        {count && `: ${count}`}
      </h4>
      <Reasons records={records} />
      {lines && (
        <button type="button" class="copy" data-copy={lines} hidden>
          Copy<span> all</span>
          <span class="unseen">
            {' '}
            {published.length} records of {label} as zone file lines
          </span>
        </button>
      )}
    </div>
  )
}

/** Always visible: what must be true, and what to know, before anything is published. */
function Conditions({ group, date }: { group: StepGroup; date: string | null }) {
  return (
    <>
      {date && (
        <p>
          <strong>Not before:</strong> {date}
        </p>
      )}
      {group.onlyIf && (
        <p>
          <strong>Only if:</strong> {group.onlyIf}
        </p>
      )}
      <FillIn group={group} />
    </>
  )
}

/** What to replace before the records can be published. */
function FillIn({ group: { records, steps } }: { group: StepGroup }) {
  const placeholders = new Map(
    records.flatMap((record) => record.placeholders).map((each) => [each.token, each.whereToFind]),
  )
  if (placeholders.size === 0) return null
  // The steps mostly say so themselves.
  const said = steps.flatMap(({ where, actions }) => [where, ...actions]).join('\n')
  const unsaid = [...new Set(placeholders.values())].filter((place) => !said.includes(place))
  return (
    <p>
      <strong>Fill in first:</strong>{' '}
      {[...placeholders.keys()].map((token, index) => (
        <>
          {index > 0 && ', '}
          <code>{token}</code>
        </>
      ))}
      {unsaid.length > 0 && ` (${unsaid.join('; ')})`}. Then copy{' '}
      {records.length > 1 ? 'the records one by one' : 'the record'}.
    </p>
  )
}

interface StepProps {
  readonly step: PlanStep
  readonly records: readonly PlanRecord[]
  /** It publishes the first stage, which has no tick of its own. */
  readonly isFirstStage: boolean
  /** Conditions of this step alone. */
  readonly children: Child
}

/** Of an optional step, only the title and its conditions are open. */
function Step({ step, records, isFirstStage, children }: StepProps) {
  const { order, title, optional } = step
  const how = (
    <>
      <Actions step={step} records={records} />
      <Check step={step} records={records} />
    </>
  )
  return (
    <>
      <label class="tick">
        <input
          type="checkbox"
          name={`step-${order}`}
          data-counted={optional ? undefined : ''}
          data-stage={isFirstStage ? '' : undefined}
        />{' '}
        {order}. {title}
      </label>
      {children}
      {optional ? (
        <details>
          <summary>What to do</summary>
          {how}
        </details>
      ) : (
        how
      )}
    </>
  )
}

function Actions({ step, records }: { step: PlanStep; records: readonly PlanRecord[] }) {
  const { where, actions } = step
  // The last actions are those of the records, one each.
  const firstRecord = actions.length - records.length
  return (
    <>
      <p class="where">
        <strong>Where:</strong> {where}
      </p>
      <ul class="actions">
        {actions.map((action, index) => (
          <li>
            <TextWithCode text={action} /> <CopyFields record={records[index - firstRecord]} />
          </li>
        ))}
      </ul>
    </>
  )
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

/** With scripts a button that checks in place, otherwise a link to the page with the same check. */
function Check({ step, records }: { step: PlanStep; records: readonly PlanRecord[] }) {
  const { verify, order } = step
  const checks = stepChecks(step, records)
  return (
    <div class="check">
      <p>
        <strong>Check:</strong> <TextWithCode text={verify.text} />{' '}
        {verify.url && (
          <a href={checkPagePath(verify.url)} data-check-link={checks ? '' : undefined}>
            {checks ? 'Check now' : 'Open the check'}
          </a>
        )}
        {checks && (
          <button
            type="button"
            class="copy"
            data-checks={JSON.stringify(checks.checks)}
            data-unchecked={checks.unchecked.join(', ')}
            hidden
          >
            Check now<span class="unseen"> (step {order})</span>
          </button>
        )}
      </p>
      {checks && <p role="status" />}
    </div>
  )
}

/** One explanation for all records of a service. */
function Reasons({ records }: { records: readonly PlanRecord[] }) {
  if (records.length === 0) return null
  const reasons = [...new Set(records.map(({ why }) => why))]
  const replaced = records.flatMap(({ replaces }) => replaces)
  // Mostly the reason says so itself.
  const lookups = records.find(
    ({ lookupCount, why }) => lookupCount !== undefined && !why.includes('Lookups:'),
  )?.lookupCount
  return (
    <details>
      <summary>Why</summary>
      <p>
        {reasons.join(' ')}
        {lookups !== undefined && ` ${lookups} of ${LOOKUP_LIMIT} DNS lookups.`}
      </p>
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
