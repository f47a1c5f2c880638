/** A failed lookup of something secondary, which costs no points. */
import type { Failed } from '@mailgrade/doh/dns'
import type { FindingId } from '../catalog/findings/findings.js'
import { createFinding, type Finding } from './finding.js'
import { formatList } from './format-list.js'

/** Why queries failed: no answer, or more answers than a report reads. */
export type Unavailability = 'no-answer' | 'over-limit'

export const UNAVAILABLE_BECAUSE: Readonly<Record<Unavailability, string>> = {
  'no-answer': 'DNS did not answer',
  'over-limit': 'DNS returned more data than one report reads',
}

export const OVER_LIMIT_FIX =
  'Remove records that are not needed, such as a long TXT record at a wildcard.'

export function unavailabilityOf(failures: readonly Pick<Failed, 'reason'>[]): Unavailability {
  return failures.some(({ reason }) => reason === 'budget') ? 'over-limit' : 'no-answer'
}

/** `what`: the names, as in "Selectors could not be looked up". */
export function judgeUnavailable(
  id: FindingId,
  what: string,
  names: readonly string[],
  why: Unavailability,
): Finding[] {
  if (names.length === 0) return []
  return [
    createFinding(id, {
      title: `${what} could not be looked up: ${formatList(names)}`,
      detail: `${UNAVAILABLE_BECAUSE[why]}. What is published there is unknown and does not affect the result.`,
      fix:
        why === 'over-limit'
          ? OVER_LIMIT_FIX
          : 'Try again in a few minutes. If it still fails, check the name servers of the domain.',
    }),
  ]
}
