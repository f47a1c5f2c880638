/** Free ports of 127.0.0.1 for servers that know theirs before they start, or keep it when they restart. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Below the ports that systems give to clients, so only another test could take one. */
const FIRST_PORT = 12_000
const PORT_COUNT = 18_000

/** One file for each port that a test process has claimed, with the id of that process. */
const CLAIMS = join(tmpdir(), 'mailgrade-test-ports')

export async function findFreePort(): Promise<number> {
  mkdirSync(CLAIMS, { recursive: true })
  const start = Math.floor(Math.random() * PORT_COUNT)
  for (let step = 0; step < PORT_COUNT; step++) {
    const port = FIRST_PORT + ((start + step) % PORT_COUNT)
    if (claim(port) && (await isFree(port))) return port
  }
  throw new Error('no port is free')
}

/** Two different ports. */
export async function findFreePorts(): Promise<[number, number]> {
  return [await findFreePort(), await findFreePort()]
}

/** A process keeps its ports until it ends, so suites can run beside each other. */
function claim(port: number): boolean {
  const file = join(CLAIMS, `${port}`)
  try {
    writeFileSync(file, `${process.pid}`, { flag: 'wx' })
    return true
  } catch {
    if (!isRunning(ownerOf(file))) rmSync(file, { force: true })
    return false
  }
}

function ownerOf(file: string): number {
  try {
    return Number(readFileSync(file, 'utf8'))
  } catch {
    return 0
  }
}

function isRunning(pid: number): boolean {
  // Its owner has not written it yet, or has just removed it.
  if (pid === 0) return true
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

function isFree(port: number): Promise<boolean> {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
