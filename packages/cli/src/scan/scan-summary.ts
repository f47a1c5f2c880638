/** What a scan has found so far, in memory that does not grow with the number of domains. */
import { findEntry, type StatusName, toShortLine } from '@mailgrade/core'
import Table, { type TableConstructorOptions } from 'cli-table3'
import { EXIT, type ExitCode } from '../command-line/command.js'
import type { FailOn } from '../command-line/shared-options.js'
import { isAtLeast } from '../output/report-outcome.js'
import type { Layout } from '../terminal/layout.js'
import { isFailed, rowLabel, rowStatus, type ScanRow } from './scan-row.js'

export interface ScanSummary {
  add(row: ScanRow): void
  readonly domains: number
  /** Domains for each verdict or error, the most frequent first. */
  verdicts(): Count[]
  /** Domains for each status, the worst first. */
  statuses(): Count<StatusName>[]
  /** Checked domains for each DMARC policy. */
  policies(): Count[]
  /** Domains for each finding, the most frequent first. */
  findings(): Count[]
  /** The worst domains first; at most `MAX_ROWS`. */
  worstRows(): readonly ScanRow[]
  exitCode(): ExitCode
}

export interface Count<Name = string> {
  readonly name: Name
  readonly count: number
}

/** How many domains the table of the HTML report shows. */
export const MAX_ROWS = 2_000

/** The worst first. */
const STATUS_ORDER = ['fail', 'warn', 'unknown', 'pass'] as const satisfies StatusName[]

export function createScanSummary(failOn: FailOn): ScanSummary {
  let domains = 0
  const verdicts = new Map<string, number>()
  const statuses = new Map<StatusName, number>()
  const policies = new Map<string, number>()
  const findings = new Map<string, number>()
  let rows: ScanRow[] = []
  let hasFindings = false
  let hasUnknown = false

  function keepWorst(): void {
    rows = rows.sort(compareRows).slice(0, MAX_ROWS)
  }

  return {
    add(row) {
      domains++
      increment(verdicts, rowLabel(row))
      increment(statuses, rowStatus(row))
      rows.push(row)
      // Sorted rarely, so a row costs little.
      if (rows.length >= 2 * MAX_ROWS) keepWorst()
      if (isFailed(row)) {
        // As for other commands, a domain that does not exist is a finding.
        if (row.error.code === 'unknown_domain') hasFindings = true
        else hasUnknown = true
        return
      }
      increment(policies, row.policy ?? 'no policy')
      for (const id of new Set(row.findings)) increment(findings, id)
      hasFindings ||= row.findings.some((id) => isSevere(id, failOn))
    },
    get domains() {
      return domains
    },
    verdicts: () => toCounts(verdicts),
    statuses: () => STATUS_ORDER.map((name) => ({ name, count: statuses.get(name) ?? 0 })),
    policies: () => toCounts(policies),
    findings: () => toCounts(findings),
    worstRows() {
      keepWorst()
      return rows
    },
    exitCode: () => (hasFindings ? EXIT.findings : hasUnknown ? EXIT.unavailable : EXIT.fine),
  }
}

function increment<Name>(counts: Map<Name, number>, name: Name): void {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}

const MAX_NAME = 100

/** The rows of an earlier run come from a file, which may say anything. */
function toCounts(counts: ReadonlyMap<string, number>): Count[] {
  return [...counts]
    .map(([name, count]) => ({ name: toShortLine(name, MAX_NAME), count }))
    .sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1))
}

function isSevere(id: string, failOn: FailOn): boolean {
  const entry = findEntry(id)
  return entry !== null && isAtLeast(entry, failOn)
}

function compareRows(left: ScanRow, right: ScanRow): number {
  return (
    STATUS_ORDER.indexOf(rowStatus(left)) - STATUS_ORDER.indexOf(rowStatus(right)) ||
    compareText(rowLabel(left), rowLabel(right)) ||
    countFindings(right) - countFindings(left) ||
    compareText(left.domain, right.domain)
  )
}

function countFindings(row: ScanRow): number {
  return isFailed(row) ? 0 : row.findings.length
}

/** By code unit, which is much faster than by locale. */
function compareText(left: string, right: string): number {
  return left < right ? -1 : Number(left > right)
}

const MOST_FREQUENT = 8

/** How many domains have each verdict, policy and finding. */
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

export function formatCount(count: number): string {
  return count.toLocaleString('en-US')
}

/** The id with its title. */
export function describeFinding(id: string): string {
  const entry = findEntry(id)
  return entry ? `${id}: ${entry.title}` : id
}

export function formatShare(count: number, total: number): string {
  return `${Math.round((100 * count) / total)}%`
}
