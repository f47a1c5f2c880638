/** The answers by what was asked and their status, for people. */
import type { Weather } from './storm.js'

export function tableOf({ counts }: Weather): string {
  const rows = [...counts].sort(([one], [other]) => one.localeCompare(other))
  return rows
    .map(([label, statuses]) => {
      const cells = [...statuses].sort(([one], [other]) => one.localeCompare(other))
      return `  ${label.padEnd(26)}${cells.map(([status, n]) => `${status}: ${n}`).join('  ')}`
    })
    .join('\n')
}

export function total({ counts }: Weather): number {
  return [...counts.values()].flatMap((row) => [...row.values()]).reduce((sum, n) => sum + n, 0)
}
