/** Whether the reports show that the next stage of the DMARC policy is safe. */
import type { DmarcPolicy } from '@mailgrade/core'
import type { DomainTotals } from './collect-domains.js'
import { type Fix, listFixes } from './list-fixes.js'
import type { SourceTotals } from './source-totals.js'

export type CriterionId =
  | 'reporters'
  | 'coverage'
  | 'known-sources-pass'
  | 'dkim-aligned'
  | 'no-new-sources'
  | 'time-at-stage'

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
  /** Null at `reject`, and when `current` is unknown. */
  readonly next: 'quarantine' | 'reject' | null
  readonly summary: string
  readonly criteria: readonly Criterion[]
  /** Your own messages that pass or could pass once the service is set up. */
  readonly knownMessages: number
  /** Messages of the period that the next stage would have kept from the inbox. */
  readonly lost: { readonly yours: number; readonly forwarded: number }
  /** Most lost messages first. */
  readonly fixFirst: readonly Fix[]
}

const MIN_REPORTERS = 3
const LONG_COVERAGE = 28
const SHORT_COVERAGE = 14
const SHORT_COVERAGE_MESSAGES = 1_000
const MAX_GAP_DAYS = 3
/** Fewer messages are too small a sample. */
const MIN_KNOWN_MESSAGES = 20
const SOURCE_SHARE = 0.01
const SOURCE_MESSAGES = 20
const SOURCE_PASS_SHARE = 0.98
const DKIM_SHARE = 0.95
const NEW_SOURCE_DAYS = 14
const STAGE_DAYS = 14
const STAGE_DAYS_WITH_LISTS = 30
const LIST_SHARE = 0.01
const DAY = 86_400

interface Known {
  readonly messages: number
  readonly dkimAligned: number
  readonly sources: readonly SourceTotals[]
  readonly lost: RolloutVerdict['lost']
}

export function judgeRollout(totals: DomainTotals): RolloutVerdict {
  const known = knownMail(totals)
  const current = totals.policy.p === 'other' ? null : totals.policy.p
  const next = nextStage(current)
  const criteria = [
    judgeReporters(totals),
    judgeCoverage(totals),
    ...judgeKnownMail(known, totals),
    ...(current === 'quarantine' ? [judgeTimeAtStage(totals, known)] : []),
  ]
  const status = current === null ? 'unknown' : statusOf(criteria)
  return {
    status,
    current,
    next,
    summary: summarize(status, current, criteria),
    criteria,
    knownMessages: known.messages,
    lost: known.lost,
    fixFirst: listFixes(known.sources, totals.policy),
  }
}

function nextStage(current: DmarcPolicy | null): RolloutVerdict['next'] {
  if (current === 'none') return 'quarantine'
  return current === 'quarantine' ? 'reject' : null
}

/** A failure that was seen counts even if there is too little evidence otherwise. */
function statusOf(criteria: readonly Criterion[]): RolloutVerdict['status'] {
  const isEvidence = ({ id }: Criterion) => id === 'reporters' || id === 'coverage'
  if (criteria.some((each) => !isEvidence(each) && each.holds === false)) return 'not-ready'
  return criteria.every(({ holds }) => holds === true) ? 'ready' : 'unknown'
}

