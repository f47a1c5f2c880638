/** What the reports show for and against a stage, one criterion at a time. */
import {
  findQuestions,
  hasNeverPassed,
  isJudged,
  QUESTION_WORDS,
  type Question,
} from './ask-owner.js'
import type { DayTotals, DomainTotals } from './collect-domains.js'
import {
  addCounts,
  type DayCounts,
  RECENT_DAYS,
  type SourceTotals,
  sumOfDays,
} from './source-totals.js'

export type CriterionId =
  | 'reporters'
  | 'coverage'
  | 'recent'
  | 'known-sources-pass'
  | 'dkim-aligned'
  | 'no-new-sources'
  | 'unknown-sources'
  | 'none-fails'
  | 'time-at-stage'
  | 'time-at-quarantine'
  | 'forwarding'

export interface Criterion {
  readonly id: CriterionId
  /** Null when the reports are not enough to say. */
  readonly holds: boolean | null
  readonly text: string
  readonly figures: Readonly<Record<string, number>>
}

const MIN_REPORTERS = 3
const MAX_GAP_DAYS = 3
const MAX_AGE_DAYS = 14
/** Fewer messages are too small a sample. */
export const MIN_KNOWN_MESSAGES = 20
const SOURCE_SHARE = 0.01
const SOURCE_MESSAGES = 20
const SOURCE_PASS_SHARE = 0.98
const DKIM_SHARE = 0.95
const NEW_SOURCE_DAYS = 14
/** RFC 9989 §7.4. */
const QUARANTINE_DAYS = 30
/** RFC 9989 §7.4 advises against reject where people post to mailing lists. */
const FORWARDING_SHARE = 0.01
const DAY = 86_400

interface JudgedSource extends DayCounts {
  readonly totals: SourceTotals
}

export interface KnownMail {
  /** With fewer messages, nothing is known. */
  readonly required: number
  readonly messages: number
  readonly dkimAligned: number
  readonly sources: readonly JudgedSource[]
  readonly lost: { readonly yours: number; readonly forwarded: number }
}

/** Forwarded mail that passes has the owner's signature, so it is known, too. */
export function findKnownMail({ sources, end }: DomainTotals, required: number): KnownMail {
  const all = [...sources.values()]
    .filter((source) => isJudged(source, end))
    .map((source) => ({ ...sumOfDays(source.recent), totals: source }))
  const yours = all.filter(({ totals: { origin } }) => origin === 'yours')
  const forwarded = all.filter(({ totals: { origin } }) => origin === 'forwarded')
  const sum = (list: readonly JudgedSource[], of: (source: JudgedSource) => number) =>
    list.reduce((total, source) => total + of(source), 0)
  return {
    required,
    messages: sum(yours, ({ messages }) => messages) + sum(forwarded, ({ passing }) => passing),
    dkimAligned: sum([...yours, ...forwarded], ({ dkimAligned }) => dkimAligned),
    sources: yours,
    lost: {
      yours: sum(yours, ({ messages, passing }) => messages - passing),
      forwarded: sum(forwarded, ({ messages, passing }) => messages - passing),
    },
  }
}

export function judgeReporters({ reporters, end: latest }: DomainTotals): Criterion {
  const count = [...reporters.values()].filter(({ end }) => end > latest - RECENT_DAYS * DAY).length
  return {
    id: 'reporters',
    holds: count >= MIN_REPORTERS,
    text: `Organizations that sent reports in the last ${RECENT_DAYS} days: ${count} (you need at least ${MIN_REPORTERS})`,
    figures: { reporters: count, required: MIN_REPORTERS },
  }
}

export function judgeCoverage({ days, messages }: DomainTotals): Criterion {
  const covered = recentCoverage([...days.keys()])
  return {
    id: 'coverage',
    holds: covered >= RECENT_DAYS,
    text: `Days covered without a gap of more than ${MAX_GAP_DAYS} days: ${covered} (you need at least ${RECENT_DAYS})`,
    figures: { days: covered, required: RECENT_DAYS, messages },
  }
}

export function judgeAge({ end }: DomainTotals, now: Date): Criterion {
  // A report from the future is as wrong as an old one.
  const age = Math.floor(Math.abs(now.getTime() / 1000 - end) / DAY)
  const date = new Date(end * 1000).toISOString().slice(0, 10)
  return {
    id: 'recent',
    holds: age <= MAX_AGE_DAYS,
    text: `The latest report ends on ${date}; it can’t be more than ${MAX_AGE_DAYS} days old`,
    figures: { days: age, allowed: MAX_AGE_DAYS },
  }
}

