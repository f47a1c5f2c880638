/** Words with places for values: `{name|words without a value}` and `{values:one|several}`. */

type WordValue = string | number | null | readonly string[]
export type WordValues = Readonly<Record<string, WordValue>>

export const PLACE =
  /\{(?<name>[a-z][a-zA-Z]*)(?:\|(?<otherwise>[^{}|]*)|:(?<one>[^{}|]*)\|(?<several>[^{}|]*))?\}/g

/** Without values, as where a finding is explained, a place has its own words, or those for one. */
export function fillWords(
  text: string,
  values: WordValues = {},
  writeList: (list: readonly string[]) => string = (list) => list.join(', '),
): string {
  if (!text.includes('{')) return text
  return text.replace(PLACE, (_, name: string, otherwise = '', one?: string, several = '') => {
    const value = values[name] ?? null
    if (one !== undefined) return isSeveral(value) ? several : one
    if (value === null || (typeof value === 'object' && value.length === 0)) return otherwise
    return typeof value === 'object' ? writeList(value) : String(value)
  })
}

function isSeveral(value: WordValue): boolean {
  if (typeof value === 'number') return value !== 1
  return value !== null && typeof value === 'object' && new Set(value).size > 1
}
