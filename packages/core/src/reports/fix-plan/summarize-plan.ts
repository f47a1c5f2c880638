/** Summarizes a plan in a few sentences. */
import type { FixPlan, PlanRecord } from './fix-plan-report.js'

/** Longer lists are only counted. */
const MAX_LISTED = 6

export function summarizePlan(plan: FixPlan): string {
  const { domain, current, projected, records, rollout } = plan
  const scored = `${domain} scores ${current.score} of 100 (grade ${current.grade})`
  const changes = records.filter(({ action }) => action !== 'keep')
  if (changes.length + rollout.length === 0) return `${scored}. Nothing has to change.`
  const sentences = [
    `${scored} today, and ${projected.score} (grade ${projected.grade}) with this plan.`,
    ...(changes.length > 0 ? [describeChanges(changes)] : ['No record changes today.']),
    ...(rollout.length > 0 ? [describeRollout(plan)] : []),
    ...describePlaceholders(changes),
    'The steps show what to do at the DNS host.',
  ]
  return sentences.join(' ')
}

function describeChanges(changes: FixPlan['records']): string {
  if (changes.length > MAX_LISTED) return `Publish the ${changes.length} changed records in order.`
  return `To do, in this order: ${changes.map(describeChange).join(', ')}.`
}

/** Names the value to delete: other records of the type may exist at the name. */
function describeChange({ action, purpose, type, name, value }: PlanRecord): string {
  return action === 'delete'
    ? `delete only ${type} ${name} with the value ${value}`
    : `${action} ${purpose.toUpperCase()} in ${type} ${name}`
}

function describeRollout({ rollout, records }: FixPlan): string {
  const [first] = rollout
  const isCurrent = records.some(({ action, purpose }) => action === 'keep' && purpose === 'dmarc')
  const stay = isCurrent ? 'the first is in effect, stay in it' : 'stay in the first'
  const change = /\bp=reject\b/.test(first?.record.value ?? '') ? 'is tightened' : 'moves to reject'
  return `DMARC ${change} in ${rollout.length} stages: ${stay} for at least ${first?.minimumDays} days, and skip none.`
}

function describePlaceholders(changes: FixPlan['records']): string[] {
  const tokens = new Set(
    changes.flatMap(({ placeholders }) => placeholders.map(({ token }) => token)),
  )
  return tokens.size > 0
    ? [`Only the owner or a provider can fill in ${[...tokens].join(', ')}.`]
    : []
}
