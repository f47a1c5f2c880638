/** Lists of names and terms for a sentence. */
import { toDisplayText } from './txt-records.js'

const MAX_LISTED = 6
/** Longer than any real term or host name. */
const MAX_ITEM_LENGTH = 300

/** `a`, `a and b`, `a, b, and c`, each once; long lists are cut. */
export function formatList(items: readonly string[], format = truncateForDisplay): string {
  const unique = [...new Set(items)]
  const rest = unique.length - MAX_LISTED
  const named = unique.slice(0, rest > 1 ? MAX_LISTED : undefined).map(format)
  if (rest > 1) named.push(`${rest} more`)
  return joinWith('and', named)
}

/** The same without cutting the list. */
export function formatFullList(items: readonly string[], format = truncateForDisplay): string {
  return joinWith('and', [...new Set(items)].map(format))
}

function joinWith(word: 'and' | 'or', items: readonly string[]): string {
  const last = items.at(-1) ?? ''
  if (items.length < 2) return last
  return `${items.slice(0, -1).join(', ')}${items.length > 2 ? ',' : ''} ${word} ${last}`
}

/** `a`, `a or b`, `a, b, or c`. */
export function formatAlternatives(items: readonly string[]): string {
  return joinWith('or', items)
}

/** The text as displayed, cut if it is very long. */
export function truncateForDisplay(text: string): string {
  return truncate(text, MAX_ITEM_LENGTH)
}

function truncate(text: string, limit: number): string {
  // Cut by code units first, so long text costs no more.
  const characters = [...toDisplayText(text).slice(0, 2 * limit + 2)]
  return characters.length > limit ? `${characters.slice(0, limit).join('')}…` : characters.join('')
}

const MAX_QUOTED = 100

/** What is not valid may be any words, so they are marked as not ours and cannot end the quotation. */
export function quoteForDisplay(text: string): string {
  const shown = truncate(text, MAX_QUOTED).replace(/["“”]/g, "'")
  return `"${shown.replace(/\p{C}/gu, '\ufffd')}"`
}
