/** Keeps the files that a scan reads and writes apart. */
import { hash } from 'node:crypto'
import { once } from 'node:events'
import {
  type BigIntStats,
  existsSync,
  lstatSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { STDIN, UsageError } from '../command-line/command.js'
import { INVALID_ENTRIES_FILE } from './scan-output.js'

/** Whether it can be read only once: standard input, `<(…)` or a named pipe. */
export function isPipe(path: string): boolean {
  return path === STDIN || isSpecialFile(path)
}

export function isFile(path: string): boolean {
  return statOf(path)?.isFile() ?? false
}

/** A pipe or a device, such as `/dev/null`. */
export function isSpecialFile(path: string): boolean {
  const stats = statOf(path)
  return stats !== undefined && !stats.isFile() && !stats.isDirectory()
}

interface WrittenPaths {
  readonly out?: string | undefined
  readonly outDir?: string | undefined
}

/** The file that grows with the scan, and its journal; null if the results go to standard output. */
export function growingFiles({ out, outDir }: WrittenPaths) {
  if (outDir !== undefined) {
    return { output: join(outDir, INVALID_ENTRIES_FILE), journal: join(outDir, '.scan.journal') }
  }
  return out === undefined ? null : { output: out, journal: `${out}.journal` }
}

interface WrittenFiles extends WrittenPaths {
  readonly html?: string | undefined
}

/** Opening an output empties it, so it must be neither the list nor another output. */
export function checkFilesDiffer(input: string, { out, outDir, html }: WrittenFiles): void {
  for (const [name, path] of [['--out', out] as const, ['--html', html] as const]) {
    if (path !== undefined && input !== STDIN && isSameFile(path, input)) {
      throw new UsageError(`${name} would overwrite the input file. Choose a different file.`)
    }
  }
  if (out !== undefined && html !== undefined && isSameFile(out, html)) {
    throw new UsageError('--out and --html are the same file. Use a different file for each.')
  }
  const growing = Object.values(growingFiles({ out, outDir }) ?? {})
  const lost = growing.find((path) => input !== STDIN && isSameFile(path, input))
  if (lost !== undefined) {
    throw new UsageError(
      `The scan would overwrite your input file, because it also writes to ${lost}. Choose a different output.`,
    )
  }
  if (html !== undefined && growing.some((path) => isSameFile(html, path))) {
    throw new UsageError(
      'The scan already writes to the file you gave for --html. Choose a different one.',
    )
  }
}

/** Also by way of a link. A device such as `/dev/null` keeps nothing that could be lost. */
export function isSameFile(left: string, right: string): boolean {
  const [a, b] = [statOf(left), statOf(right)]
  if (a === undefined || b === undefined) return toRealPath(left) === toRealPath(right)
  return a.isFile() && a.dev === b.dev && a.ino === b.ino
}

/** A chain of links that is longer does not lead anywhere. */
const MAX_LINKS = 40

/** One name for what has several, also if it does not exist yet; a link leads to its target. */
function toRealPath(path: string, links = 0): string {
  const absolute = resolve(path)
  if (existsSync(absolute)) return realpathSync.native(absolute)
  const parent = dirname(absolute)
  if (parent === absolute || links > MAX_LINKS) return absolute
  const folder = toRealPath(parent, links)
  return isLink(absolute)
    ? toRealPath(resolve(folder, readlinkSync(absolute)), links + 1)
    : join(folder, basename(absolute))
}

/** Refuses files in places where someone else may have put a link, which would be followed. */
export function refuseLinks(paths: readonly string[]): void {
  const link = paths.find(isLink)
  if (link === undefined) return
  throw new UsageError(
    `${link} is a link, and scans don’t follow links. Delete it, or choose a different output.`,
  )
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false
}

function statOf(path: string): BigIntStats | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false })
}

/**
 * Keeps two scans on this computer from writing the same output, a file or a folder that need not
 * exist yet. Any number of scans may use a device.
 *
 * The lock is a local socket that only one process can listen on. The system closes it however the
 * process ends, so nothing is left to remove after SIGKILL or a power failure.
 */
export async function lockOutput(path: string, platform = process.platform) {
  if (isSpecialFile(path)) return { release() {} }
  const address = toAddress(toRealPath(path), platform)
  const isFile = address.startsWith(tmpdir())
  const server = createServer((socket) => socket.destroy())
  let isOurs = await listen(server, address)
  if (!isOurs && isFile && !(await isListening(address))) {
    rmSync(address, { force: true })
    isOurs = await listen(server, address)
  }
  if (!isOurs) {
    throw new UsageError(
      `Another scan is writing to ${path}. Wait for it to finish, or choose a different output.`,
    )
  }
  // The lock alone is no reason to keep the process running.
  server.unref()
  return { release: () => server.close() }
}

/** Linux and Windows have sockets without a file; elsewhere a killed process leaves one behind. */
function toAddress(path: string, platform: NodeJS.Platform): string {
  const name = `mailgrade-scan-${hash('sha256', path, 'hex').slice(0, 32)}`
  if (platform === 'linux') return `\0${name}`
  return platform === 'win32' ? `\\\\.\\pipe\\${name}` : join(tmpdir(), name)
}

/** False if another process listens there. A system without such sockets has no lock. */
async function listen(server: Server, address: string): Promise<boolean> {
  try {
    await once(server.listen(address), 'listening')
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'EADDRINUSE'
  }
}

async function isListening(address: string): Promise<boolean> {
  const socket = connect(address)
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
