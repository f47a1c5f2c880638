/** Where the results of a scan go: a stream, a file, or a folder with one file for each domain. */
import {
  closeSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { BYTE_ORDER_MARK, stringifySafely } from '@mailgrade/core'
import type { OutputStream } from '../command-line/command.js'
import { makeFolders, toFileStem } from '../command-line/output-file.js'
import { toJsonValue } from '../output/report-outcome.js'
import { CSV_HEADER, isFailed, type ScanOutcome, type ScanRow, toCsvLine } from './scan-row.js'

export const SCAN_FORMATS = ['ndjson', 'csv'] as const
export type ScanFormat = (typeof SCAN_FORMATS)[number]

export interface TextFormat {
  readonly format: ScanFormat
  /** Only the row of each domain instead of its report. */
  readonly brief: boolean
}

interface ScanResult {
  readonly outcome: ScanOutcome
  readonly row: ScanRow
  /** A name for a file; null if the entry is not a domain. */
  readonly domain: string | null
}

export interface ScanOutput {
  /** Resolves when the next result may be written. */
  write(result: ScanResult): Promise<void> | void
  /** The length of the file, for the journal. */
  length(): number
  close(): void
}

export function createStreamOutput(stream: OutputStream, format: TextFormat): ScanOutput {
  if (format.format === 'csv') stream.write(CSV_HEADER)
  let draining: Promise<void> | null = null
  return {
    async write(result) {
      if (!stream.write(toLine(result, format))) {
        draining ??= new Promise((resolve) => {
          stream.once('drain', () => {
            draining = null
            resolve()
          })
        })
      }
      await draining
    },
    length: () => 0,
    close() {},
  }
}

export function openFileOutput(path: string, keptLength: number, format: TextFormat): ScanOutput {
  const file = openAppendFile(path, keptLength)
  if (keptLength === 0 && format.format === 'csv') file.append(BYTE_ORDER_MARK + CSV_HEADER)
  return {
    write: (result) => file.append(toLine(result, format)),
    length: file.length,
    close: file.close,
  }
}

/** Entries that are not domains, so no file can have their name. */
export const INVALID_ENTRIES_FILE = 'not-domains.ndjson'
const TEMPORARY_FILE = '.unfinished'

/** A file appears with its complete content, because it is renamed after it is written. */
export function openFolderOutput(folder: string, keptLength: number, brief: boolean): ScanOutput {
  makeFolders(folder)
  const format = { format: 'ndjson', brief } as const
  const others = openFileOutput(join(folder, INVALID_ENTRIES_FILE), keptLength, format)
  const temporary = join(folder, TEMPORARY_FILE)
  // A scan that was killed may have left one.
  rmSync(temporary, { force: true })
  return {
    ...others,
    write(result) {
      if (result.domain === null) return others.write(result)
      const value = brief ? result.row : toJsonValue(result.outcome)
      // `wx` follows no link.
      writeFileSync(temporary, `${stringifySafely(value, 2)}\n`, { flag: 'wx' })
      renameSync(temporary, join(folder, toFileName(result.domain)))
    },
  }
}

/** False if a power failure took the file of a domain, or left it empty. */
export function isInFolder(folder: string, row: ScanRow): boolean {
  if (isFailed(row) && row.error.code === 'invalid_input') return true
  try {
    return statSync(join(folder, toFileName(row.domain))).size > 0
  } catch {
    return false
  }
}

function toFileName(domain: string): string {
  return `${toFileStem(domain)}.json`
}

function toLine({ outcome, row }: ScanResult, { format, brief }: TextFormat): string {
  if (format === 'csv') return toCsvLine(row)
  return `${stringifySafely(brief ? row : toJsonValue(outcome))}\n`
}

export interface AppendFile {
  append(text: string): void
  /** In octets. */
  length(): number
  close(): void
}

/**
 * A file that grows. Each text is written before `append` returns, so writes keep their order. Keeps
 * the first `keptLength` octets of the file; with 0, it need not exist.
 */
export function openAppendFile(path: string, keptLength: number): AppendFile {
  if (keptLength > 0) truncateSync(path, keptLength)
  const file = openSync(path, keptLength > 0 ? 'a' : 'w')
  let length = keptLength
  let failure: unknown = null

  function write(bytes: Buffer): void {
    // A write may end early, for example when the disk is nearly full.
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
    length += bytes.length
  }

  return {
    append(text) {
      // The file may end with a part of a text, which no other text may follow.
      if (failure !== null) throw failure
      try {
        write(Buffer.from(text))
      } catch (error) {
        failure = error
        throw error
      }
    },
    length: () => length,
    close: () => closeSync(file),
  }
}
