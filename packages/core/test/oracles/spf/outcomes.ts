/** What kinds of records were compared, so that the comparison cannot become trivial unnoticed. */
import { isComparable, type SpfComparison } from './compare-with-pyspf.js'
import { IP_FAMILIES } from './our-spf-result.js'

/** How many records of each kind there are; a record may be of several. */
export function countOutcomes(compared: readonly SpfComparison[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const outcome of compared.flatMap(outcomesOf)) {
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
  }
  return counts
}

function outcomesOf(compared: SpfComparison): string[] {
  const { ours } = compared
  const { ipv4, ipv6 } = ours.verdicts
  const isWhole = IP_FAMILIES.every((family) => isComparable(compared, family))
  const outcomes = isWhole ? [] : ['ended early for the judge']
  const [cause, ...others] = ours.causes
  // Of those with one cause only, so that no cause can hide behind another.
  if (cause) return [...outcomes, others.length === 0 ? `only ${cause}` : 'several causes']
  if (ipv4 === 'none') return [...outcomes, 'no record']
  if (ours.lookups === 10) outcomes.push('at the limit of lookups')
  if (IP_FAMILIES.some((family) => ours.voidLookups[family] === 2))
    outcomes.push('at the limit of voids')
  if (ipv4 !== ipv6) outcomes.push('only voids, for one family')
  else outcomes.push(ipv4 === 'ok' ? 'no error' : 'only voids')
  return outcomes
}
