/**
 * Text from the DNS as people can judge it. Markup is escaped wherever a page is written; this is
 * about characters that do not show, or turn around what stands beside them (bidirectional controls).
 */
import { formatCodePoint } from '@mailgrade/core'

const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

const MARK = /⟨U\+[0-9A-F]{4,6}⟩/

export function hasCodePointMarks(text: string): boolean {
  return MARK.test(text)
}

export function toPageDisplayText(text: string): string {
  return text.replace(UNSEEN, (character) =>
    '\n\t'.includes(character) ? character : `⟨${formatCodePoint(character)}⟩`,
  )
}

/** The same report with every text in it visible, so that no page can forget one. */
export function toPageDisplayReport<Report>(report: Report): Report {
  const shown = JSON.stringify(report, (_, value) =>
    typeof value === 'string' ? toPageDisplayText(value) : value,
  )
  return JSON.parse(shown)
}
