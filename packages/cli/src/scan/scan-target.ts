/**
 * Opens what a scan writes to, new or where an interrupted scan ended, even by SIGKILL.
 *
 * The journal is a file beside the output: a header that says what is scanned, then one line for
 * each domain, with the length of the output after that domain. A domain is written to the output
 * first and to the journal second, and counts as done with its complete line in the journal. To
 * resume, a last line that is not complete is cut off the journal, and the output is cut to the
 * length that the last complete line says. So a kill between the two writes costs one more check of
 * a domain, and no domain is lost or written twice.
 */
import { closeSync, existsSync, openSync, readSync, rmSync, statSync } from 'node:fs'
import { stringifySafely } from '@mailgrade/core'
import { type OutputStream, UsageError } from '../command-line/command.js'
import { makeFolders } from '../command-line/output-file.js'
import { growingFiles, isSpecialFile, refuseLinks } from './scan-files.js'
import type { InputSurvey } from './scan-input.js'
import {
  type AppendFile,
  createStreamOutput,
  isInFolder,
  openAppendFile,
  openFileOutput,
  openFolderOutput,
  type ScanOutput,
  type TextFormat,
} from './scan-output.js'
import { isScanRow, type ScanRow } from './scan-row.js'

export interface TargetOptions extends TextFormat {
  readonly out?: string | undefined
  readonly outDir?: string | undefined
  readonly resume: boolean
  readonly column?: string | undefined
  readonly exact: boolean
  readonly selectors: readonly string[]
}

export interface ScanTarget {
  readonly output: ScanOutput
  /** Null if the scan cannot be resumed. */
  readonly journal: ScanJournal | null
  readonly isStdout: boolean
}

/** `survey` is null if the input is a pipe, which cannot be read again. */
export function openTarget(
  options: TargetOptions,
  survey: InputSurvey | null,
  stdout: OutputStream,
  onDone: (row: ScanRow) => void,
): ScanTarget {
  const { outDir, resume, brief } = options
  const files = growingFiles(options)
  if (files === null) {
    return { output: createStreamOutput(stdout, options), journal: null, isStdout: true }
  }
  if (outDir !== undefined) makeFolders(outDir)
  // Only the file that the user names may be a link.
  refuseLinks(outDir === undefined ? [files.journal] : Object.values(files))
  const openOutput = (keptLength: number) =>
    outDir === undefined
      ? openFileOutput(files.output, keptLength, options)
      : openFolderOutput(outDir, keptLength, brief)

  if (survey === null || isSpecialFile(files.output)) {
    return { output: openOutput(0), journal: null, isStdout: false }
  }
  const identity = toIdentity(options, survey)
  if (!resume) {
    const journal = createJournal(files.journal, identity)
    try {
      return { output: openOutput(0), journal, isStdout: false }
    } catch (error) {
      journal.remove()
      throw error
    }
  }
  const onRecord = (row: ScanRow) => {
    if (outDir === undefined || isInFolder(outDir, row)) onDone(row)
  }
  const { journal, outputLength } = resumeJournal(files.journal, identity, files.output, onRecord)
  return { output: openOutput(outputLength), journal, isStdout: false }
}

/** Everything that decides which domains are checked and what is written about them. */
function toIdentity(options: TargetOptions, { sha256 }: InputSurvey): ScanIdentity {
  const { format, brief, column, exact, selectors } = options
  return {
    'the input file': sha256,
    '--format': format,
    '--brief': String(brief),
    '--column': column ?? '',
    '--exact': String(exact),
    '--selector': selectors.join(),
  }
}

/** What must be the same when a scan is resumed: a name for people, and its value. */
type ScanIdentity = Readonly<Record<string, string>>

interface ScanJournal {
  append(outputLength: number, row: ScanRow): void
  /** The scan is complete. */
  remove(): void
  close(): void
}

/** Starts a journal. Refuses to replace that of an interrupted scan. */
function createJournal(path: string, identity: ScanIdentity): ScanJournal {
  if (existsSync(path)) {
    throw new UsageError(
      `An interrupted scan was writing to the same output. Add --resume to continue it, or delete ${path} to start over.`,
    )
  }
  return startJournal(path, identity)
}

