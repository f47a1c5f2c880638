/** The comparison of evaluators as text: what was compared, and every result where they differ. */
import type { EvaluatedMessage, EvaluatorDifference } from './compare-evaluators.js'

export function summarizeEvaluations(
  evaluated: readonly EvaluatedMessage[],
  differences: ReadonlyMap<string, readonly EvaluatorDifference[]>,
): string {
  const parts = [...differences].map(([name, all]) => {
    const reasons = countEach(all.flatMap(reasonsOf))
    return `${name}: ${all.length} differences (${listCounts(reasons)})`
  })
  return [
    `${evaluated.length} messages (${listCounts(countResults(evaluated))})`,
    `matches (${listCounts(countMatches(evaluated))})`,
    ...parts,
  ].join('; ')
}

/** A difference with several causes counts for each of them. */
function reasonsOf({ deviations }: EvaluatorDifference): string[] {
  return deviations === null ? ['UNEXPLAINED'] : deviations.map(({ id }) => id)
}

export function countResults(evaluated: readonly EvaluatedMessage[]): Map<string, number> {
  return countEach(evaluated.map(({ ours }) => ours.result))
}

/** By the kind of the term that matches; also what leads to it, and whether there is an explanation. */
export function countMatches(evaluated: readonly EvaluatedMessage[]): Map<string, number> {
  return countEach(
    evaluated.flatMap(({ ours: { matched, explanation } }) => {
      if (!matched) return []
      const outer = kindOf(matched.term)
      const inner = kindOf(matched.innerTerm)
      const isRedirected = matched.record !== matched.path[0]
      return [
        inner,
        ...(outer === 'include' ? [outer] : []),
        ...(isRedirected ? ['redirect'] : []),
        ...(explanation === null ? [] : ['explanation']),
      ]
    }),
  )
}

function kindOf(term: string): string {
  return /[a-z\d]+/.exec(term.toLowerCase())?.[0] ?? ''
}

function countEach(keys: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1)
  return counts
}

function listCounts(counts: ReadonlyMap<string, number>): string {
  const sorted = [...counts].sort((one, other) => other[1] - one[1])
  return sorted.map(([key, count]) => `${count} ${key}`).join(', ')
}

/** All details of a difference, for debugging. */
export function describeDifference({
  testZone,
  message,
  ours,
  theirs,
}: EvaluatorDifference): string {
  return [
    `zone ${testZone.seed}, ${JSON.stringify(message)}`,
    `ours: ${JSON.stringify(ours)}`,
    `theirs: ${JSON.stringify(theirs)}`,
    `failing: ${testZone.failing.join(', ')}`,
    ...Object.entries(testZone.zone).map(([owner, rows]) => `${owner} ${JSON.stringify(rows)}`),
  ].join('\n')
}
