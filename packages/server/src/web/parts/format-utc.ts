/** `2026-11-15T17:58:11.123Z` as people read it. */
export function formatUtc(time: string): string {
  return `${time.slice(0, 16).replace('T', ' ')} UTC`
}
