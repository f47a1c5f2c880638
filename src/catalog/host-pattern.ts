/** Host names matched on label boundaries: `google.com.evil.test` is not Google's. */

/** A host name that stands for itself and everything below it; a `*` label stands for any one label. */
export type HostPattern = string

/** The entry with the longest pattern that covers `host`. */
export function longestMatch<Entry>(
  entries: readonly Entry[],
  patternsOf: (entry: Entry) => readonly HostPattern[],
  host: string,
): Entry | null {
  let best: { entry: Entry; length: number } | null = null
  for (const entry of entries) {
    for (const pattern of patternsOf(entry)) {
      if (pattern.length > (best?.length ?? 0) && covers(pattern, host)) {
        best = { entry, length: pattern.length }
      }
    }
  }
  return best?.entry ?? null
}

function covers(pattern: HostPattern, host: string): boolean {
  const wanted = pattern.split('.').reverse()
  const labels = host.split('.').reverse()
  return (
    labels.length >= wanted.length &&
    wanted.every((label, index) => label === '*' || label === labels[index])
  )
}
