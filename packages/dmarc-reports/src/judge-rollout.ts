/** Whether the reports show that the next stage of the DMARC policy is safe. */
import { type DmarcPolicy, describeCondition, type StageCondition } from '@mailgrade/core'
import type { PublishedPolicy } from './aggregate-report.js'
import { type DomainTotals, isBelow } from './collect-domains.js'
import {
  type Criterion,
  type CriterionId,
  findKnownMail,
  judgeAge,
  judgeCoverage,
  judgeFailures,
  judgeForwarding,
  judgeKnownMail,
  judgeReporters,
  judgeTimeAtQuarantine,
  judgeTimeAtStage,
  judgeUnknownSources,
  type KnownMail,
  MIN_KNOWN_MESSAGES,
  type StageLevels,
} from './judge-criteria.js'
import {
  describeLimits,
  hasOwnSubdomainStages,
  levelOf,
  type NextStage,
  nextStageOf,
  nextSubdomainStageOf,
  QUARANTINE_LEVEL,
  SUBDOMAIN_QUARANTINE_LEVEL,
  subdomainLevelOf,
} from './ladder-stage.js'
import { type Fix, listFixes } from './list-fixes.js'
import type { SourceTotals } from './source-totals.js'

/** A condition of the ladder, as the plan has it in `proceedWhen`. */
export interface JudgedCondition {
  readonly id: StageCondition['id']
  readonly text: string
  readonly status: 'met' | 'not-met' | 'unknown' | 'only-you-know'
  /** Why reports can't show it; null if they can. */
  readonly why: string | null
}

export interface RolloutVerdict {
  /** Whether `next` is safe; for a domain at `reject`, whether its mail passes well enough for it. */
  readonly status: 'ready' | 'not-ready' | 'answer-first' | 'unknown'
  /** The published policy; null when the reports give none. */
  readonly current: DmarcPolicy | null
  /** The same as `current` while that applies to a part of the mail. Null at `reject`, and when `current` is unknown. */
  readonly next: 'quarantine' | 'reject' | null
  /** The tags of the next stage, such as `p=quarantine; t=y; pct=0`; null without one. */
  readonly nextTags: string | null
  readonly summary: string
  /** What the reports show. */
  readonly criteria: readonly Criterion[]
  /** Those of the next stage. */
  readonly conditions: readonly JudgedCondition[]
  /** Your own messages, of the last 31 days of each source, that pass or could pass. */
  readonly knownMessages: number
  /** Messages of these days that the next stage would have kept from the inbox. */
  readonly lost: { readonly yours: number; readonly forwarded: number }
  /** Most lost messages first. */
  readonly fixFirst: readonly Fix[]
}

/** A rollout of its own: that of the domain, or that of `sp`. */
interface Track {
  readonly totals: DomainTotals
  readonly current: PublishedPolicy['p']
  readonly stage: NextStage | null
  readonly levels: StageLevels
  /** Names below the domain may have no mail at all. */
  readonly minimumMessages: number
}

/** Of all mail, or without that of subdomains while they have a weaker policy of their own. */
export function judgeRollout(totals: DomainTotals, now: Date): RolloutVerdict {
  const { policy, domain } = totals
  const verdict = judgeTrack(
    {
      totals: hasOwnSubdomainStages(policy)
        ? withSources(totals, (source) => !isBelow(source.at, domain))
        : totals,
      current: policy.p,
      stage: nextStageOf(policy),
      levels: {
        of: ({ level }) => level,
        current: levelOf(policy),
        quarantine: QUARANTINE_LEVEL,
      },
      minimumMessages: MIN_KNOWN_MESSAGES,
    },
    now,
  )
  return { ...verdict, summary: summarize(verdict, policy) }
}

/** Null while names below the domain have its policy, or a stricter one. */
export function judgeSubdomains(totals: DomainTotals, now: Date): RolloutVerdict | null {
  const { policy, domain } = totals
  const stage = nextSubdomainStageOf(policy)
  if (!stage) return null
  const verdict = judgeTrack(
    {
      totals: withSources(totals, (source) => isBelow(source.at, domain)),
      current: policy.sp,
      stage,
      levels: {
        of: ({ subdomainLevel }) => subdomainLevel,
        current: subdomainLevelOf(policy),
        quarantine: SUBDOMAIN_QUARANTINE_LEVEL,
      },
      minimumMessages: 0,
    },
    now,
  )
  return { ...verdict, summary: summarizeStage(verdict, stage.name) }
}

