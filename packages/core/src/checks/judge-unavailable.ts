/** Why something secondary, which costs no points, could not be looked up. */
import type { Failed } from '@mailgrade/doh/dns'

/** No answer, or more answers than a report reads. */
export type Unavailability = 'no-answer' | 'over-limit'

export function unavailabilityOf(failures: readonly Pick<Failed, 'reason'>[]): Unavailability {
  return failures.some(({ reason }) => reason === 'budget') ? 'over-limit' : 'no-answer'
}
