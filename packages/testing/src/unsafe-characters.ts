/** Every character that no output may have: controls, bidirectional, invisible, separators. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}]/gu

/** Each once, with a space between them: halves of a pair would otherwise become one character. */
export const UNSAFE_TEXT = Array.from({ length: 0x11_0000 }, (_, point) =>
  String.fromCodePoint(point),
)
  .flatMap((character) => character.match(UNSAFE) ?? [])
  .join(' ')

/** The first of those in a text; the line breaks of formats are not among them. */
export function findUnsafe(text: string): string[] {
  const found = text.replaceAll('\r\n', '\n').match(UNSAFE) ?? []
  return [...new Set(found)]
    .filter((character) => character !== '\n')
    .slice(0, 5)
    .map((character) => `U+${character.codePointAt(0)?.toString(16)}`)
}
