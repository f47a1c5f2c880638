/** The plan in a few sentences, for whoever reads no further. */
import type { FixPlan, PlanRecord } from './fix-plan-report.js'

/** More are counted: the plan itself has them in order. */
const MAX_LISTED = 6

export function summarizePlan(plan: FixPlan): string {
  const { domain, current, projected, records, rollout } = plan
  const today = `${domain} scores ${current.score} of 100 (grade ${current.grade})`
  const changes = records.filter(({ action }) => action !== 'keep')
  if (changes.length + rollout.length === 0) return `${today}, and nothing has to change.`
  const sentences = [
    `${today} today and ${projected.score} (grade ${projected.grade}) once this plan is carried out.`,
    ...(changes.length > 0 ? [changesIn(changes)] : ['No record changes today.']),
    ...(rollout.length > 0 ? [stagesOf(plan)] : []),
    ...gapsIn(changes),
    'The steps say what to do at the DNS host.',
  ]
  return sentences.join(' ')
}

function changesIn(changes: FixPlan['records']): string {
  if (changes.length > MAX_LISTED) return `${changes.length} records change, in their order.`
  return `To do, in this order: ${changes.map(told).join(', ')}.`
}

/** So that nobody takes it for more: other records of the same type may stand at the same name. */
function told({ action, purpose, type, name, value }: PlanRecord): string {
  return action === 'delete'
    ? `delete only ${type} ${name} with the value ${value}`
    : `${action} ${purpose.toUpperCase()} in ${type} ${name}`
}

function stagesOf({ rollout, records }: FixPlan): string {
  const [first] = rollout
  const isThere = records.some(({ action, purpose }) => action === 'keep' && purpose === 'dmarc')
  const standing = isThere ? 'the first is in force, stay in it' : 'stay in the first'
  const way = /\bp=reject\b/.test(first?.record.value ?? '') ? 'is tightened' : 'goes to reject'
  return `DMARC ${way} in ${rollout.length} stages: ${standing} for at least ${first?.minimumDays} days, and skip none.`
}

function gapsIn(changes: FixPlan['records']): string[] {
  const gaps = new Set(
    changes.flatMap(({ placeholders }) => placeholders.map(({ token }) => token)),
  )
  return gaps.size > 0 ? [`Only the owner or a provider can fill in ${[...gaps].join(', ')}.`] : []
}
