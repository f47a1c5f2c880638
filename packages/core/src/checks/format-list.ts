/** Names and terms in a sentence. */
import { toDisplayText } from './txt-records.js'

/** No more of them than one reads. */
const MOST_LISTED = 6
/** Longer than any honest term or host name. */
const LONGEST_SHOWN = 300

/** `a`, `a and b`, `a, b and c`, each once; long lists are cut. `write` puts an item into words. */
export function formatList(items: readonly string[], write = truncateForDisplay): string {
  const unique = [...new Set(items)]
  const rest = unique.length - MOST_LISTED
  const named = unique.slice(0, rest > 1 ? MOST_LISTED : undefined).map(write)
  if (rest > 1) named.push(`${rest} more`)
  return enumerated(named)
}

/** The same with every one of them, where nobody is to be left unnamed. */
export function formatFullList(items: readonly string[]): string {
  return enumerated([...new Set(items)].map(truncateForDisplay))
}

function enumerated(named: readonly string[]): string {
  return named.length < 2 ? named.join('') : `${named.slice(0, -1).join(', ')} and ${named.at(-1)}`
}

/** As people read it, and not longer than they do. */
export function truncateForDisplay(text: string): string {
  const legible = toDisplayText(text)
  return legible.length > LONGEST_SHOWN ? `${legible.slice(0, LONGEST_SHOWN)}…` : legible
}
