/** MX for a terminal. */
import { describeAddresses, type MxReport, mxWords, PROVIDER_KIND_LABELS } from '@mailgrade/core'
import { describeList, joinBlocks, type Layout } from '../terminal/layout.js'
import { issueBlocks } from './findings-text.js'
import { reportHeading } from './status-text.js'

export function mxText(report: MxReport, layout: Layout): string {
  const { provider, issues } = report
  return joinBlocks([
    reportHeading('MX of ', report, layout),
    provider ? `${PROVIDER_KIND_LABELS[provider.kind]}: ${provider.name}` : `${mxWords(report)}.`,
    serverList(report, layout),
    ...issueBlocks(issues, layout),
  ])
}

/** Null for a null MX, which names no server. */
export function serverList(
  { records, nullMx }: Pick<MxReport, 'records' | 'nullMx'>,
  { columns, style }: Layout,
): string | null {
  if (nullMx || records.length === 0) return null
  const rows = records.map(
    ({ preference, exchange, addresses }) =>
      [`${preference} ${exchange}`, describeAddresses(addresses)] as const,
  )
  return `${style('bold', 'Servers')}\n${describeList(rows, columns)}`
}
