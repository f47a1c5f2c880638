/** The result of one run for one domain, as text and as JSON. */
import { formatUtc } from '@mailgrade/core'
import { toTerminalReport } from '../output/terminal-words.js'
import { describeList, type Layout, type StyleName, wrapText } from '../terminal/layout.js'
import type { Change } from './compare-facts.js'
import type { Area, Part } from './domain-facts.js'

export type WatchOutcome =
  | {
      readonly kind: 'first'
      readonly domain: string
      readonly checkedAt: string
      /** Null if the domain does not exist. */
      readonly verdict: string | null
    }
  | {
      readonly kind: 'compared'
      readonly domain: string
      readonly checkedAt: string
      readonly previouslyCheckedAt: string
      readonly verdict: string | null
      readonly changes: readonly Change[]
      /** What could not be compared, because a lookup failed now or last time. */
      readonly unknown: readonly (Area | Part)[]
    }
  | {
      readonly kind: 'not-looked-up'
      readonly domain: string
      readonly code: string
      readonly detail: string
    }

/** A name that does not exist at its first run is most likely a typo, so it is not fine either. */
export function isWorse(outcome: WatchOutcome): boolean {
  switch (outcome.kind) {
    case 'first':
      return outcome.verdict === null
    case 'compared':
      return outcome.changes.some(({ direction }) => direction === 'worse')
    case 'not-looked-up':
      return false
  }
}

export function hasControlChange(outcome: WatchOutcome): boolean {
  return outcome.kind === 'compared' && outcome.changes.some((change) => change.class === 'control')
}

export function hasNews(outcome: WatchOutcome): boolean {
  return outcome.kind !== 'compared' || outcome.changes.length > 0
}

export function outcomeJson(outcome: WatchOutcome): object {
  const { domain } = outcome
  switch (outcome.kind) {
    case 'first': {
      const { checkedAt, verdict } = outcome
      return { domain, checkedAt, previouslyCheckedAt: null, verdict, changes: [], unknown: [] }
    }
    case 'compared': {
      const { kind: _, ...result } = outcome
      return result
    }
    case 'not-looked-up': {
      const { code, detail } = outcome
      return { domain, error: { code, detail } }
    }
  }
}

/** Records come from DNS, so they may contain anything. */
export function outcomeText(outcome: WatchOutcome, layout: Layout): string {
  return `${describeOutcome(toTerminalReport(outcome), layout)}\n`
}

function describeOutcome(outcome: WatchOutcome, { columns, style }: Layout): string {
  const name = style('bold', outcome.domain)
  if (outcome.kind === 'not-looked-up') {
    return `${name}: ${outcome.detail} We kept the last known state.`
  }
  if (outcome.kind === 'first') {
    const found = outcome.verdict ?? 'doesn’t exist in DNS. Check the spelling'
    return wrapText(
      `${name}: ${found}. Saved. The next run will show what changed.`,
      columns,
      '  ',
      '',
    )
  }
  const verdict = outcome.verdict ?? 'doesn’t exist'
  const { changes, unknown, previouslyCheckedAt } = outcome
  const since = `since ${formatUtc(previouslyCheckedAt)}`
  const notes = unknown.map((area) => wrapText(describeUnknown(area), columns, '  '))
  if (changes.length === 0) {
    return [
      wrapText(`${name}: no change ${since} (${verdict}).`, columns, '  ', ''),
      ...notes,
    ].join('\n')
  }
  const count = changes.length === 1 ? '1 change' : `${changes.length} changes`
  const rows = changes.map((change) => [markOf(change, style), describeChange(change)] as const)
  const alarm = hasControlChange(outcome) ? [wrapText(CONTROL_CHANGED, columns, '  ')] : []
  const list = describeList(rows, columns)
  return [`${name}: ${count} ${since}`, list, ...alarm, ...notes].join('\n')
}

function markOf({ class: kind, direction }: Change, style: Layout['style']): string {
  return kind === 'control'
    ? style(STYLES.worse, '✕ control')
    : style(STYLES[direction], `${SIGNS[direction]} ${direction}`)
}

const CONTROL_CHANGED =
  'With a change marked “control”, someone new can send or receive mail as this domain, or change its records. If you didn’t make it, find out now who did.'

/** "None" would be misread: it is also a policy. */
function describeChange({ subject, before, after, streams }: Change): string {
  const names = streams.map(({ name }) => name).join(', ')
  const what = names === '' ? subject : `${subject} (${names})`
  if (before === null) return `${what}, new: ${after}`
  return after === null ? `${what}, gone: ${before}` : `${what}: ${before} → ${after}`
}

const SIGNS = { better: '✓', worse: '✕', changed: '•' }
const STYLES = { better: 'green', worse: 'red', changed: 'yellow' } as const satisfies Record<
  Change['direction'],
  StyleName
>

function describeUnknown(area: Area | Part): string {
  return area in AREA_NAMES
    ? `${AREA_NAMES[area as Area]}: a lookup failed, so we only compared its records.`
    : `${PART_NAMES[area as Part]}: a lookup failed, so we couldn’t compare everything.`
}

const AREA_NAMES = { spf: 'SPF', dkim: 'DKIM', dmarc: 'DMARC', mx: 'MX' }
const PART_NAMES = {
  'name-servers': 'Name servers',
  'mta-sts': 'MTA-STS',
  'tls-rpt': 'TLS-RPT',
  dane: 'DANE',
}
