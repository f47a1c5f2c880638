/** The plan in a few sentences, for whoever reads no further. */
import type { FixPlan } from './fix-plan-report.js'

export function digestPlan({ domain, current, projected, records, rollout }: FixPlan): string {
  const changes = records.filter(({ action }) => action !== 'keep')
  const gaps = new Set(
    changes.flatMap(({ placeholders }) => placeholders.map(({ token }) => token)),
  )
  const sentences = [
    `${domain} scores ${current.score} of 100 (grade ${current.grade}) today and ${projected.score} (grade ${projected.grade}) once this plan is carried out.`,
    changes.length === 0
      ? 'There is no record to change.'
      : `Records to change, in this order: ${changes.map(({ action, type, name }) => `${action} ${type} ${name}`).join(', ')}.`,
    ...(rollout.length === 0
      ? []
      : [`DMARC then goes to reject in ${rollout.length} stages; do not skip any.`]),
    ...(gaps.size === 0
      ? []
      : [`Only the owner or a provider can fill in ${[...gaps].join(', ')}.`]),
    'The steps say what to do at the DNS host.',
  ]
  return sentences.join(' ')
}
