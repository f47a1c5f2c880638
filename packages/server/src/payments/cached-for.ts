/** Caches the result of `load` for `ttlMs`. A failed load is not cached. */
export function cachedFor<Value>(
  load: () => Promise<Value>,
  { ttlMs, now }: { readonly ttlMs: number; readonly now: () => number },
): () => Promise<Value> {
  let cached: Promise<Value> | null = null
  let expiresAt = 0
  return () => {
    if (cached !== null && now() < expiresAt) return cached
    expiresAt = now() + ttlMs
    const loading = load()
    cached = loading
    // Callers handle the rejection themselves; this branch only clears the cache.
    loading.catch(() => {
      if (cached === loading) cached = null
    })
    return loading
  }
}
