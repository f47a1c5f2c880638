/** Remarks between the records of an export. */
import type { PanelRecord } from '../panel-record.js'

/** One line, whatever it says: what would begin another one would no longer be a remark. */
export function formatComment(mark: ';' | '#', text: string): string {
  return `${mark} ${text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')}`
}

export function placeholderNotes({ placeholders }: PanelRecord): string[] {
  return placeholders.map(({ token, whereToFind }) => `In place of ${token}: ${whereToFind}`)
}
