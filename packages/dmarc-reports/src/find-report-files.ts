/** Finds the files to read: files, folders with all folders below them, and `-` for standard input. */
import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ByteStream } from './byte-stream.js'
import { type Problem, problem } from './problem.js'

export interface ReportFile {
  readonly kind: 'file'
  readonly name: string
  /** Named by the user, so it has to be a report; other files in a folder are skipped silently. */
  readonly isGiven: boolean
  /** Standard input can be read only once. */
  readonly canReopen: boolean
  open(): ByteStream
}

export type FoundFile = ReportFile | { readonly kind: 'problem'; readonly problem: Problem }

/** A path, `-`, or an open stream. */
export type ReportInput = string | { readonly name: string; readonly stream: ByteStream }

const MAX_DEPTH = 32

export async function* findReportFiles(
  inputs: readonly ReportInput[],
  stdin: ByteStream = process.stdin,
): AsyncGenerator<FoundFile> {
  for (const input of inputs) {
    if (typeof input !== 'string') yield once(input.name, input.stream)
    else if (input === '-') yield once('standard input', stdin)
    else yield* findAt(input, true, 0)
  }
}

function once(name: string, stream: ByteStream): ReportFile {
  return { kind: 'file', name, isGiven: true, canReopen: false, open: () => stream }
}

async function* findAt(path: string, isGiven: boolean, depth: number): AsyncGenerator<FoundFile> {
  const found = await stat(path).catch(errorCode)
  if (typeof found === 'string') {
    yield { kind: 'problem', problem: problem('unreadable', path, found) }
  } else if (found.isDirectory()) {
    if (depth < MAX_DEPTH) yield* findInFolder(path, depth)
  } else if (found.isFile() || (isGiven && found.isFIFO())) {
    const canReopen = found.isFile()
    yield { kind: 'file', name: path, isGiven, canReopen, open: () => createReadStream(path) }
  } else if (isGiven) {
    yield { kind: 'problem', problem: problem('unreadable', path) }
  }
}

async function* findInFolder(folder: string, depth: number): AsyncGenerator<FoundFile> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(errorCode)
  if (typeof entries === 'string') {
    yield { kind: 'problem', problem: problem('unreadable', folder, entries) }
    return
  }
  // A link to a folder may lead back up.
  const isLinkedFolder = async (path: string) =>
    await stat(path)
      .catch(errorCode)
      .then((found) => typeof found !== 'string' && found.isDirectory())
  for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
    const path = join(folder, entry.name)
    if (entry.isSymbolicLink() && (await isLinkedFolder(path))) continue
    yield* findAt(path, false, depth + 1)
  }
}

function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error)
}
