/** How long a resolver asks to be left alone (RFC 9110 §10.2.3: seconds, or a date). */

const DEFAULT_MS = 1_000
/** A resolver that asks for more is tried again after this all the same. */
const LONGEST_MS = 300_000

export function retryAfterMs(header: string | undefined, today: () => number): number {
  if (!header) return DEFAULT_MS
  const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - today()
  return Number.isNaN(ms) ? DEFAULT_MS : Math.min(Math.max(ms, DEFAULT_MS), LONGEST_MS)
}
