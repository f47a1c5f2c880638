/** Finds what the caller named almost right: `domian`, `Domain`, `domains`, `/v1/checks`. */
/** Only plain names are shown again in an error. */
const PLAIN_NAME = /^[\w-]{1,40}$/

export function isPlainName(name: string): boolean {
  return PLAIN_NAME.test(name)
}

/** The name that was probably meant as `name`; null if there is none. */
export function findMistypedName(name: string, givenNames: readonly string[]): string | null {
  return givenNames.find((given) => isPlainName(given) && isOneSlipAway(given, name)) ?? null
}

/** Which of the names `given` was probably meant as, also with more words: `domainName`. */
export function findIntendedName(given: string, names: readonly string[]): string | null {
  const words = given.split(/[_-]|(?=[A-Z])/).map((word) => word.toLowerCase())
  return (
    names.find((name) => findMistypedName(name, [given]) !== null) ??
    names.find((name) => words.includes(name)) ??
    null
  )
}

/** The path of the operation that was probably meant; null if there is none. */
export function findMistypedPath(
  pathname: string,
  operations: readonly { readonly path: string }[],
): string | null {
  const lastSegment = (path: string) => path.replace(/\/+$/, '').split('/').at(-1) ?? ''
  const given = lastSegment(pathname)
  const meant = operations.find(({ path }) => findMistypedName(lastSegment(path), [given]) !== null)
  return meant?.path ?? null
}

/** One Damerau step, in any case of letters: one character more, less or wrong, or two swapped. */
function isOneSlipAway(given: string, name: string): boolean {
  const one = given.toLowerCase()
  const other = name.toLowerCase()
  let at = 0
  while (at < one.length && one[at] === other[at]) at += 1
  const isSwapped = one[at] === other[at + 1] && one[at + 1] === other[at]
  return (
    one.slice(at + 1) === other.slice(at) ||
    one.slice(at) === other.slice(at + 1) ||
    one.slice(at + 1) === other.slice(at + 1) ||
    (isSwapped && one.slice(at + 2) === other.slice(at + 2))
  )
}
