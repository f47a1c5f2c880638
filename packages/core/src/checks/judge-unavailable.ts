/** A failed lookup of something secondary, which costs no points. */
import type { FindingId } from '../catalog/findings/findings.js'
import { createFinding, type Finding } from './finding.js'
import { formatList } from './format-list.js'

/** `what`: the names, as in "Selectors could not be looked up". */
export function judgeUnavailable(id: FindingId, what: string, names: readonly string[]): Finding[] {
  if (names.length === 0) return []
  return [
    createFinding(id, {
      title: `${what} could not be looked up: ${formatList(names)}`,
      detail:
        'DNS did not answer. What is published there is unknown and does not affect the result.',
      fix: 'Try again in a few minutes. If it still fails, check the name servers of the domain.',
    }),
  ]
}
