/** Remembers results by text: the same few domains and addresses fill most reports. */

const MAX_ENTRIES = 5_000

export function memoized<Result>(compute: (text: string) => Result): (text: string) => Result {
  const known = new Map<string, Result>()
  return (text) => {
    const found = known.get(text)
    if (found !== undefined) return found
    // Simple, and a report with more names than this is hardly slower.
    if (known.size >= MAX_ENTRIES) known.clear()
    const result = compute(text)
    known.set(text, result)
    return result
  }
}
