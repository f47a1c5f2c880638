/** What every command that reports on domains or addresses does: request, print, choose an exit code. */
import { existsSync } from 'node:fs'
import { BYTE_ORDER_MARK, stringifySafely, toVisibleLine } from '@mailgrade/core'
import { type CommandContext, EXIT, type ExitCode, UsageError } from '../command-line/command.js'
import { openReportSource } from '../command-line/open-report-source.js'
import { writeOutputFile } from '../command-line/output-file.js'
import type { ReportSource, SourceResult } from '../command-line/report-source.js'
import type { FailOn, ReportFile, SourceOptions } from '../command-line/shared-options.js'
import { DEFAULT_RESOLVERS, type ReportMeta } from '../library.js'
import { type DocumentContent, toDocumentEntry } from '../output/document-entry.js'
import { DOCUMENT_FORMATS, type ReportFormat } from '../output/document-formats.js'
import {
  exitCodeOf,
  isAtLeast,
  type ReportOutcome,
  toJsonValue,
  worstExitCode,
} from '../output/report-outcome.js'
import { toTerminalReport } from '../output/terminal-words.js'
import { isSameFile } from '../scan/scan-files.js'
import { createLayout, type Layout } from '../terminal/layout.js'

export interface ReportKind<Report> extends DocumentContent<Report> {
  request(source: ReportSource, subject: string): Promise<SourceResult<Report>>
  text(report: Report, meta: ReportMeta, layout: Layout): string
  /** For reports whose exit code depends on more than findings. */
  exitCode?(report: Report): ExitCode
}

export interface OutputOptions {
  readonly format: ReportFormat
  readonly report?: readonly ReportFile<ReportFormat>[]
  readonly failOn?: FailOn
}

const REPORTS_AT_ONCE = 8

export async function runReports<Report>(
  subjects: readonly string[],
  kind: ReportKind<Report>,
  options: SourceOptions & OutputOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const { format, report: files = [], failOn = 'high' } = options
  // First, because a report of a service may cost money.
  checkPathsDiffer(files)
  const source = await openReportSource(options, context)
  const outcomes: ReportOutcome<Report>[] = []
  const print = printerFor(format, failOn, kind, context)
  try {
    const requests = mapInOrder(subjects, REPORTS_AT_ONCE, async (subject) => ({
      subject,
      result: await kind.request(source, subject),
    }))
    for await (const outcome of requests) {
      outcomes.push(outcome)
      print.outcome(outcome)
    }
  } finally {
    source.close()
  }
  print.end(outcomes)
  context.stderr.write(resolverHint(outcomes, options))
  for (const file of files) await writeReportFile(file, failOn, kind, outcomes)
  return worstExitCode(outcomes.map((outcome) => exitCodeOf(outcome, exitCode)))

  function exitCode(report: Report): ExitCode {
    const isFailing = kind.findings(report).some((finding) => isAtLeast(finding, failOn))
    return isFailing ? EXIT.findings : (kind.exitCode?.(report) ?? EXIT.fine)
  }
}

function checkPathsDiffer(files: readonly ReportFile<ReportFormat>[]): void {
  for (const [index, { path }] of files.entries()) {
    if (files.slice(0, index).some((earlier) => isSameFile(earlier.path, path))) {
      throw new UsageError(`Two --report options write to ${path}. Use a different file for each.`)
    }
  }
}

interface Printer<Report> {
  /** Called in the order of the subjects, as soon as each is ready. */
  outcome(outcome: ReportOutcome<Report>): void
  end(outcomes: readonly ReportOutcome<Report>[]): void
}

/** Writes to a file what a pipe would get. */
async function writeReportFile<Report>(
  { format, path }: ReportFile<ReportFormat>,
  failOn: FailOn,
  kind: ReportKind<Report>,
  outcomes: readonly ReportOutcome<Report>[],
): Promise<void> {
  const parts: string[] = []
  const stdout = { write: (text: string) => parts.push(text) > 0, once() {} }
  const stderr = { write: () => true, once() {} }
  const print = printerFor(format, failOn, kind, { stdout, stderr, env: {} })
  for (const outcome of outcomes) print.outcome(outcome)
  print.end(outcomes)
  await writeOutputFile(path, (format === 'csv' ? BYTE_ORDER_MARK : '') + parts.join(''))
}

