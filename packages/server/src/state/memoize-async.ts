/**
 * Calls `make` once and keeps its result, forever or for `ttlMs`; after a failure, the next call
 * tries again.
 */
export function memoizeAsync<Value>(
  make: () => Promise<Value>,
  { ttlMs, now }: { readonly ttlMs: number; readonly now: () => number } = FOREVER,
): () => Promise<Value> {
  let made: Promise<Value> | null = null
  let expiresAt = 0
  return () => {
    if (made !== null && now() < expiresAt) return made
    expiresAt = now() + ttlMs
    const making = make()
    made = making
    // Callers handle the rejection themselves; this branch only forgets it.
    making.catch(() => {
      if (made === making) made = null
    })
    return making
  }
}

const FOREVER = { ttlMs: Number.POSITIVE_INFINITY, now: () => 0 }
