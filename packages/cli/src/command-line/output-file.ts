/** Files and folders that a command writes, with a reason in plain words if it cannot. */
import { hash } from 'node:crypto'
import { mkdirSync, statSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname, extname } from 'node:path'
import { UsageError } from './command.js'

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'its folder doesn’t exist',
  ENOTDIR: 'part of its path isn’t a folder',
  EEXIST: 'a file with that name already exists',
  EISDIR: 'it’s a folder',
  EACCES: 'you don’t have permission to write there',
  EPERM: 'you don’t have permission to write there',
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
}

/** The format that the end of the name stands for, such as `html` for `page.html`. */
export function formatOfFile<Format extends string>(
  path: string | undefined,
  formats: readonly Format[],
): Format | undefined {
  const end = path === undefined ? '' : extname(path).slice(1).toLowerCase()
  return formats.find((format) => format === end)
}

/** Most file systems allow 255 octets; a domain has up to 253. */
const MAX_STEM_LENGTH = 240

/** The domain as the start of a file name, which has room for 15 octets more. */
export function toFileStem(domain: string): string {
  if (domain.length <= MAX_STEM_LENGTH) return domain
  const digest = hash('sha256', domain, 'hex').slice(0, 16)
  return `${domain.slice(0, MAX_STEM_LENGTH - digest.length - 1)}-${digest}`
}

export async function writeOutputFile(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text)
  } catch (error) {
    throw toFileProblem(error, path)
  }
}

export function makeOutputFolder(path: string): void {
  try {
    makeFolders(path)
  } catch (error) {
    throw toFileProblem(error, path)
  }
}

/**
 * Creates the folder and those above it. With `recursive`, Node itself tries forever where a file
 * system has no place for new folders, as in `/proc`.
 */
export function makeFolders(path: string): void {
  const parent = dirname(path)
  if (parent !== path && !isFolder(parent)) makeFolders(parent)
  try {
    mkdirSync(path)
  } catch (error) {
    if (!isFolder(path)) throw error
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

/** What is not about a file is returned as it is. */
export function toFileProblem(error: unknown, given?: string): unknown {
  const { code, syscall, path = 'the output', message } = error as NodeJS.ErrnoException
  if (error instanceof UsageError || !code || !syscall) return error
  return new UsageError(`We couldn’t write ${given ?? path}: ${REASONS[code] ?? message}.`)
}