/** The days up to the latest report, back to the last long gap. */
function recentCoverage(days: readonly number[]): number {
  const latestFirst = [...days].sort((one, other) => other - one)
  const [latest] = latestFirst
  if (latest === undefined) return 0
  let first = latest
  for (const day of latestFirst) {
    if (first - day - 1 > MAX_GAP_DAYS) break
    first = day
  }
  return latest - first + 1
}

export function judgeKnownMail(known: KnownMail, { end, policy }: DomainTotals): Criterion[] {
  const isEnough = known.messages >= known.required
  const weak = known.sources.filter((source) => isRelevant(source, known) && !isPassing(source))
  const unsigned = known.sources.filter(
    (source) => isRelevant(source, known) && isPassing(source) && !isSigned(source),
  )
  const dkimShare = known.messages === 0 ? Number(isEnough) : known.dkimAligned / known.messages
  const fresh = known.sources.filter((source) => isNewAndFailing(source, end))
  const [pass, their] = weak.length === 1 ? ['passes', 'its'] : ['pass', 'their']
  return [
    {
      id: 'known-sources-pass',
      holds: isEnough ? weak.length === 0 : null,
      text: isEnough
        ? `${weak.length} of your sources ${pass} DMARC for less than ${percent(SOURCE_PASS_SHARE)} of ${their} messages${listNames(namesOf(weak, policy.domain))}`
        : `Only ${known.messages} messages are clearly yours; you need at least ${known.required}`,
      figures: { sources: known.sources.length, failing: weak.length, messages: known.messages },
    },
    {
      id: 'dkim-aligned',
      holds: isEnough ? isSigned(known) && unsigned.length === 0 : null,
      text: `Your messages that pass DKIM for your own domain, which survives forwarding: ${percent(dkimShare)} (you need at least ${percent(DKIM_SHARE)}${unsigned.length > 0 ? `, from each source${listNames(namesOf(unsigned, policy.domain))}` : ''})`,
      figures: {
        aligned: known.dkimAligned,
        messages: known.messages,
        unsigned: unsigned.length,
      },
    },
    {
      id: 'no-new-sources',
      holds: isEnough ? fresh.length === 0 : null,
      text: `${fresh.length} ${fresh.length === 1 ? 'service' : 'services'} that started sending in the last ${NEW_SOURCE_DAYS} days ${fresh.length === 1 ? 'has' : 'have'} mail that fails DMARC${listNames(namesOf(fresh, policy.domain))}`,
      figures: { sources: fresh.length, days: NEW_SOURCE_DAYS },
    },
  ]
}

const MAX_NAMES = 5

function listNames(all: readonly string[]): string {
  if (all.length === 0) return ''
  const others = all.length - MAX_NAMES
  return `: ${all.slice(0, MAX_NAMES).join(', ')}${others > 0 ? ` and ${others} more` : ''}`
}

function namesOf(sources: readonly JudgedSource[], domain: string): string[] {
  return sources.map(({ totals }) => nameSource(totals.identity.name, totals.at, domain))
}

/** With the name in From, where that is below the domain. */
export function nameSource(name: string, at: string, domain: string): string {
  return at === domain || at === name ? name : `${name} (${at})`
}

function isRelevant(source: JudgedSource, known: KnownMail): boolean {
  const { messages, totals } = source
  return (
    messages >= SOURCE_MESSAGES ||
    messages >= known.messages * SOURCE_SHARE ||
    totals.answer === 'mine' ||
    hasNeverPassed(source)
  )
}

function isPassing({ passing, messages }: JudgedSource): boolean {
  return passing >= messages * SOURCE_PASS_SHARE
}

/** A small source that never signs would not show in the share of all mail. */
function isSigned({ dkimAligned, messages }: Pick<DayCounts, 'dkimAligned' | 'messages'>): boolean {
  return dkimAligned >= messages * DKIM_SHARE
}

function isNewAndFailing({ passing, messages, totals }: JudgedSource, end: number): boolean {
  const isNew = totals.firstSeen > end - NEW_SOURCE_DAYS * DAY
  return isNew && passing < messages && totals.identity.kind === 'service'
}

/** Over all reports: payroll goes out once a month, and some invoices once a year. */
export function judgeUnknownSources(totals: DomainTotals): Criterion {
  const { sources, days, domain } = totals
  const unknown = [...sources.values()].filter(
    ({ origin, answer }) => origin === 'unknown' && !answer,
  )
  const questions = findQuestions(totals)
  const asked = [...questions]
    .map(([source, question]) => ({ source, question }))
    .sort((one, other) => other.source.messages - one.source.messages)
  const messages = countMessages(asked.map(({ source }) => source))
  const forged = countMessages(unknown.filter((source) => !questions.has(source)))
  return {
    id: 'unknown-sources',
    holds: asked.length === 0 ? true : null,
    text: asked.length > 0 ? describeAsked(asked, domain) : describeForged(forged, days.size),
    figures: { sources: asked.length, messages, forged },
  }
}

