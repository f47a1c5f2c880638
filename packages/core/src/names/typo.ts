/** Typing mistakes in names. */

const KEY_ROWS = ['1234567890', 'qwertyuiop', 'asdfghjkl', 'zxcvbnm']

/** Each row of keys is half a key to the right of the row above. */
const KEYS = new Map(
  KEY_ROWS.flatMap((row, y) => [...row].map((key, x) => [key, { x: x + y / 2, y }] as const)),
)

/**
 * One Damerau step: two letters swapped, one missing, one doubled, or one hit on a neighboring key.
 * Other letters and other first letters do not count: most such words are names of their own.
 */
export function isTypo(typed: string, intended: string): boolean {
  if (Math.abs(typed.length - intended.length) > 1) return false
  const start = sharedPrefixLength(typed, intended)
  const end = sharedPrefixLength(reverse(typed.slice(start)), reverse(intended.slice(start)))
  const wrong = typed.slice(start, typed.length - end)
  const right = intended.slice(start, intended.length - end)
  if (wrong.length === 2 && right.length === 2) return wrong === reverse(right)
  if (start === 0) return false
  if (wrong.length === 0) return right.length === 1
  if (wrong.length > 1) return false
  if (right.length === 1) return areNeighbors(wrong, right)
  const adjacent = [intended[start - 1] ?? '', intended[start] ?? '']
  return right === '' && adjacent.some((key) => key === wrong || areNeighbors(key, wrong))
}

function sharedPrefixLength(one: string, other: string): number {
  let length = 0
  while (length < one.length && one[length] === other[length]) length += 1
  return length
}

function reverse(text: string): string {
  return [...text].reverse().join('')
}

function areNeighbors(one: string, other: string): boolean {
  const [key, otherKey] = [KEYS.get(one), KEYS.get(other)]
  if (!key || !otherKey) return false
  return Math.abs(key.x - otherKey.x) <= 1 && Math.abs(key.y - otherKey.y) <= 1
}
