/** The files of a plan to download. */
import { BYTE_ORDER_MARK, toCsv } from '../../csv.js'
import {
  hasCodePointMarks,
  stringifySafely,
  toVisibleText,
  toVisibleValue,
} from '../../visible-text.js'
import type { FixPlan, PlanRecord } from '../fix-plan-report.js'

export interface PlanFile {
  /** What people call it. */
  readonly label: string
  readonly name: string
  readonly type: string
  /** Null if it would have to show unsafe characters, so it would not be exact. */
  readonly content: string | null
}

/** `isOriginal`: the plan was not made visible, as pages do with all they show. */
export function planFiles(plan: FixPlan, { isOriginal = false } = {}): PlanFile[] {
  const { domain } = plan
  const exports = isOriginal
    ? plan.exports
    : { ...plan.exports, calendar: restoreLineEnds(plan.exports.calendar) }
  // Any other mark is what a record says.
  const hasLoss = !isOriginal || hasUnsafeText({ ...plan, exports: null })
  const files: [label: string, extension: string, type: string, content: string | null][] = [
    ['JSON', 'json', 'application/json', `${stringifySafely({ ...plan, exports }, 2)}\n`],
    ['CSV', 'csv', 'text/csv', recordsCsv(plan.records)],
    ['Zone file', 'zone', 'text/dns', exports.zoneFile],
    ['Terraform', 'tf', 'text/plain', exports.terraform],
    ['Calendar', 'ics', 'text/calendar', exports.calendar],
  ]
  return files.flatMap(([label, extension, type, content]) => {
    if (content === null) return []
    const name = `${domain}-fix-plan.${extension}`
    const mayHaveMarks = extension === 'json' ? isOriginal : !hasLoss
    const isExact = isSafe(content) && (mayHaveMarks || !hasCodePointMarks(content))
    return [{ label, name, type, content: isExact ? content : null }]
  })
}

/** A plan of another service may have anything in its files. */
function isSafe(content: string): boolean {
  const text = content.replace(BYTE_ORDER_MARK, '').replaceAll('\r\n', '\n')
  return toVisibleText(text) === text
}

function hasUnsafeText(value: unknown): boolean {
  return JSON.stringify(value, toVisibleValue) !== JSON.stringify(value)
}

/** On pages, a carriage return is shown as a mark; calendars end their lines with it. */
function restoreLineEnds(text: string | null): string | null {
  return text === null ? null : text.replaceAll('⟨U+000D⟩\n', '\r\n')
}

/** The name field of a DNS host is left out: `@` would start a formula. */
const COLUMNS: readonly [string, (record: PlanRecord) => string | number][] = [
  ['order', ({ order }) => order],
  ['action', ({ action }) => action],
  ['type', ({ type }) => type],
  ['name', ({ name }) => name],
  ['value', ({ value }) => value],
  ['ttl', ({ ttl }) => ttl],
  ['purpose', ({ purpose }) => purpose],
  ['service', ({ service }) => service ?? ''],
  ['optional', ({ optional }) => (optional ? 'yes' : 'no')],
  ['only if', ({ onlyIf }) => onlyIf ?? ''],
  [
    'fill in',
    ({ placeholders }) =>
      placeholders.map(({ token, whereToFind }) => `${token}: ${whereToFind}`).join('\n'),
  ],
  ['replaces', ({ replaces }) => replaces.join('\n')],
]

export function recordsCsv(records: readonly PlanRecord[]): string {
  return toCsv([
    COLUMNS.map(([heading]) => heading),
    ...records.map((record) => COLUMNS.map(([, read]) => toVisibleText(`${read(record)}`))),
  ])
}
