/** Reads aggregate reports from files, folders with all folders below them, and standard input. */
import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type AggregateSummary,
  type FoundFile,
  problem,
  type ReadOptions,
  readAggregateReports,
} from '@mailgrade/dmarc-reports'

export interface FileOptions extends ReadOptions {
  readonly stdin: AsyncIterable<Uint8Array>
}

export function readAggregateFiles(
  paths: readonly string[],
  { stdin, ...options }: FileOptions,
): Promise<AggregateSummary> {
  return readAggregateReports(() => findFiles(paths, stdin), options)
}

const MAX_DEPTH = 32

async function* findFiles(
  paths: readonly string[],
  stdin: AsyncIterable<Uint8Array>,
): AsyncGenerator<FoundFile> {
  for (const path of paths) {
    if (path !== '-') yield* findAt(path, true, 0)
    else {
      const open = () => stdin
      yield { kind: 'file', name: 'standard input', isGiven: true, canReopen: false, open }
    }
  }
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
