/** Opens what a scan writes to, new or where an interrupted scan ended. */
import type { OutputStream } from '../command-line/command.js'
import { makeFolders } from '../command-line/output-file.js'
import { growingFiles, isSpecialFile, refuseLinks } from './scan-files.js'
import {
  createJournal,
  resumeJournal,
  type ScanIdentity,
  type ScanJournal,
} from './scan-journal.js'
import {
  createStreamOutput,
  isInFolder,
  openFileOutput,
  openFolderOutput,
  type ScanOutput,
  type TextFormat,
} from './scan-output.js'
import type { ScanRow } from './scan-row.js'
import type { InputSurvey } from './survey-input.js'

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