type PrinterContext = Pick<CommandContext, 'stdout' | 'stderr' | 'env'>

function printerFor<Report>(
  format: ReportFormat,
  failOn: FailOn,
  kind: ReportKind<Report>,
  context: PrinterContext,
): Printer<Report> {
  const { stdout, stderr } = context
  switch (format) {
    case 'text':
      return createTextPrinter(kind, context)
    case 'ndjson':
      return {
        outcome: (outcome) => stdout.write(`${stringifySafely(toJsonValue(outcome))}\n`),
        end() {},
      }
    case 'json':
      return {
        outcome() {},
        end(outcomes) {
          const values = outcomes.map(toJsonValue)
          const document = values.length === 1 ? values[0] : values
          stdout.write(`${stringifySafely(document, 2)}\n`)
        },
      }
    default:
      return {
        outcome() {},
        end(outcomes) {
          const entries = outcomes.map((outcome) => toDocumentEntry(outcome, kind))
          stdout.write(DOCUMENT_FORMATS[format](entries, failOn))
          for (const outcome of outcomes) stderr.write(errorLine(outcome))
        },
      }
  }
}

function createTextPrinter<Report>(
  kind: ReportKind<Report>,
  { stdout, stderr, env }: PrinterContext,
): Printer<Report> {
  const layout = createLayout(stdout, env)
  let isFirst = true
  return {
    outcome({ subject, result }) {
      if (result.kind !== 'report') {
        stderr.write(errorLine({ subject, result }))
        return
      }
      const rule = `\n${'─'.repeat(layout.columns)}\n\n`
      const { report, meta } = toTerminalReport(result)
      stdout.write(`${isFirst ? '' : rule}${kind.text(report, meta, layout)}`)
      isFirst = false
    },
    end() {},
  }
}

/** Many networks block DNS over HTTPS, and trying again does not help there. */
function resolverHint<Report>(
  outcomes: readonly ReportOutcome<Report>[],
  { resolver, server }: SourceOptions,
): string {
  const isBlocked = outcomes.every(
    ({ result }) =>
      result.kind === 'dns-unavailable' && ['unreachable', 'timeout'].includes(result.reason),
  )
  if (server || !isBlocked) return ''
  const urls: readonly (string | URL)[] = resolver ?? DEFAULT_RESOLVERS
  const hosts = urls.map((url) => new URL(url).host).join(', ')
  return `We got no answer from ${hosts}. If your network blocks DNS over HTTPS, use a different endpoint with --resolver.\n`
}

/** Empty for a report. What is wrong with the input names it already; a failure may not. */
function errorLine<Report>({ subject, result }: ReportOutcome<Report>): string {
  if (result.kind === 'report') return ''
  const isFailure = result.kind === 'dns-unavailable' || result.kind === 'service-problem'
  const prefix = isFailure ? `${toVisibleLine(subject)}: ` : ''
  const isFile = result.kind === 'unknown-domain' && existsSync(subject)
  const hint = isFile
    ? ` You have a file with that name. To check the domains in it, run: mailgrade scan ${toVisibleLine(subject)}`
    : ''
  return `${prefix}${toVisibleLine(result.detail)}${hint}\n`
}

/** Runs up to `limit` tasks at once and yields their results in the order of the items. */
export async function* mapInOrder<Item, Result>(
  items: readonly Item[],
  limit: number,
  run: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const running: Promise<Result>[] = []
  for (const item of items) {
    if (running.length === limit) yield await take(running)
    running.push(run(item))
  }
  while (running.length > 0) yield await take(running)
}

function take<Result>(running: Promise<Result>[]): Promise<Result> {
  const [first] = running.splice(0, 1)
  if (!first) throw new Error('Nothing is running')
  return first
}
