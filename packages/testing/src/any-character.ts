/**
 * Any character of Unicode, as the unit of random strings. The unit 'binary' of fast-check is the same,
 * but makes a map of a million characters first, in every process.
 */
import fc from 'fast-check'

const FIRST_SURROGATE = 0xd800
const SURROGATES = 0x800

export const anyCharacter = fc
  .nat(0x10ffff - SURROGATES)
  .map(toCharacter, (character) => toNumber(character as string))

function toCharacter(number: number): string {
  return String.fromCodePoint(number < FIRST_SURROGATE ? number : number + SURROGATES)
}

/** Throws for what is no character, as fast-check expects. */
function toNumber(character: string): number {
  const point = character.codePointAt(0)
  const number = point === undefined || point < FIRST_SURROGATE ? point : point - SURROGATES
  if (number === undefined || toCharacter(number) !== character) throw new Error('No character')
  return number
}
