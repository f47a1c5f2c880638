/** Report values as text for people. */
import { formatCodePoint } from '../names/quote-input.js'

/**
 * Characters that are invisible, or reorder the text around them (bidirectional controls). Markup
 * needs no care here: it is escaped wherever a page is rendered.
 */
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

const CODE_POINT_MARK = /⟨U\+[0-9A-F]{4,6}⟩/

export function hasCodePointMarks(text: string): boolean {
  return CODE_POINT_MARK.test(text)
}

/** Shows invisible characters as code points: `⟨U+202E⟩`. */
export function toVisibleText(text: string): string {
  return text.replace(INVISIBLE, (character) =>
    '\n\t'.includes(character) ? character : `⟨${formatCodePoint(character)}⟩`,
  )
}

/** For JSON: converts every text in it, so no view can forget one. */
export function toVisibleValue(_: string, value: unknown): unknown {
  return typeof value === 'string' ? toVisibleText(value) : value
}

export function toVisibleReport<Report>(report: Report): Report {
  return JSON.parse(JSON.stringify(report, toVisibleValue))
}

/** `2026-11-15T17:58:11.123Z` → `2026-11-15 17:58 UTC` */
export function formatUtc(time: string): string {
  return `${time.slice(0, 16).replace('T', ' ')} UTC`
}
