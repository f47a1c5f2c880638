/**
 * Reads what accounting needs of all payments on disk while the service runs. LevelDB lets no
 * second process in, so this reads a copy of its files.
 */
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { LedgerRecord } from './ledger.js'
import { toLedgerRecord } from './ledger-rules.js'
import { JOURNAL_DIRECTORY, JournalUnavailable, openLevelJournal } from './level-journal.js'

const TRIES = 20
const COPY_PREFIX = 'copy-'
/** Copying takes seconds; one that is older was left by a process that was killed. */
const COPY_IS_OLD_MS = 60 * 60_000

type CopyFile = (from: string, to: string) => Promise<void>

export async function readJournalRecords(
  dataDir: string,
  /** Tests pass their own. */
  copy: CopyFile = copyFile,
): Promise<LedgerRecord[]> {
  await removeOldCopies(dataDir)
  // In DATA_DIR, because the rest of the file system may be read-only.
  const copyDir = await mkdtemp(join(dataDir, COPY_PREFIX)).catch((error) => {
    throw new JournalUnavailable(
      `DATA_DIR (${dataDir}) cannot be written (${error.code}). Run this as the user that the service runs as, with its DATA_DIR.`,
    )
  })
  try {
    await copyJournal(dataDir, copyDir, copy).catch((error: NodeJS.ErrnoException) => {
      if (error instanceof JournalUnavailable) throw error
      throw new JournalUnavailable(
        `The payments in DATA_DIR (${dataDir}) cannot be copied (${error.code}). The copy needs as much free space as they take up now.`,
      )
    })
    const journal = await openLevelJournal(copyDir, { isCopy: true })
    await journal.close()
    return journal.entries.map(toLedgerRecord)
  } finally {
    await rm(copyDir, { recursive: true })
  }
}

/** A process that is killed leaves its copy behind. */
export async function removeOldCopies(dataDir: string, now = Date.now()): Promise<void> {
  const names = await readdir(dataDir).catch(() => [])
  for (const name of names.filter((it) => it.startsWith(COPY_PREFIX))) {
    const path = join(dataDir, name)
    const found = await stat(path).catch(() => null)
    if (found && now - found.mtimeMs >= COPY_IS_OLD_MS) {
      await rm(path, { recursive: true, force: true }).catch(() => {})
    }
  }
}

/** Starts again if LevelDB has moved entries from one file to another meanwhile. */
async function copyJournal(dataDir: string, copyDir: string, copy: CopyFile): Promise<void> {
  const from = join(dataDir, JOURNAL_DIRECTORY)
  const to = join(copyDir, JOURNAL_DIRECTORY)
  for (let tries = 0; tries < TRIES; tries++) {
    await rm(to, { recursive: true, force: true })
    await mkdir(to)
    const before = await describeFiles(from)
    const isCopied = await copyFiles(before.names, from, to, copy)
    const after = await describeFiles(from)
    if (isCopied && before.version === after.version) return
  }
  throw new JournalUnavailable(`DATA_DIR (${dataDir}) is changing too fast to copy. Try again.`)
}

/** The version changes with every file that LevelDB adds or removes: its manifest lists them. */
async function describeFiles(directory: string) {
  const all = await readdir(directory).catch((error) => {
    throw new JournalUnavailable(
      `There are no payments in ${directory} (${error.code}). Set DATA_DIR to the same folder as for the service.`,
    )
  })
  const names = all.filter((name) => !/^(LOCK|LOG|LOG\.old)$/.test(name)).sort()
  const manifests = names.filter((name) => name.startsWith('MANIFEST'))
  const contents = await Promise.all(
    manifests.map((name) => readFile(join(directory, name), 'base64').catch(() => '')),
  )
  return { names, version: JSON.stringify([names, contents]) }
}

/** False if a file is gone. */
async function copyFiles(
  names: readonly string[],
  from: string,
  to: string,
  copy: CopyFile,
): Promise<boolean> {
  for (const name of names) {
    try {
      await copy(join(from, name), join(to, name))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
      throw error
    }
  }
  return true
}
