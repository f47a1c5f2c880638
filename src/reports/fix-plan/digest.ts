/** The plan in a few sentences, for whoever reads no further. */
import type { FixPlan } from './fix-plan-report.js'

export function digestPlan({ domain, current, projected, records, rollout }: FixPlan): string {
  const changes = records.filter(({ action }) => action !== 'keep')
  const today = `${domain} scores ${current.score} of 100 (grade ${current.grade})`
  if (changes.length === 0) return `${today}, and there is no record to change.`
  const gaps = new Set(
    changes.flatMap(({ placeholders }) => placeholders.map(({ token }) => token)),
  )
  const listed = changes.map(({ action, type, name }) => `${action} ${type} ${name}`)
  const sentences = [
    `${today} today and ${projected.score} (grade ${projected.grade}) once this plan is carried out.`,
    `Records to change, in this order: ${listed.join(', ')}.`,
    rollout.length > 0 && `DMARC then goes to reject in ${rollout.length} stages; do not skip any.`,
    gaps.size > 0 && `Only the owner or a provider can fill in ${[...gaps].join(', ')}.`,
    'The steps say what to do at the DNS host.',
  ]
  return sentences.filter(Boolean).join(' ')
}
