/** Host names matched on label boundaries: `google.com.evil.test` is not Google's. */

/** Matches a host and everything below it; a `*` label matches any one label. */
export type HostPattern = string

/** A host in a record may be written with capitals (RFC 4343) and a final dot (RFC 7208 §7.1). */
export function normalizeHost(host: string): string {
  return host.toLowerCase().replace(/\.$/, '')
}

/** A check asks about each of its few hosts many times. A limit, because anyone can name hosts. */
const MAX_KNOWN = 500

/**
 * Finds the entry with the longest matching pattern, in time independent of the number of entries.
 * The patterns are indexed for the first host, because most starts match none.
 */
export function createHostMatcher<Entry>(
  entries: readonly Entry[],
  patternsOf: (entry: Entry) => readonly HostPattern[],
): (host: string) => Entry | null {
  let index: PatternIndex<Entry> | undefined
  const known = new Map<string, Entry | null>()
  return (host) => {
    const before = known.get(host)
    if (before !== undefined) return before
    index ??= indexPatterns(entries, patternsOf)
    const found = findLongest(index, host)
    if (known.size === MAX_KNOWN) known.clear()
    known.set(host, found)
    return found
  }
}

function findLongest<Entry>({ plain, wildcards }: PatternIndex<Entry>, host: string): Entry | null {
  const found = wildcards
    .filter((row) => host.endsWith(row.end) && matches(row.labels, host.split('.')))
    .reduce<Row<Entry> | undefined>(longer, findSuffix(plain, host))
  return found?.entry ?? null
}

interface Row<Entry> {
  readonly pattern: HostPattern
  readonly entry: Entry
  readonly labels: readonly string[]
}

type PatternIndex<Entry> = ReturnType<typeof indexPatterns<Entry>>

function indexPatterns<Entry>(
  entries: readonly Entry[],
  patternsOf: (entry: Entry) => readonly HostPattern[],
) {
  const rows: Row<Entry>[] = entries.flatMap((entry) =>
    patternsOf(entry).map((pattern) => ({ pattern, entry, labels: pattern.split('.') })),
  )
  const plain = new Map(rows.map((row) => [row.pattern, row]))
  // There are few of these, so each is tried.
  const wildcards = rows
    .filter(({ labels }) => labels.includes('*'))
    .map((row) => ({ ...row, end: row.pattern.slice(row.pattern.lastIndexOf('*') + 1) }))
  return { plain, wildcards }
}

/** The entry of the host itself, or of the nearest name above it. */
function findSuffix<Found>(rows: ReadonlyMap<string, Found>, host: string): Found | undefined {
  let start = 0
  for (;;) {
    const row = rows.get(host.slice(start))
    const dotAt = host.indexOf('.', start)
    if (row || dotAt === -1) return row
    start = dotAt + 1
  }
}

function longer<Entry>(
  one: Row<Entry> | undefined,
  other: Row<Entry> | undefined,
): Row<Entry> | undefined {
  return (other?.pattern.length ?? 0) > (one?.pattern.length ?? 0) ? other : one
}

function matches(pattern: readonly string[], labels: readonly string[]): boolean {
  const start = labels.length - pattern.length
  return (
    start >= 0 && pattern.every((label, index) => label === '*' || label === labels[start + index])
  )
}
