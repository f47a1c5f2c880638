/**
 * Keeps two scans on this computer from writing the same output.
 *
 * The lock is a local socket that only one process can listen on. The system closes it however the
 * process ends, so nothing is left to remove after SIGKILL or a power failure.
 */
import { hash } from 'node:crypto'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { UsageError } from '../command-line/command.js'
import { isSpecialFile, toRealPath } from './scan-files.js'

export interface OutputLock {
  release(): void
}

/** `path` is a file or a folder, which need not exist yet. Any number of scans may use a device. */
export async function lockOutput(path: string, platform = process.platform): Promise<OutputLock> {
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
      `Another scan is writing to ${path}. Wait until it ends, or give another output.`,
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