function countMessages(sources: readonly SourceTotals[]): number {
  return sources.reduce((sum, { messages }) => addCounts(sum, messages), 0)
}

interface Asked {
  readonly source: SourceTotals
  readonly question: Question
}

function describeAsked(asked: readonly Asked[], domain: string): string {
  const names = asked.map(
    ({ source, question }) =>
      `${nameSource(source.identity.name, source.at, domain)} (${QUESTION_WORDS[question]})`,
  )
  return asked.length === 1
    ? `1 source may be yours${listNames(names)}. Add --mine <source> if it’s yours, or --not-mine <source> if it isn’t`
    : `${asked.length} sources may be yours${listNames(names)}. Add --mine <source> for each that’s yours, and --not-mine <source> for each that isn’t; --not-mine unknown answers for the rest`
}

/** Reports of two months show a monthly run twice. */
const TWO_MONTHS = 62

function describeForged(forged: number, days: number): string {
  if (forged === 0) return 'No unknown source that may be yours sends as you'
  const start = `No unknown source authenticates as itself or comes back, so we take ${forged.toLocaleString('en-US')} ${forged === 1 ? 'message' : 'messages'} for forged`
  return days >= TWO_MONTHS
    ? start
    : `${start}. A system that sends once a month comes back only in reports of more than two months; yours cover ${days} ${days === 1 ? 'day' : 'days'}`
}

/** What a test stage shows: the mail that the policy would have stopped. */
export function judgeFailures(
  { sources }: KnownMail,
  { days, domain }: DomainTotals,
  within: number,
): Criterion {
  const since = Math.max(...days.keys()) - within
  const recent = sources.map(({ totals }) => ({
    totals,
    ...sumOfDays(new Map([...totals.recent].filter(([day]) => day > since))),
  }))
  const failing = recent.filter((source) => !isPassing(source))
  const failures = failing.reduce((sum, { messages, passing }) => sum + messages - passing, 0)
  return {
    id: 'none-fails',
    holds: failing.length === 0,
    text: `Messages of your sources that failed DMARC in the last ${within} days: ${failures}${listNames(namesOf(failing, domain))}`,
    figures: { failures, days: within },
  }
}

/** Where the days of one rollout are on the ladder. */
export interface StageLevels {
  readonly of: (day: DayTotals) => number | null
  readonly current: number | null
  /** The first at which all mail that fails is quarantined. */
  readonly quarantine: number
}

export function judgeTimeAtStage(
  totals: DomainTotals,
  levels: StageLevels,
  minimumDays: number,
): Criterion {
  const { length, holds } = timeAtLevel(totals, levels, levels.current ?? 0, minimumDays)
  return {
    id: 'time-at-stage',
    holds,
    text: `Days at the current stage: ${length} (you need at least ${minimumDays})`,
    figures: { days: length, required: minimumDays },
  }
}

/** Quarantine shows what reject would lose, and no one has to send it again. */
export function judgeTimeAtQuarantine(totals: DomainTotals, levels: StageLevels): Criterion {
  const { length, holds } = timeAtLevel(totals, levels, levels.quarantine, QUARANTINE_DAYS)
  return {
    id: 'time-at-quarantine',
    holds,
    text: `Days at p=quarantine for all mail: ${length} (you need at least ${QUARANTINE_DAYS})`,
    figures: { days: length, required: QUARANTINE_DAYS },
  }
}

function timeAtLevel({ days }: DomainTotals, levels: StageLevels, level: number, required: number) {
  const sorted = [...days].sort(([one], [other]) => other - one)
  const change = sorted.findIndex((day) => (levels.of(day[1]) ?? -1) < level)
  const since = change === -1 ? sorted : sorted.slice(0, change)
  const latest = since[0]?.[0] ?? 0
  const first = since.at(-1)?.[0] ?? latest + 1
  const length = latest - first + 1
  // Without an earlier policy in the reports, the stage may have begun before them.
  return { length, holds: length >= required ? true : change === -1 ? null : false }
}

export function judgeForwarding({ messages, lost }: KnownMail): Criterion {
  const all = messages + lost.forwarded
  const share = all === 0 ? 0 : lost.forwarded / all
  return {
    id: 'forwarding',
    holds: share <= FORWARDING_SHARE,
    // Rounded up, so a share above the limit never looks like the limit.
    text: `${Math.ceil(share * 1000) / 10}% of your messages fail at mailing lists and forwarders; above ${percent(FORWARDING_SHARE)}, stay at p=quarantine`,
    figures: { lost: lost.forwarded, messages: all },
  }
}

function percent(share: number): string {
  // Never round up to a threshold that is not reached.
  return `${Math.floor(share * 1000) / 10}%`
}