function withSources(
  totals: DomainTotals,
  isIncluded: (source: SourceTotals) => boolean,
): DomainTotals {
  const sources = [...totals.sources].filter(([, source]) => isIncluded(source))
  return { ...totals, sources: new Map(sources) }
}

function judgeTrack(track: Track, now: Date): Omit<RolloutVerdict, 'summary'> {
  const { totals, stage, current, minimumMessages } = track
  const known = findKnownMail(totals, minimumMessages)
  const criteria = [
    judgeReporters(totals),
    judgeCoverage(totals),
    judgeAge(totals, now),
    ...judgeMail(known, totals, stage),
    ...(stage ? judgeStage(known, track, stage) : []),
  ]
  return {
    status: current === null || current === 'other' ? 'unknown' : statusOf(criteria),
    current: current === 'other' ? null : current,
    next: stage && stage.policy !== 'none' ? stage.policy : null,
    nextTags: stage?.tags ?? null,
    criteria,
    conditions: stage ? judgeConditions(stage, criteria) : [],
    knownMessages: known.messages,
    lost: known.lost,
    fixFirst: listFixes(
      known.sources.map((source) => source.totals),
      totals.policy,
    ),
  }
}

/** Signatures are a condition of reject, so they count before it and while it is in place. */
function judgeMail(known: KnownMail, totals: DomainTotals, stage: NextStage | null): Criterion[] {
  const needsDkim = stage === null || findCondition(stage, 'senders-sign') !== undefined
  return judgeKnownMail(known, totals).filter(({ id }) => id !== 'dkim-aligned' || needsDkim)
}

function judgeStage(
  known: KnownMail,
  { totals, current, levels }: Track,
  stage: NextStage,
): Criterion[] {
  const isReject = stage.policy === 'reject'
  const failures = findCondition(stage, 'none-fails')
  return [
    judgeUnknownSources(totals),
    ...(failures ? [judgeFailures(known, totals, failures.days)] : []),
    // Without a policy, the days that the reports cover are the time at the stage.
    ...(current === 'none' ? [] : [judgeTimeAtStage(totals, levels, stage.minimumDays)]),
    ...(isReject && !stage.testing ? [judgeTimeAtQuarantine(totals, levels)] : []),
    ...(isReject ? [judgeForwarding(known)] : []),
  ]
}

function findCondition<Id extends StageCondition['id']>({ conditions }: NextStage, id: Id) {
  return conditions.find(
    (condition): condition is Extract<StageCondition, { id: Id }> => condition.id === id,
  )
}

/** The criteria that decide a condition, or the reason why none can. */
const DECIDED_BY: Readonly<Record<StageCondition['id'], readonly CriterionId[] | string>> = {
  'senders-known': ['unknown-sources', 'no-new-sources'],
  'senders-pass': ['known-sources-pass'],
  'senders-sign': ['dkim-aligned'],
  'failures-not-yours': ['unknown-sources', 'known-sources-pass'],
  'none-fails': ['none-fails'],
  'none-in-spam': 'Reports don’t say which folder mail ended up in.',
  'none-missing': 'Reports don’t say which mail people are waiting for.',
  'no-complaints': 'Reports don’t say which mail people are waiting for.',
  'no-lists': ['forwarding'],
  'exact-domain': ['known-sources-pass'],
}

function judgeConditions(
  { conditions }: NextStage,
  criteria: readonly Criterion[],
): JudgedCondition[] {
  return conditions.map((condition) => {
    const decidedBy = DECIDED_BY[condition.id]
    const base = { id: condition.id, text: describeCondition(condition) }
    if (typeof decidedBy === 'string') return { ...base, status: 'only-you-know', why: decidedBy }
    const deciding = criteria.filter(({ id }) => [...EVIDENCE, ...decidedBy].includes(id))
    return { ...base, status: statusOfCondition(deciding), why: null }
  })
}

