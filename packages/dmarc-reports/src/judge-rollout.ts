/** Whether the reports show that the next stage of the DMARC policy is safe. */
import type { DmarcPolicy } from '@mailgrade/core'
import type { PublishedPolicy } from './aggregate-report.js'
import { type DomainTotals, stageOf } from './collect-domains.js'
import { type Fix, listFixes } from './list-fixes.js'
import type { SourceTotals } from './source-totals.js'
import { type DayCounts, RECENT_DAYS, sumOfDays } from './source-totals.js'

export type CriterionId =
  | 'reporters'
  | 'coverage'
  | 'recent'
  | 'known-sources-pass'
  | 'dkim-aligned'
  | 'no-new-sources'
  | 'unknown-sources'
  | 'time-at-stage'
  | 'forwarding'

export interface Criterion {
  readonly id: CriterionId
  /** Null when the reports are not enough to say. */
  readonly holds: boolean | null
  readonly text: string
  readonly figures: Readonly<Record<string, number>>
}

export interface RolloutVerdict {
  /** Whether `next` is safe; for a domain at `reject`, whether its mail passes well enough for it. */
  readonly status: 'ready' | 'not-ready' | 'unknown'
  /** The published policy; null when the reports give none. */
  readonly current: DmarcPolicy | null
  /** The same as `current` while that applies to a part of the mail. Null at `reject`, and when `current` is unknown. */
  readonly next: 'quarantine' | 'reject' | null
  readonly summary: string
  readonly criteria: readonly Criterion[]
  /** Your own messages, of the last 31 days of each source, that pass or could pass. */
  readonly knownMessages: number
  /** Messages of these days that the next stage would have kept from the inbox. */
  readonly lost: { readonly yours: number; readonly forwarded: number }
  /** Most lost messages first. */
  readonly fixFirst: readonly Fix[]
}

const MIN_REPORTERS = 3
const MAX_GAP_DAYS = 3
const MAX_AGE_DAYS = 14
/** Fewer messages are too small a sample. */
const MIN_KNOWN_MESSAGES = 20
const SOURCE_SHARE = 0.01
const SOURCE_MESSAGES = 20
const SOURCE_PASS_SHARE = 0.98
/** A single message may be a test or forged. */
const NEVER_PASSING_MESSAGES = 2
const DKIM_SHARE = 0.95
const NEW_SOURCE_DAYS = 14
/** A source that sends every quarter is still seen. */
const SOURCE_AGE_DAYS = 100
/** An unknown source that sends again and again may be a system of the owner. */
const REPEATED_DAYS = 3
const REPEATED_SPAN = 7
const STAGE_DAYS = 30
/** RFC 9989 §7.4 advises against reject where people post to mailing lists. */
const FORWARDING_SHARE = 0.01
const DAY = 86_400

interface JudgedSource extends DayCounts {
  readonly totals: SourceTotals
}

interface Known {
  readonly messages: number
  readonly dkimAligned: number
  readonly sources: readonly JudgedSource[]
  readonly lost: RolloutVerdict['lost']
}

export function judgeRollout(totals: DomainTotals, now: Date): RolloutVerdict {
  const known = knownMail(totals)
  const current = totals.policy.p === 'other' ? null : totals.policy.p
  const next = nextStage(stageOf(totals.policy))
  const criteria = [
    judgeReporters(totals),
    judgeCoverage(totals),
    judgeAge(totals, now),
    ...judgeKnownMail(known, totals),
    ...(next === null ? [] : [judgeUnknownSources(totals)]),
    ...(next === 'reject' ? [judgeTimeAtStage(totals), judgeForwarding(known)] : []),
  ]
  const status = current === null ? 'unknown' : statusOf(criteria)
  return {
    status,
    current,
    next,
    summary: summarize({ status, next, criteria, lost: known.lost }, totals.policy),
    criteria,
    knownMessages: known.messages,
    lost: known.lost,
    fixFirst: listFixes(
      known.sources.map((source) => source.totals),
      totals.policy,
    ),
  }
}

function nextStage(stage: DmarcPolicy | null): RolloutVerdict['next'] {
  if (stage === 'none') return 'quarantine'
  return stage === 'quarantine' ? 'reject' : null
}

const EVIDENCE: readonly CriterionId[] = ['reporters', 'coverage', 'recent']

/** A failure that was seen counts even if there is too little evidence otherwise. */
function statusOf(criteria: readonly Criterion[]): RolloutVerdict['status'] {
  if (criteria.some(({ id, holds }) => !EVIDENCE.includes(id) && holds === false))
    return 'not-ready'
  return criteria.every(({ holds }) => holds === true) ? 'ready' : 'unknown'
}

