/** How much of the caller's text an error message may quote. */

const MAX_SHOWN = 60

/** Replaces a name that must not be quoted. */
const UNNAMED = 'The name'

/** Controls, invisible, unassigned and private characters, and white space. */
const UNPRINTABLE = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/gu

/** An at sign in any form: the text before it may be a password or a mailbox name. */
const AT_SIGN = /[@\ufe6b\uff20]|%40/i

function toPrintable(text: string): string {
  // Cut by code units first, so long text costs no more.
  const characters = [...text.slice(0, 2 * MAX_SHOWN + 2)]
  const head = characters.slice(0, MAX_SHOWN).join('').replace(UNPRINTABLE, '\ufffd')
  return characters.length > MAX_SHOWN ? `${head}…` : head
}

/** The name itself, unless the text it came from may hold a secret. */
export function quoteUnlessSecret(name: string, source: string): string {
  return AT_SIGN.test(source) ? UNNAMED : toPrintable(name)
}

export function quoteCharacter(character: string): string {
  const printable = toPrintable(character)
  return printable === character ? `“${printable}”` : formatCodePoint(character)
}

export function formatCodePoint(character: string): string {
  const hex = (character.codePointAt(0) ?? 0).toString(16).toUpperCase()
  return `U+${hex.padStart(4, '0')}`
}

/** Whether an error message may quote two parts of the caller's text together. */
export function fitInMessage(one: string, other: string): boolean {
  return one.length + other.length <= MAX_SHOWN
}
