/** Reads aggregate reports for a command, and says what the owner can answer about their sources. */
import type { AggregateSummary, ReadOptions, ReadProgress } from '@mailgrade/dmarc-reports'
import { Option } from 'commander'
import { type CommandContext, UsageError } from '../command-line/command.js'
import { collect } from '../command-line/shared-options.js'
import { openStatusLine } from '../terminal/layout.js'

export interface SourceAnswers {
  readonly mine?: readonly string[] | undefined
  readonly notMine?: readonly string[] | undefined
}

export const SOURCE_ANSWER_OPTIONS = [
  new Option(
    '--mine <source>',
    'a domain or network that sends for you, so it has to pass before the policy is enforced',
  ).argParser(collect((text) => text.trim())),
  new Option(
    '--not-mine <source>',
    'a service, domain, or network that doesn’t send for you; "unknown" means every unknown source',
  ).argParser(collect((text) => text.trim())),
]

/** Refuses input without a report, after `onEmpty` was given what was read. */
export async function readReports(
  inputs: readonly string[],
  { mine = [], notMine = [] }: SourceAnswers,
  context: CommandContext,
  onEmpty: (read: AggregateSummary) => Promise<void> = async () => {},
): Promise<AggregateSummary> {
  const both = mine.find((name) => notMine.some((other) => isSameName(name, other)))
  if (both !== undefined) {
    throw new UsageError(`${both} is in both --mine and --not-mine. Pass it to only one of them.`)
  }
  if (mine.some((name) => isSameName(name, 'unknown'))) {
    throw new UsageError('--mine unknown would count forged mail as yours. Name each source.')
  }
  const read = await readWithStatus(inputs, { mine, notMine }, context)
  await explainProblems(read, context)
  if (read.reports.counted === 0) {
    await onEmpty(read)
    throw new UsageError(
      'We didn’t find any DMARC aggregate reports. Pass the files that receivers sent you, or the folder they’re in.',
    )
  }
  return read
}

function isSameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}

async function readWithStatus(
  inputs: readonly string[],
  answers: Required<Pick<ReadOptions, 'mine' | 'notMine'>>,
  { stdin, signal, stderr, now }: CommandContext,
): Promise<AggregateSummary> {
  const { readAggregateFiles } = await import('./read-aggregate-files.js')
  const status = await openStatusLine(stderr)
  const onProgress = ({ files, reports }: ReadProgress) =>
    status.show(`Reading file ${files}: ${reports} reports so far`)
  try {
    return await readAggregateFiles(inputs, {
      stdin,
      signal,
      onProgress,
      now: now(),
      ...answers,
    })
  } finally {
    status.end()
  }
}

/** Text output lists the problems itself. */
async function explainProblems(
  { problems, problemCount, reports }: AggregateSummary,
  { stderr }: CommandContext,
): Promise<void> {
  if (reports.counted > 0) return
  const { printable } = await import('./aggregate-words.js')
  for (const { file, message } of problems)
    stderr.write(`${printable(file)}: ${printable(message, 500)}\n`)
  const others = problemCount - problems.length
  const files = others === 1 ? '1 more file' : `${others} more files`
  if (others > 0) stderr.write(`We couldn’t read ${files}.\n`)
}
