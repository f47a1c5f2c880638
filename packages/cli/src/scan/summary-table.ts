/** The summary at the end of a scan: how many domains have each verdict, policy and finding. */
import { findEntry } from '@mailgrade/core'
import Table, { type TableConstructorOptions } from 'cli-table3'
import type { Layout } from '../terminal/layout.js'
import { formatCount } from './scan-progress.js'
import type { Count, ScanSummary } from './scan-summary.js'

const MOST_FREQUENT = 8

export function summaryTable(summary: ScanSummary, { columns, style }: Layout): string {
  const total = summary.domains
  const sections: [string, Count[]][] = [
    ['Verdict', summary.verdicts()],
    ['DMARC policy', summary.policies()],
    ['Most common findings', topFindings(summary)],
  ]
  const width = Math.min(columns, 80)
  const options: TableConstructorOptions = {
    style: { head: [], border: [], compact: true },
    colAligns: ['left', 'right', 'right'],
    colWidths: [width - 24, 12, 8],
    wordWrap: true,
  }
  const tables = sections
    .filter(([, counts]) => counts.length > 0)
    .map(([heading, counts]) => {
      const head = [heading, 'Domains', ''].map((text) => style('bold', text))
      const table = new Table({ ...options, head })
      for (const { name, count } of counts) {
        table.push([name, formatCount(count), formatShare(count, total)])
      }
      return `${table.toString()}\n`
    })
  return total === 0 ? 'No domains were checked.\n' : tables.join('')
}

function topFindings(summary: ScanSummary): Count[] {
  return summary
    .findings()
    .slice(0, MOST_FREQUENT)
    .map(({ name, count }) => ({ name: describeFinding(name), count }))
}

/** The id with its title. */
export function describeFinding(id: string): string {
  const entry = findEntry(id)
  return entry ? `${id}: ${entry.title}` : id
}

export function formatShare(count: number, total: number): string {
  return `${Math.round((100 * count) / total)}%`
}
