const MAX_LISTED = 5

/** Names in a sentence: each once, and no more of them than one reads. */
export function listed(names: readonly string[]): string {
  const unique = [...new Set(names)]
  const more = unique.length - MAX_LISTED
  const head = unique.slice(0, MAX_LISTED).join(', ')
  return more > 0 ? `${head} and ${more} more` : head
}
