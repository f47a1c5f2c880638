/** Makes text from reports safe to print: anyone can write a report, and it may attack terminals. */
import { formatCodePoint } from '@mailgrade/core'

/** Controls, invisible and bidirectional characters, and line separators. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu
const OTHER_SPACE = /\p{Zs}/gu
const MAX_SHOWN = 120

/** One line; an invisible character is shown as `⟨U+202E⟩`. */
export function printable(text: string, limit = MAX_SHOWN): string {
  const characters = [...text.slice(0, 2 * limit + 2)]
  const head = characters.slice(0, limit).join('')
  const shown = head
    .replace(UNPRINTABLE, (character) => `⟨${formatCodePoint(character)}⟩`)
    .replace(OTHER_SPACE, ' ')
  return characters.length > limit ? `${shown}…` : shown
}

/** JSON that is the same data, with every invisible character escaped. */
export function stringifySafely(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu,
    (character) => (character === '\n' ? character : escapeUnits(character)),
  )
}

function escapeUnits(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')
}
