/** Sorts the steps of a plan by when to do them, and groups them by service. */
import type { FixPlan, PlanRecord, PlanStep, RolloutStage } from '../fix-plan-report.js'

export interface StepGroup {
  /** The id of the service that all steps are about; null for the domain itself. */
  readonly service: string | null
  /** The name of the service, or what the records are for; null for neither. */
  readonly label: string | null
  /** What must be true before any of the steps; null if it is always right. */
  readonly onlyIf: string | null
  readonly steps: readonly PlanStep[]
  /** Of all steps, in order. */
  readonly records: readonly PlanRecord[]
}

interface PlanSections {
  readonly today: readonly PlanStep[]
  /** Old keys to delete days after the rest, and the reports to read between the stages. */
  readonly later: readonly PlanStep[]
  readonly optional: readonly PlanStep[]
}

export function planSections({ steps }: FixPlan): PlanSections {
  const at = (when: PlanStep['when']) => steps.filter((step) => step.when === when)
  return { today: at('today'), later: at('later'), optional: at('optional') }
}

/** Steps of one service that follow each other share their heading, condition and explanation. */
export function groupSteps(steps: readonly PlanStep[], plan: FixPlan): StepGroup[] {
  const groups: PlanStep[][] = []
  for (const step of steps) {
    const [first] = groups.at(-1) ?? []
    if (first && belongTogether(first, step)) groups.at(-1)?.push(step)
    else groups.push([step])
  }
  return groups.map((group) => {
    const orders = group.flatMap(({ records }) => records)
    const records = plan.records.filter(({ order }) => orders.includes(order))
    const [{ service, onlyIf } = { service: null, onlyIf: null }] = group
    return { service, label: groupLabel(service, records, plan), onlyIf, steps: group, records }
  })
}

function belongTogether(one: PlanStep, next: PlanStep): boolean {
  const isShared = one.service !== null || one.onlyIf !== null
  return isShared && one.service === next.service && one.onlyIf === next.onlyIf
}

function groupLabel(
  service: string | null,
  [first]: readonly PlanRecord[],
  { senders, mailboxProvider }: FixPlan,
): string | null {
  if (service === null) return first ? first.purpose.toUpperCase() : null
  const known = [...senders, ...(mailboxProvider ? [mailboxProvider] : [])]
  return known.find(({ id }) => id === service)?.name ?? null
}

/** `2 records to publish, 1 to delete`; empty without records. */
export function describeRecords(records: readonly PlanRecord[]): string {
  const deleted = records.filter(({ action }) => action === 'delete').length
  const published = records.length - deleted
  const count = (number: number) => `${number} ${number === 1 ? 'record' : 'records'}`
  if (records.length === 0) return ''
  if (deleted === 0) return count(published)
  return published === 0
    ? `${count(deleted)} to delete`
    : `${count(published)} to publish, ${deleted} to delete`
}

/** The step that publishes the first stage; null if it is published already. */
export function firstStageStep(
  { record }: RolloutStage,
  { records, steps }: FixPlan,
): PlanStep | null {
  const change = records.find(
    ({ action, name, type }) => action !== 'delete' && type === 'TXT' && name === record.name,
  )
  return steps.find((step) => change && step.records.includes(change.order)) ?? null
}

const DAY_MS = 86_400_000

/** No stage starts before all earlier ones have had their minimum time. */
export function stageDate(stages: readonly RolloutStage[], index: number, end: string): string {
  const days = stages.slice(index).reduce((sum, { minimumDays }) => sum + minimumDays, 0)
  return new Date(Date.parse(end) - days * DAY_MS).toISOString().slice(0, 10)
}

/** The mailboxes that get the DMARC reports, as the plan leaves them. */
export function reportMailboxes({ rollout, records }: FixPlan): string[] {
  const policy =
    rollout[0]?.record.value ??
    records.find(({ purpose, action }) => purpose === 'dmarc' && action !== 'delete')?.value
  const [, rua = ''] = /;\s*rua=([^;]*)/i.exec(policy ?? '') ?? []
  return rua
    .split(',')
    .map((uri) => uri.trim().replace(/^mailto:/i, ''))
    .filter((address) => address !== '')
}