/** Forwarded mail that passes has the owner's signature, so it is known, too. */
function knownMail({ sources, end }: DomainTotals): Known {
  const all = [...sources.values()]
    .filter(({ lastSeen }) => lastSeen > end - SOURCE_AGE_DAYS * DAY)
    .map((source) => ({ ...sumOfDays(source.recent), totals: source }))
  const yours = all.filter(({ totals: { origin } }) => origin === 'yours')
  const forwarded = all.filter(({ totals: { origin } }) => origin === 'forwarded')
  const sum = (list: readonly JudgedSource[], of: (source: JudgedSource) => number) =>
    list.reduce((total, source) => total + of(source), 0)
  return {
    messages: sum(yours, ({ messages }) => messages) + sum(forwarded, ({ passing }) => passing),
    dkimAligned: sum([...yours, ...forwarded], ({ dkimAligned }) => dkimAligned),
    sources: yours,
    lost: {
      yours: sum(yours, ({ messages, passing }) => messages - passing),
      forwarded: sum(forwarded, ({ messages, passing }) => messages - passing),
    },
  }
}

function judgeReporters({ reporters, end: latest }: DomainTotals): Criterion {
  const count = [...reporters.values()].filter(({ end }) => end > latest - RECENT_DAYS * DAY).length
  return {
    id: 'reporters',
    holds: count >= MIN_REPORTERS,
    text: `Organizations that sent reports in the last ${RECENT_DAYS} days: ${count} (you need at least ${MIN_REPORTERS})`,
    figures: { reporters: count, required: MIN_REPORTERS },
  }
}

function judgeCoverage({ days, messages }: DomainTotals): Criterion {
  const covered = recentCoverage([...days.keys()])
  return {
    id: 'coverage',
    holds: covered >= RECENT_DAYS,
    text: `Days covered without a gap of more than ${MAX_GAP_DAYS} days: ${covered} (you need at least ${RECENT_DAYS})`,
    figures: { days: covered, required: RECENT_DAYS, messages },
  }
}