/** Forwarded mail that passes has the owner's signature, so it is known, too. */
function knownMail({ sources }: DomainTotals): Known {
  const all = [...sources.values()]
  const yours = all.filter(({ origin }) => origin === 'yours')
  const forwarded = all.filter(({ origin }) => origin === 'forwarded')
  const sum = (list: readonly SourceTotals[], of: (source: SourceTotals) => number) =>
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

function judgeReporters({ reporters }: DomainTotals): Criterion {
  return {
    id: 'reporters',
    holds: reporters.size >= MIN_REPORTERS,
    text: `Organizations that sent reports: ${reporters.size} (at least ${MIN_REPORTERS} are needed)`,
    figures: { reporters: reporters.size, required: MIN_REPORTERS },
  }
}

function judgeCoverage({ days, messages }: DomainTotals): Criterion {
  const covered = recentCoverage([...days.keys()])
  const isEnough =
    covered >= LONG_COVERAGE || (covered >= SHORT_COVERAGE && messages >= SHORT_COVERAGE_MESSAGES)
  const required = messages >= SHORT_COVERAGE_MESSAGES ? SHORT_COVERAGE : LONG_COVERAGE
  return {
    id: 'coverage',
    holds: isEnough,
    text: `Days covered without a gap of more than ${MAX_GAP_DAYS} days: ${covered} (at least ${required} are needed)`,
    figures: { days: covered, required, messages },
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
  return [
    {
      id: 'known-sources-pass',
      holds: isEnough ? weak.length === 0 : null,
      text: isEnough
        ? `Your sources that pass for less than ${percent(SOURCE_PASS_SHARE)} of their messages: ${weak.length}`
        : `Messages known to be yours: ${known.messages} (at least ${MIN_KNOWN_MESSAGES} are needed)`,
      figures: { sources: known.sources.length, failing: weak.length, messages: known.messages },
    },
    {
      id: 'dkim-aligned',
      holds: isEnough ? known.dkimAligned >= known.messages * DKIM_SHARE : null,
      text: `Your messages that pass with aligned DKIM, which survives forwarding: ${percent(dkimShare)} (at least ${percent(DKIM_SHARE)} are needed)`,
      figures: { aligned: known.dkimAligned, messages: known.messages },
    },
    {
      id: 'no-new-sources',
      holds: isEnough ? fresh.length === 0 : null,
      text: `Services that started to send without alignment in the last ${NEW_SOURCE_DAYS} days: ${fresh.length}`,
      figures: { sources: fresh.length, days: NEW_SOURCE_DAYS },
    },
  ]
}

function isRelevant({ messages }: SourceTotals, known: Known): boolean {
  return messages >= SOURCE_MESSAGES || messages >= known.messages * SOURCE_SHARE
}

function isPassing({ passing, messages }: SourceTotals): boolean {
  return passing >= messages * SOURCE_PASS_SHARE
}

function isNewAndFailing(source: SourceTotals, end: number): boolean {
  const isNew = source.firstSeen > end - NEW_SOURCE_DAYS * DAY
  return isNew && source.passing < source.messages && source.identity.kind === 'service'
}

/** Mail that lists and forwarders break shows only in a longer trial. */
function judgeTimeAtStage({ days }: DomainTotals, known: Known): Criterion {
  const required =
    known.lost.forwarded > (known.messages + known.lost.forwarded) * LIST_SHARE
      ? STAGE_DAYS_WITH_LISTS
      : STAGE_DAYS
  const sorted = [...days].sort(([one], [other]) => other - one)
  const change = sorted.findIndex(([, { stage }]) => stage === null || stage === 'none')
  const atStage = change === -1 ? sorted : sorted.slice(0, change)
  const latest = atStage[0]?.[0] ?? 0
  const first = atStage.at(-1)?.[0] ?? latest + 1
  const length = latest - first + 1
  // Without an earlier policy in the reports, the stage may have begun before them.
  const holds = length >= required ? true : change === -1 ? null : false
  return {
    id: 'time-at-stage',
    holds,
    text: `Days at p=quarantine for all mail: ${length} (at least ${required} are needed)`,
    figures: { days: length, required },
  }
}

function summarize(
  status: RolloutVerdict['status'],
  current: DmarcPolicy | null,
  criteria: readonly Criterion[],
): string {
  if (current === null) return 'Unknown: the reports contain no valid policy.'
  const open = criteria.filter(({ holds }) => holds !== true).length
  const reasons = open === 1 ? '1 condition is' : `${open} conditions are`
  const next = nextStage(current)
  if (next === null) {
    return {
      ready: 'p=reject is in place and your mail passes.',
      'not-ready': `p=reject is in place, but ${reasons} not met: some of your mail is lost.`,
      unknown: 'p=reject is in place. There are too few reports to say whether mail is lost.',
    }[status]
  }
  return {
    ready: `Ready for p=${next}: all conditions are met.`,
    'not-ready': `Not ready for p=${next}: ${reasons} not met.`,
    unknown: `Unknown: there are too few reports to recommend p=${next}.`,
  }[status]
}

function percent(share: number): string {
  // Never round up to a threshold that is not reached.
  return `${Math.floor(share * 1000) / 10}%`
}
