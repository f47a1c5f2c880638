/** Host names matched on label boundaries: `google.com.evil.test` is not Google's. */

/** Matches a host and everything below it; a `*` label matches any one label. */
export type HostPattern = string

/** Finds the entry with the longest matching pattern, in time independent of the number of entries. */
export function createHostMatcher<Entry>(
  entries: readonly Entry[],
  patternsOf: (entry: Entry) => readonly HostPattern[],
): (host: string) => Entry | null {
  const rows = entries.flatMap((entry) =>
    patternsOf(entry).map((pattern) => ({ pattern, entry, labels: pattern.split('.') })),
  )
  const plain = new Map(rows.map((row) => [row.pattern, row]))
  // There are few of these, so each is tried.
  const wildcards = rows.filter(({ labels }) => labels.includes('*'))
  const mostLabels = Math.max(...rows.map(({ labels }) => labels.length))

  return (host) => {
    const labels = host.split('.').slice(-mostLabels)
    const exact = labels
      .map((_, index) => plain.get(labels.slice(index).join('.')))
      .find((row) => row !== undefined)
    const found = [exact, ...wildcards.filter((row) => matches(row.labels, labels))]
    return found.reduce(longer, undefined)?.entry ?? null
  }
}

function longer<Row extends { readonly pattern: HostPattern }>(
  one: Row | undefined,
  other: Row | undefined,
): Row | undefined {
  return (other?.pattern.length ?? 0) > (one?.pattern.length ?? 0) ? other : one
}

function matches(pattern: readonly string[], labels: readonly string[]): boolean {
  const start = labels.length - pattern.length
  return (
    start >= 0 && pattern.every((label, index) => label === '*' || label === labels[start + index])
  )
}
