/** What of the caller's text may stand in a reason. */

const MAX_SHOWN = 60

/** Stands where a name may not be repeated. */
const UNNAMED = 'The name given'

/** Controls, invisible, unassigned and private characters, and white space. */
const UNFIT = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/gu

/** An at sign in any dress: what stands before it may be a password or somebody's mailbox. */
const AT_SIGN = /[@\ufe6b\uff20]|%40/i

function shown(text: string): string {
  // Cut by units first, so that the work does not grow with the text.
  const characters = [...text.slice(0, 2 * MAX_SHOWN + 2)]
  const head = characters.slice(0, MAX_SHOWN).join('').replace(UNFIT, '\ufffd')
  return characters.length > MAX_SHOWN ? `${head}…` : head
}

/** The name itself, unless the text it came from may hold a secret. */
export function quoteUnlessSecret(name: string, source: string): string {
  return AT_SIGN.test(source) ? UNNAMED : shown(name)
}

export function quoteCharacter(character: string): string {
  const fit = shown(character)
  return fit === character ? `“${fit}”` : formatCodePoint(character)
}

export function formatCodePoint(character: string): string {
  const hex = (character.codePointAt(0) ?? 0).toString(16).toUpperCase()
  return `U+${hex.padStart(4, '0')}`
}

/** Whether two pieces of the caller's text together stay within what a reason may repeat. */
export function fitInMessage(one: string, other: string): boolean {
  return one.length + other.length <= MAX_SHOWN
}
