/** `mailgrade scan`: many domains from a file, a CSV column or a pipe. */
import { MAX_GIVEN_SELECTORS, parseSelector } from '@mailgrade/core'
import { Option } from 'commander'
import { defineCommand, STDIN, UsageError } from '../command-line/command.js'
import { formatOfFile, toFileProblem } from '../command-line/output-file.js'
import {
  exactOption,
  type FailOn,
  failOnOption,
  parsePositive,
  parsePositiveInteger,
  scanResolverOption,
  selectorOption,
} from '../command-line/shared-options.js'
import { isPipe } from '../scan/scan-files.js'
import { SCAN_FORMATS, type ScanFormat } from '../scan/scan-output.js'

interface ScanCommandOptions {
  readonly column?: string
  readonly format?: ScanFormat
  readonly brief?: boolean
  readonly out?: string
  readonly outDir?: string
  readonly resume?: boolean
  readonly html?: string
  readonly concurrency: number
  readonly rate?: number
  readonly timeout: number
  readonly resolver?: readonly URL[]
  readonly selector?: readonly string[]
  readonly exact?: boolean
  readonly failOn: FailOn
}

export const scanCommand = defineCommand<ScanCommandOptions>({
  name: 'scan',
  summary: 'check any number of domains from a file, a CSV column, or a pipe',
  argument: '<file>',
  argumentDescription: 'a text file with one domain per line, a CSV file, or - for standard input',
  options: [
    new Option(
      '--column <name>',
      'CSV column to read, by name or number (default: domain, or the first column)',
    ),
    new Option(
      '-f, --format <format>',
      'output format (default: csv if --out ends in .csv, otherwise ndjson)',
    ).choices(SCAN_FORMATS),
    new Option('--brief', 'write a short summary of each domain instead of the full report'),
    new Option('-o, --out <file>', 'write the results to this file'),
    new Option('--out-dir <folder>', 'write a JSON file for each domain to this folder'),
    new Option('--resume', 'continue an interrupted scan without repeating domains that are done'),
    new Option('--html <file>', 'also write an HTML page with counts and the worst domains'),
    new Option('--concurrency <number>', 'how many domains to check at a time')
      .argParser(parsePositiveInteger)
      .default(50),
    new Option(
      '--rate <number>',
      'DNS queries per second to each resolver; a domain takes about 100 (default: 100, or no limit for a resolver on this computer)',
    ).argParser(parsePositive),
    new Option('--timeout <seconds>', 'give up if no resolver answers for this long')
      .argParser(parsePositive)
      .default(60),
    scanResolverOption,
    selectorOption,
    exactOption,
    failOnOption,
  ],
  examples: [
    {
      command: 'mailgrade scan domains.txt --out results.ndjson --html report.html',
      explanation: 'Check a list. After Ctrl-C (exit code 3), add --resume to continue.',
    },
    {
      command: 'mailgrade scan customers.csv --column Website --out results.csv',
      explanation: 'Read one column of a spreadsheet, and write the results as a spreadsheet.',
    },
    {
      command: 'cat domains.txt | mailgrade scan - --brief',
      explanation: 'Read domains from a pipe, and write one short line of JSON for each.',
    },
    {
      command: 'mailgrade scan domains.txt --resolver https://127.0.0.1/dns-query',
      explanation: 'Use a resolver on this computer, at full speed.',
    },
  ],
  async run([path = STDIN], options, context) {
    const { brief = false, resume = false, exact = false, selector: selectors = [] } = options
    const format = options.format ?? formatOfFile(options.out, SCAN_FORMATS) ?? 'ndjson'
    checkOptions(path, options)
    // Imported here, because no other command needs it.
    const { runScan } = await import('../scan/run-scan.js')
    const isCsv = options.column !== undefined || path.toLowerCase().endsWith('.csv')
    try {
      const given = { ...options, format, brief, resume, exact, selectors, isCsv }
      return await runScan(path, given, context)
    } catch (error) {
      if (Object(error).code === 'ENOSPC') throw new UsageError(DISK_FULL)
      throw toFileProblem(error)
    }
  },
})

const DISK_FULL =
  'The disk is full. Free some space, then run the same command with --resume to continue.'

function checkOptions(path: string, options: ScanCommandOptions): void {
  const { out, outDir, format, resume, selector = [] } = options
  if (out !== undefined && outDir !== undefined) {
    throw new UsageError('Use --out or --out-dir, not both.')
  }
  if (outDir !== undefined && format === 'csv') {
    throw new UsageError('--out-dir writes JSON files. To get CSV, use --out.')
  }
  if (resume && isPipe(path)) {
    throw new UsageError('--resume needs an input file, because a pipe can’t be read twice.')
  }
  if (resume && out === undefined && outDir === undefined) {
    throw new UsageError('--resume needs the same --out or --out-dir as the interrupted scan.')
  }
  if (selector.length > MAX_GIVEN_SELECTORS) {
    throw new UsageError(`Use at most ${MAX_GIVEN_SELECTORS} selectors.`)
  }
  for (const text of selector) {
    const parsed = parseSelector(text, null)
    if (parsed.kind === 'refused') throw new UsageError(`${text}: ${parsed.reason}`)
  }
}
