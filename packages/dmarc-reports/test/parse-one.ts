import type { AggregateRecord } from '../src/aggregate-report.js'
import type { ByteStream } from '../src/byte-stream.js'
import { type ParsedAggregateReport, parseAggregateReports } from '../src/parse-aggregate-report.js'

/** For a stream with one report. */
export async function parseOne(
  source: ByteStream,
  onRecord: (record: AggregateRecord) => void = () => {},
  maxBytes?: number,
): Promise<ParsedAggregateReport> {
  const reports: ParsedAggregateReport[] = []
  for await (const report of parseAggregateReports(source, onRecord, maxBytes)) reports.push(report)
  const [report] = reports
  if (!report || reports.length > 1) throw new Error(`${reports.length} reports instead of one`)
  return report
}
