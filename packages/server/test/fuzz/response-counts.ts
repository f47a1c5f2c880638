/** The answers by what was asked and their status, for people. */
import type { FuzzResults } from './run-fuzz.js'

export function formatResponseCounts({ counts }: FuzzResults): string {
  const rows = [...counts].sort(([one], [other]) => one.localeCompare(other))
  return rows
    .map(([label, statuses]) => {
      const cells = [...statuses].sort(([one], [other]) => one.localeCompare(other))
      return `  ${label.padEnd(26)}${cells.map(([status, n]) => `${status}: ${n}`).join('  ')}`
    })
    .join('\n')
}

export function countResponses({ counts }: FuzzResults): number {
  return [...counts.values()].flatMap((row) => [...row.values()]).reduce((sum, n) => sum + n, 0)
}
