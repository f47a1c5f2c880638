/** Words and figures that every format shares. */
import { toShortLine } from '@mailgrade/core'
import {
  type AggregateSummary,
  type DomainSummary,
  type JudgedCondition,
  PASSING_SHARE,
  QUESTION_WORDS,
  RECENT_DAYS,
  type Signature,
  type SourceClass,
  type SourceSummary,
} from '@mailgrade/dmarc-reports'

/** What needs attention first. */
export const CLASSES: readonly SourceClass[] = [
  'yours-not-aligned',
  'yours-and-passing',
  'forwarded',
  'unknown',
]

export const CLASS_TITLES: Readonly<Record<SourceClass, string>> = {
  'yours-not-aligned': 'Yours, but failing DMARC',
  'yours-and-passing': 'Yours and passing',
  forwarded: 'Forwarded',
  unknown: 'Unknown or forged',
}

export const CLASS_MEANINGS: Readonly<Record<SourceClass, string>> = {
  'yours-not-aligned':
    'Some or all of this mail fails DMARC, because neither SPF nor DKIM passes for your domain. Set up these sources before you enforce your policy.',
  'yours-and-passing': 'These pass DMARC. You don’t need to do anything.',
  forwarded:
    'These came through forwarders and mailing lists. Mail with your DKIM signature usually still passes. You can’t fix the rest.',
  unknown:
    'We see no sign that these are yours. If you recognize one, set it up first, because an enforced policy stops all of them.',
}

export function formatCount(count: number): string {
  return count.toLocaleString('en-US')
}

/** Rounded down, so 100% means all. */
export function percentOf(part: number, whole: number): string {
  return whole === 0 ? '–' : `${Math.floor((part * 100) / whole)}%`
}

export function countOf(count: number, one: string, many: string): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`
}

export function dateOf(time: string): string {
  return time.slice(0, 10)
}

export function describeReading({ reports, files }: AggregateSummary): string {
  return `${countOf(reports.counted, 'report', 'reports')} counted from ${countOf(files, 'file', 'files')}; ${countOf(reports.copies, 'copy', 'copies')} ignored, ${formatCount(reports.failed)} unreadable.`
}

export function describeMessages({ messages, passing, period }: DomainSummary): string {
  return `${countOf(messages, 'message', 'messages')}, ${dateOf(period.begin)} to ${dateOf(period.end)}. ${percentOf(passing, messages)} pass DMARC.`
}

const MOST = 3

/** The domains for which a source passes, and your signatures that fail; null if there are none. */
export function describePasses({ dkim, spf }: SourceSummary): string | null {
  const domains = spf.domains.slice(0, MOST).map(({ name }) => name)
  const parts = [
    listSignatures('DKIM passes for', dkim.signatures),
    domains.length > 0 ? `SPF passes for ${domains.join(', ')}` : '',
    listSignatures('DKIM fails for', dkim.failedSignatures),
  ].filter((part) => part !== '')
  return parts.length === 0 ? null : parts.join('; ')
}

function listSignatures(start: string, signatures: readonly Signature[]): string {
  const names = signatures
    .slice(0, MOST)
    .map(({ domain, selector }) => (selector === null ? domain : `${domain} (${selector})`))
  return names.length === 0 ? '' : `${start} ${names.join(', ')}`
}

/** The conditions that leave no trace in reports. */
export function onlyYouKnow(conditions: readonly JudgedCondition[]): string[] {
  return conditions.flatMap(({ text, why }) =>
    why === null ? [] : `Only you can tell: ${text} ${why}`,
  )
}

/** Null for a source that the owner need not judge. */
export function describeQuestion({ question }: SourceSummary): string | null {
  return question === null ? null : `This may be yours: ${QUESTION_WORDS[question]}.`
}

/** Null unless the last days differ from the whole period. */
export function describeRecent({ class: group, messages, passing, recent }: SourceSummary) {
  const isDifferent =
    group === 'yours-and-passing'
      ? passing < messages * PASSING_SHARE
      : group === 'yours-not-aligned' && passing >= messages * PASSING_SHARE
  return isDifferent
    ? `In its last ${RECENT_DAYS} days, ${percentOf(recent.passing, recent.messages)} passed.`
    : null
}

/** What an enforced policy would cost, or costs. */
export function describeLost({ rollout, period }: DomainSummary): string {
  const { next, current, lost } = rollout
  if (current === null) return 'The reports don’t include a valid policy.'
  if (lost.yours + lost.forwarded === 0)
    return 'None of the messages that are clearly yours fail DMARC.'
  const when = next === null ? 'At risk under' : 'Would have been lost under'
  const days = period.days > RECENT_DAYS ? `, over each source’s last ${RECENT_DAYS} days` : ''
  return `${when} p=${next ?? current}: ${formatCount(lost.yours)} of your messages and ${formatCount(lost.forwarded)} forwarded ones${days}.`
}

const OTHER_SPACE = /\p{Zs}/gu
const MAX_SHOWN = 120

/** Text from reports for a cell or a line: anyone can write a report, and it may attack terminals. */
export function printable(text: string, limit = MAX_SHOWN): string {
  return toShortLine(text, limit).replace(OTHER_SPACE, ' ')
}
