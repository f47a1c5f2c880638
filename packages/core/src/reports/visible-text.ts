/** Text from strangers (records, reports, lists, other services), made safe to show. */
import { formatCodePoint } from '../names/quote-input.js'

/**
 * Characters that control a terminal, are invisible, or reorder the text around them (bidirectional
 * controls), and halves of surrogate pairs. Line breaks and tabs are left to each format. Markup
 * needs no care here: it is escaped wherever a page is rendered.
 */
const UNSAFE = /(?![\n\t])[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

/** Nearly all text is printable ASCII or our quotation marks, which one pass by code unit skips. */
const NOT_PLAIN = /[^\n\t -~‘-”…]+/g

export function replaceUnsafe(text: string, replace: (character: string) => string): string {
  return text.replace(NOT_PLAIN, (run) => run.replace(UNSAFE, replace))
}

const CODE_POINT_MARK = /⟨U\+[0-9A-F]{4,6}⟩/

export function hasCodePointMarks(text: string): boolean {
  return CODE_POINT_MARK.test(text)
}

/** For people: shows unsafe characters as code points, `⟨U+202E⟩`. */
export function toVisibleText(text: string): string {
  return replaceUnsafe(text, showCodePoint)
}

/** The same without line breaks and tabs, so no text can add a line of its own. */
export function toVisibleLine(text: string): string {
  return toVisibleText(text).replace(/[\n\t]/g, showCodePoint)
}

/** The same, cut after `limit` characters. */
export function toShortLine(text: string, limit: number): string {
  // Cut by code units first, so long text costs no more.
  const characters = [...text.slice(0, 2 * limit + 2)]
  const head = toVisibleLine(characters.slice(0, limit).join(''))
  return characters.length > limit ? `${head}…` : head
}

function showCodePoint(character: string): string {
  return `⟨${formatCodePoint(character)}⟩`
}

/** For `JSON.parse` and `stringify`: converts every text, so no view can forget one. */
export function toVisibleValue(_: string, value: unknown): unknown {
  return typeof value === 'string' ? toVisibleText(value) : value
}

export function toVisibleReport<Report>(report: Report): Report {
  return JSON.parse(JSON.stringify(report, toVisibleValue))
}

/** For programs: JSON with unsafe characters escaped, so it is the same data. */
export function stringifySafely(value: unknown, indent = 0): string {
  return escapeJson(JSON.stringify(value, null, indent))
}

/** The same for JSON that is text already. */
export function escapeJson(json: string): string {
  return replaceUnsafe(json, escapeUnits)
}

function escapeUnits(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')
}

/** Text of a stranger inside a sentence, so that no one takes it for our words. */
export function quoteText(text: string): string {
  return `“${toShortLine(text.replace(/[“”]/g, '"'), 100)}”`
}

/** `2026-11-15T17:58:11.123Z` → `2026-11-15 17:58 UTC` */
export function formatUtc(time: string): string {
  return `${time.slice(0, 16).replace('T', ' ')} UTC`
}