function statusOfCondition(criteria: readonly Criterion[]): JudgedCondition['status'] {
  if (criteria.some(({ id, holds }) => !EVIDENCE.includes(id) && holds === false)) return 'not-met'
  return criteria.every(({ holds }) => holds === true) ? 'met' : 'unknown'
}

const EVIDENCE: readonly CriterionId[] = ['reporters', 'coverage', 'recent']

/** A failure that was seen counts even if there is too little evidence otherwise. */
function statusOf(criteria: readonly Criterion[]): RolloutVerdict['status'] {
  if (criteria.some(({ id, holds }) => !EVIDENCE.includes(id) && holds === false))
    return 'not-ready'
  const open = criteria.filter(({ holds }) => holds !== true)
  if (open.some(({ id }) => id !== 'unknown-sources')) return 'unknown'
  return open.length === 0 ? 'ready' : 'answer-first'
}

type Judged = Omit<RolloutVerdict, 'summary'>

function summarize(judged: Judged, policy: PublishedPolicy): string {
  if (judged.current === null) return 'Unknown: the reports don’t include a valid policy.'
  const { next, nextTags, criteria } = judged
  if (next === null || nextTags === null) {
    return `${summarizeReject(judged, describeOpen(criteria))}${describeSubdomains(policy)}`
  }
  if (next !== policy.p) return summarizeStage(judged, nextTags)
  const remove = judged.status === 'ready' ? ` Remove ${describeLimits(policy).join(' and ')}.` : ''
  return `${summarizeStage(judged, `${nextTags} for all mail`)}${remove}`
}

function summarizeStage(judged: Judged, stage: string): string {
  const { status, criteria } = judged
  switch (status) {
    case 'ready':
      return `Ready for ${stage}${describeOwn(judged)}`
    case 'not-ready':
      return `Not ready for ${stage}: ${describeOpen(criteria)} met.`
    case 'answer-first':
      return `Not ready for ${stage}. Answer first: ${countAsked(criteria)} may be yours.`
    case 'unknown':
      return summarizeUnknown(criteria, stage)
  }
}

function describeOwn({ conditions }: Judged): string {
  const own = conditions.filter(({ status }) => status === 'only-you-know').length
  if (own === 0) return ': all conditions are met.'
  return own === 1
    ? ', as far as reports can show. Only you know about 1 condition.'
    : `, as far as reports can show. Only you know about ${own} conditions.`
}

function describeOpen(criteria: readonly Criterion[]): string {
  const open = criteria.filter(({ holds }) => holds !== true).length
  return open === 1 ? '1 condition isn’t' : `${open} conditions aren’t`
}

function countAsked(criteria: readonly Criterion[]): string {
  const { sources = 0 } = criteria.find(({ id }) => id === 'unknown-sources')?.figures ?? {}
  return sources === 1 ? '1 source' : `${sources} sources`
}

function summarizeUnknown(criteria: readonly Criterion[], stage: string): string {
  const open = criteria.filter(({ holds }) => holds !== true)
  const isOld = open.some(({ id }) => id === 'recent')
  return isOld
    ? `Unknown: the reports are too old for us to recommend ${stage}.`
    : `Unknown: there are too few reports for us to recommend ${stage}.`
}

/** At reject, unknown sources are lost already, so no one is asked about them. */
function summarizeReject({ status, lost }: Judged, reasons: string): string {
  const effect =
    lost.yours > 0
      ? 'Some of your mail is being lost.'
      : 'None of the messages that are clearly yours are being lost.'
  return {
    ready: 'p=reject is in place, and your mail passes.',
    'not-ready': `p=reject is in place, but ${reasons} met. ${effect}`,
    'answer-first': 'p=reject is in place.',
    unknown: 'p=reject is in place. There are too few reports to know whether you’re losing mail.',
  }[status]
}

function describeSubdomains({ sp }: PublishedPolicy): string {
  return sp === 'none'
    ? ' Subdomains have sp=none, so forged mail from them can reach the inbox.'
    : ''
}