/**
 * Opens the journal of an interrupted scan and passes on every domain that is done. Returns how much
 * of the output is valid.
 */
function resumeJournal(
  path: string,
  identity: ScanIdentity,
  outputPath: string,
  onDone: (row: ScanRow) => void,
): { readonly journal: ScanJournal; readonly outputLength: number } {
  if (!existsSync(path)) {
    throw new UsageError(
      `There’s no interrupted scan to resume, because ${path} doesn’t exist. Run the command without --resume.`,
    )
  }
  const maxLength = existsSync(outputPath) ? statSync(outputPath).size : 0
  let outputLength = 0
  let validLength = 0
  for (const { text, end } of readCompleteLines(path)) {
    if (validLength === 0) checkIdentity(parseJson(text), identity, path)
    else {
      const record = parseJson(text)
      // After a power failure, the output may be shorter than the journal says.
      if (!isJournalRecord(record) || record[0] < outputLength || record[0] > maxLength) break
      outputLength = record[0]
      onDone(record[1])
    }
    validLength = end
  }
  if (outputLength > 0 && readOctet(outputPath, outputLength - 1) !== LINE_FEED) {
    throw new UsageError(
      `You can’t resume this scan, because ${outputPath} has been edited since it was interrupted. Delete ${path} to start over.`,
    )
  }
  const journal =
    validLength === 0
      ? startJournal(path, identity)
      : journalOver(openAppendFile(path, validLength), path)
  return { journal, outputLength }
}

type JournalRecord = readonly [outputLength: number, row: ScanRow]

/** A line that is anything else ends the journal: it was damaged, and what follows is unknown. */
function isJournalRecord(value: unknown): value is JournalRecord {
  return Array.isArray(value) && Number.isSafeInteger(value[0]) && isScanRow(value[1])
}

function startJournal(path: string, identity: ScanIdentity): ScanJournal {
  const file = openAppendFile(path, 0)
  file.append(`${stringifySafely(identity)}\n`)
  return journalOver(file, path)
}

function journalOver(file: AppendFile, path: string): ScanJournal {
  return {
    append(outputLength, row) {
      file.append(`${stringifySafely([outputLength, row] satisfies JournalRecord)}\n`)
    },
    remove() {
      file.close()
      rmSync(path)
    },
    close: file.close,
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function checkIdentity(header: unknown, now: ScanIdentity, path: string): void {
  const before = (header ?? {}) as ScanIdentity
  const names = new Set([...Object.keys(before), ...Object.keys(now)])
  for (const name of names) {
    if (before[name] === now[name]) continue
    throw new UsageError(
      `You can’t resume this scan, because ${name} has changed since it began. Run it as before, or delete ${path} to start over.`,
    )
  }
}

const CHUNK_BYTES = 65_536
/** The longest entry needs a tenth of it. */
const MAX_LINE_BYTES = 1_000_000
const LINE_FEED = 0x0a

function readOctet(path: string, at: number): number | undefined {
  const octet = Buffer.alloc(1)
  const file = openSync(path, 'r')
  try {
    readSync(file, octet, 0, 1, at)
  } finally {
    closeSync(file)
  }
  return octet[0]
}

/** The lines that end with a line feed, up to one that is too long; each with the offset after it. */
function* readCompleteLines(path: string): Generator<{ text: string; end: number }> {
  const file = openSync(path, 'r')
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
  let rest = Buffer.alloc(0)
  let end = 0
  try {
    for (let length = readSync(file, chunk); length > 0; length = readSync(file, chunk)) {
      if (rest.length > MAX_LINE_BYTES) return
      let bytes = Buffer.concat([rest, chunk.subarray(0, length)])
      for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED)) {
        end += at + 1
        yield { text: bytes.toString('utf8', 0, at), end }
        bytes = bytes.subarray(at + 1)
      }
      rest = bytes
    }
  } finally {
    closeSync(file)
  }
}
