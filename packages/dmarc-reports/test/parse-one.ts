import type { ByteStream } from '../src/byte-stream.js'
import { type ParsedReport, parseReports } from '../src/parse-report.js'
import type { ReportRecord } from '../src/report-record.js'

/** For a stream with one report. */
export async function parseOne(
  source: ByteStream,
  onRecord: (record: ReportRecord) => void = () => {},
  maxBytes?: number,
): Promise<ParsedReport> {
  const reports: ParsedReport[] = []
  for await (const report of parseReports(source, onRecord, maxBytes)) reports.push(report)
  const [report] = reports
  if (!report || reports.length > 1) throw new Error(`${reports.length} reports instead of one`)
  return report
}
