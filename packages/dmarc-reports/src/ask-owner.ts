/** Which sources only the owner can judge: forged mail is sent in bursts, from anywhere. */
import type { DomainTotals } from './collect-domains.js'
import { type DayCounts, type SourceTotals, sumOfDays } from './source-totals.js'

/**
 * `authenticates`: SPF or DKIM passes for some domain, so a real service or server sent it.
 * `returns`: it keeps sending, or came back in a later month.
 */
export type Question = 'authenticates' | 'returns'

export const QUESTION_WORDS: Readonly<Record<Question, string>> = {
  authenticates: 'it authenticates as itself',
  returns: 'it keeps coming back',
}

/** A source that sends every quarter still counts. */
const JUDGED_DAYS = 100
/** A single message may be a test or forged. */
const JUDGED_MESSAGES = 2

/** Whether enough of the owner's mail came lately to judge the source by it. */
export function isJudged({ answer, lastSeen }: SourceTotals, end: number): boolean {
  return answer === 'mine' || lastSeen > end - JUDGED_DAYS * 86_400
}

export function hasNeverPassed({ messages, passing }: DayCounts): boolean {
  return passing === 0 && messages >= JUDGED_MESSAGES
}

/** By source; without those that are known, and those that are probably forged. */
export function findQuestions({
  sources,
  end,
}: Pick<DomainTotals, 'sources' | 'end'>): ReadonlyMap<SourceTotals, Question> {
  const all = [...sources.values()]
  const setUp = new Set(all.flatMap((source) => (source.passing > 0 ? placeOf(source) : [])))
  const isLeftover = (source: SourceTotals) =>
    source.origin === 'yours' &&
    source.passing === 0 &&
    isAuthenticated(source) &&
    !setUp.has(placeOf(source)) &&
    !(isJudged(source, end) && hasNeverPassed(sumOfDays(source.recent)))
  return new Map(
    all.flatMap((source) => {
      const question = isLeftover(source) ? 'authenticates' : questionAboutUnknown(source)
      return question === null || source.answer !== null ? [] : [[source, question]]
    }),
  )
}

function placeOf({ identity: { serviceId, name }, at }: SourceTotals): string {
  return `${serviceId ?? name} ${at}`
}

function questionAboutUnknown(source: SourceTotals): Question | null {
  if (source.origin !== 'unknown') return null
  if (isAuthenticated(source)) return 'authenticates'
  // The small sources that are added up did not come back together.
  return source.identity.kind !== 'others' && returns(source) ? 'returns' : null
}

export function isAuthenticated({ spfRaw, dkimRaw }: SourceTotals): boolean {
  return spfRaw > 0 || dkimRaw > 0
}

const REPEATED_DAYS = 3
/** A burst of forged mail is over after a few days. */
const QUIET_DAYS = 7

function returns({ recent, months }: SourceTotals): boolean {
  const days = [...recent.keys()]
  const span = Math.max(...days) - Math.min(...days)
  if (days.length >= REPEATED_DAYS && span >= QUIET_DAYS) return true
  const inOrder = [...months.values()].sort((one, other) => one.first - other.first)
  return inOrder.some(({ first }, index) => {
    const before = inOrder[index - 1]
    return before !== undefined && first - before.last >= QUIET_DAYS
  })
}
