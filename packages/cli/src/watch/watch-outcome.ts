/** The result of one run for one domain, as text and as JSON. */
import { formatUtc } from '@mailgrade/core'
import { toTerminalReport } from '../output/terminal-words.js'
import { describeList, type Layout, type StyleName, wrapText } from '../terminal/layout.js'
import type { Change } from './compare-facts.js'
import type { Area } from './domain-facts.js'

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
      readonly unknown: readonly Area[]
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
  const notes = unknown.map((area) =>
    wrapText(`${AREA_NAMES[area]}: ${NOT_COMPARED}`, columns, '  '),
  )
  if (changes.length === 0) {
    return [
      wrapText(`${name}: no change ${since} (${verdict}).`, columns, '  ', ''),
      ...notes,
    ].join('\n')
  }
  const count = changes.length === 1 ? '1 change' : `${changes.length} changes`
  const rows = changes.map((change) => {
    const { direction } = change
    const mark = style(STYLES[direction], `${SIGNS[direction]} ${direction}`)
    return [mark, describeChange(change)] as const
  })
  return [`${name}: ${count} ${since}`, describeList(rows, columns), ...notes].join('\n')
}

/** "None" would be misread: it is also a policy. */
function describeChange({ subject, before, after }: Change): string {
  if (before === null) return `${subject}, new: ${after}`
  return after === null ? `${subject}, gone: ${before}` : `${subject}: ${before} → ${after}`
}

const SIGNS = { better: '✓', worse: '✕', changed: '•' }
const STYLES = { better: 'green', worse: 'red', changed: 'yellow' } as const satisfies Record<
  Change['direction'],
  StyleName
>

const NOT_COMPARED = 'a lookup failed, so we only compared its records.'
const AREA_NAMES = { spf: 'SPF', dkim: 'DKIM', dmarc: 'DMARC', mx: 'MX' }
