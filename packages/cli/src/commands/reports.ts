/** `mailgrade reports`: who sends as a domain, according to the aggregate reports of receivers. */
import { BYTE_ORDER_MARK, stringifySafely, toCsvRecords } from '@mailgrade/core'
import type { AggregateSummary } from '@mailgrade/dmarc-reports'
import { Option } from 'commander'
import {
  type CommandContext,
  defineCommand,
  EXIT,
  type ExitCode,
  UsageError,
} from '../command-line/command.js'
import { formatOfFile, writeOutputFile } from '../command-line/output-file.js'
import { worstExitCode } from '../output/report-outcome.js'
import { readReports, SOURCE_ANSWER_OPTIONS, type SourceAnswers } from '../reports/read-reports.js'
import { isFile, isSameFile } from '../scan/scan-files.js'
import { createLayout } from '../terminal/layout.js'

type Render = (read: AggregateSummary, context: CommandContext) => Promise<string>

/** A format is loaded when someone asks for it. */
const FORMATS = {
  text: async (read, { stdout, env }) => {
    const { renderText } = await import('../reports/aggregate-text.js')
    return renderText(read, createLayout(stdout, env))
  },
  // The version changes when a field is removed or gets another meaning.
  json: async (read) => `${stringifySafely({ version: 1, ...read }, 2)}\n`,
  csv: async (read) => toCsvRecords((await import('../reports/aggregate-csv.js')).toCsvRows(read)),
  html: async (read) => (await import('../reports/aggregate-html.js')).renderHtml(read),
} as const satisfies Record<string, Render>

type Format = keyof typeof FORMATS

const FORMAT_NAMES = Object.keys(FORMATS) as Format[]

interface ReportsOptions extends SourceAnswers {
  readonly format?: Format
  readonly out?: string
}

export const reportsCommand = defineCommand<ReportsOptions>({
  name: 'reports',
  summary: 'read DMARC aggregate reports and show whether a stricter policy is safe',
  argument: '<file...>',
  argumentDescription:
    'reports as .xml, .gz, .zip, .eml, or mbox files, folders of them, or - for standard input',
  options: [
    new Option(
      '-f, --format <format>',
      'output format (default: the extension of --out, otherwise text)',
    ).choices(FORMAT_NAMES),
    new Option('-o, --out <file>', 'write the result to this file'),
    ...SOURCE_ANSWER_OPTIONS,
  ],
  examples: [
    {
      command: 'mailgrade reports ~/dmarc-reports',
      explanation: 'Read every report in a folder, and see who sends as you and what fails.',
    },
    {
      command: 'mailgrade reports reports.mbox --out reports.html',
      explanation: 'Write an HTML page to read or share.',
    },
  ],
  async run(inputs, { out, format: given, ...answers }, context) {
    const format = given ?? formatOfFile(out, FORMAT_NAMES) ?? 'text'
    if (inputs.some((input) => out !== undefined && isSameFile(out, input))) {
      throw new UsageError(OUT_IS_REPORT)
    }
    // A program that reads the result gets the shape it knows.
    const isForProgram = format === 'json' && out === undefined
    const read = await readReports(inputs, answers, context, async (empty) => {
      if (isForProgram) context.stdout.write(await FORMATS.json(empty))
    })
    if (out !== undefined && (await isReport(out, context))) throw new UsageError(OUT_IS_REPORT)
    const text = await FORMATS[format](read, out === undefined ? context : { ...context, ...FILE })
    if (out === undefined) context.stdout.write(text)
    else await writeOutputFile(out, format === 'csv' ? BYTE_ORDER_MARK + text : text)
    return exitCodeOf(read)
  },
})

const OUT_IS_REPORT = '--out would overwrite one of the reports. Choose a different file.'

/** Reports are found in folders, too. */
async function isReport(path: string, { stdin }: CommandContext): Promise<boolean> {
  const { readAggregateFiles } = await import('../reports/read-aggregate-files.js')
  return isFile(path) && (await readAggregateFiles([path], { stdin })).reports.counted > 0
}

/** Text in a file has no color, and its width does not depend on the terminal. */
const FILE = { stdout: { write: () => true, once() {} }, env: {} }

const ROLLOUT_EXIT_CODES = {
  ready: EXIT.fine,
  'not-ready': EXIT.findings,
  'answer-first': EXIT.findings,
  unknown: EXIT.unavailable,
} as const

function exitCodeOf({ domains }: AggregateSummary): ExitCode {
  return worstExitCode(
    domains
      .flatMap(({ rollout, subdomains }) =>
        // A weaker policy below the domain is the next thing to raise only once the domain is done.
        rollout.next === null && subdomains ? [rollout, subdomains] : [rollout],
      )
      .map(({ status }) => ROLLOUT_EXIT_CODES[status]),
  )
}