function judgeAge({ end }: DomainTotals, now: Date): Criterion {
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

function judgeKnownMail(known: Known, { end }: DomainTotals): Criterion[] {
  const isEnough = known.messages >= MIN_KNOWN_MESSAGES
  const weak = known.sources.filter((source) => isRelevant(source, known) && !isPassing(source))
  const dkimShare = known.messages === 0 ? 0 : known.dkimAligned / known.messages
  const fresh = known.sources.filter((source) => isNewAndFailing(source, end))
  const [pass, their] = weak.length === 1 ? ['passes', 'its'] : ['pass', 'their']
  return [
    {
      id: 'known-sources-pass',
      holds: isEnough ? weak.length === 0 : null,
      text: isEnough
        ? `${weak.length} of your sources ${pass} DMARC for less than ${percent(SOURCE_PASS_SHARE)} of ${their} messages${listNames(weak)}`
        : `Only ${known.messages} messages are clearly yours; you need at least ${MIN_KNOWN_MESSAGES}`,
      figures: { sources: known.sources.length, failing: weak.length, messages: known.messages },
    },
    {
      id: 'dkim-aligned',
      holds: isEnough ? known.dkimAligned >= known.messages * DKIM_SHARE : null,
      text: `Your messages that pass DKIM for your own domain, which survives forwarding: ${percent(dkimShare)} (you need at least ${percent(DKIM_SHARE)})`,
      figures: { aligned: known.dkimAligned, messages: known.messages },
    },
    {
      id: 'no-new-sources',
      holds: isEnough ? fresh.length === 0 : null,
      text: `${fresh.length} ${fresh.length === 1 ? 'service' : 'services'} that started sending in the last ${NEW_SOURCE_DAYS} days ${fresh.length === 1 ? 'has' : 'have'} mail that fails DMARC${listNames(fresh)}`,
      figures: { sources: fresh.length, days: NEW_SOURCE_DAYS },
    },
  ]
}

const MAX_NAMES = 5

function listNames(sources: readonly JudgedSource[]): string {
  if (sources.length === 0) return ''
  const names = sources.slice(0, MAX_NAMES).map(({ totals }) => totals.identity.name)
  const others = sources.length - names.length
  return `: ${names.join(', ')}${others > 0 ? ` and ${others} more` : ''}`
}

function isRelevant({ messages, passing }: JudgedSource, known: Known): boolean {
  return (
    messages >= SOURCE_MESSAGES ||
    messages >= known.messages * SOURCE_SHARE ||
    (passing === 0 && messages >= NEVER_PASSING_MESSAGES)
  )
}

function isPassing({ passing, messages }: JudgedSource): boolean {
  return passing >= messages * SOURCE_PASS_SHARE
}

function isNewAndFailing({ passing, messages, totals }: JudgedSource, end: number): boolean {
  const isNew = totals.firstSeen > end - NEW_SOURCE_DAYS * DAY
  return isNew && passing < messages && totals.identity.kind === 'service'
}

/** Forged mail comes and goes; a system that no one thought of sends from the same place. */
function judgeUnknownSources({ sources, end }: DomainTotals): Criterion {
  const repeated = [...sources.values()]
    .filter((source) => isRepeated(source) && source.lastSeen > end - SOURCE_AGE_DAYS * DAY)
    .map((source) => ({ ...sumOfDays(source.recent), totals: source }))
    .sort((one, other) => other.messages - one.messages)
  const one = repeated.length === 1
  return {
    id: 'unknown-sources',
    holds: repeated.length === 0 ? true : null,
    text:
      repeated.length === 0
        ? 'No unknown source keeps sending as you'
        : `${repeated.length} unknown ${one ? 'source keeps' : 'sources keep'} sending as you${listNames(repeated)}. If ${one ? 'it isn’t' : 'none of them are'} yours, add --not-mine unknown`,
    figures: { sources: repeated.length },
  }
}

function isRepeated({ origin, identity, isNotMine, recent }: SourceTotals): boolean {
  if (origin !== 'unknown' || identity.kind === 'others' || isNotMine) return false
  const days = [...recent.keys()]
  return days.length >= REPEATED_DAYS && Math.max(...days) - Math.min(...days) >= REPEATED_SPAN
}

/** Quarantine shows what reject would lose, and no one has to send it again. */
function judgeTimeAtStage({ days }: DomainTotals): Criterion {
  const sorted = [...days].sort(([one], [other]) => other - one)
  const change = sorted.findIndex(([, { stage }]) => stage === null || stage === 'none')
  const atStage = change === -1 ? sorted : sorted.slice(0, change)
  const latest = atStage[0]?.[0] ?? 0
  const first = atStage.at(-1)?.[0] ?? latest + 1
  const length = latest - first + 1
  // Without an earlier policy in the reports, the stage may have begun before them.
  const holds = length >= STAGE_DAYS ? true : change === -1 ? null : false
  return {
    id: 'time-at-stage',
    holds,
    text: `Days at p=quarantine for all mail: ${length} (you need at least ${STAGE_DAYS})`,
    figures: { days: length, required: STAGE_DAYS },
  }
}

function judgeForwarding({ messages, lost }: Known): Criterion {
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

type Judged = Pick<RolloutVerdict, 'status' | 'next' | 'criteria' | 'lost'>

function summarize(judged: Judged, policy: PublishedPolicy): string {
  if (policy.p === null || policy.p === 'other')
    return 'Unknown: the reports don’t include a valid policy.'
  const { status, next, criteria } = judged
  const reasons = describeOpen(criteria)
  if (next === null) return `${summarizeReject(judged, reasons)}${describeSubdomains(policy)}`
  const isPartial = next === policy.p
  const stage = isPartial ? `p=${next} for all mail` : `p=${next}`
  const remove = isPartial ? ` Remove ${describeLimits(policy).join(' and ')}.` : ''
  switch (status) {
    case 'ready':
      return `Ready for ${stage}: all conditions are met.${remove}`
    case 'not-ready':
      return `Not ready for ${stage}: ${reasons} met.`
    case 'unknown':
      return summarizeUnknown(criteria, stage)
  }
}

function describeOpen(criteria: readonly Criterion[]): string {
  const open = criteria.filter(({ holds }) => holds !== true).length
  return open === 1 ? '1 condition isn’t' : `${open} conditions aren’t`
}

function summarizeUnknown(criteria: readonly Criterion[], stage: string): string {
  const open = criteria.filter(({ holds }) => holds !== true)
  const [first] = open
  if (open.length === 1 && first?.id === 'unknown-sources') {
    const count = first.figures.sources ?? 0
    return count === 1
      ? `Check 1 source before you move to ${stage}. It keeps sending as you, and it may be yours.`
      : `Check ${count} sources before you move to ${stage}. They keep sending as you, and they may be yours.`
  }
  const isOld = open.some(({ id }) => id === 'recent')
  return isOld
    ? `Unknown: the reports are too old for us to recommend ${stage}.`
    : `Unknown: there are too few reports for us to recommend ${stage}.`
}

function summarizeReject({ status, lost }: Judged, reasons: string): string {
  const effect =
    lost.yours > 0
      ? 'Some of your mail is being lost.'
      : 'None of the messages that are clearly yours are being lost.'
  return {
    ready: 'p=reject is in place, and your mail passes.',
    'not-ready': `p=reject is in place, but ${reasons} met. ${effect}`,
    unknown: 'p=reject is in place. There are too few reports to know whether you’re losing mail.',
  }[status]
}

/** The tags that keep a policy from applying to all mail. */
export function describeLimits({ pct, testing }: PublishedPolicy): string[] {
  return [(pct ?? 100) < 100 ? `pct=${pct}` : '', testing === true ? 't=y' : ''].filter(
    (tag) => tag !== '',
  )
}

function describeSubdomains({ sp }: PublishedPolicy): string {
  return sp === 'none'
    ? ' Subdomains have sp=none, so forged mail from them can reach the inbox.'
    : ''
}

function percent(share: number): string {
  // Never round up to a threshold that is not reached.
  return `${Math.floor(share * 1000) / 10}%`
}
