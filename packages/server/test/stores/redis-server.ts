/** A Redis server on loopback that a test can kill, freeze and restart. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { findFreePort } from '@mailgrade/testing/free-port'
import { createClient } from '@redis/client'
import { afterAll } from 'vitest'

export interface RedisServer {
  readonly url: string
  /** Without a clean shutdown; writes that are not on disk are lost. */
  kill(): Promise<void>
  /** On the same port, with the data on disk. */
  start(): Promise<void>
  /** Connections stay open and new ones are accepted, but nothing is answered. */
  freeze(): void
  resume(): void
  command(...words: readonly string[]): Promise<unknown>
  /** Running and empty, whatever its state was. */
  reset(): Promise<void>
}

interface ServerOptions {
  /** Writes reach the disk before the reply. */
  readonly isLasting?: boolean
}

/** setpriv (util-linux) makes the kernel kill the server if this process dies. */
const SETPRIV = ['setpriv', '--pdeathsig', 'KILL', 'redis-server'] as const

/** Lives as long as the test file. */
export async function startRedisServer({ isLasting }: ServerOptions = {}): Promise<RedisServer> {
  const directory = mkdtempSync(join(tmpdir(), 'mailgrade-redis-'))
  const port = await findFreePort()
  const url = `redis://127.0.0.1:${port}`
  const disk = isLasting ? ['--appendonly', 'yes', '--appendfsync', 'always'] : []
  const [program, ...prefix] = SETPRIV
  const args = ['--bind', '127.0.0.1', '--port', String(port), '--dir', directory, '--save', '']
  let child: ChildProcess

  async function start(): Promise<void> {
    child = spawn(program, [...prefix, ...args, ...disk], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })
    const said: string[] = []
    for await (const line of lines) {
      said.push(line)
      if (line.includes('Ready to accept connections')) break
    }
    child.stdout?.resume()
    if (!said.at(-1)?.includes('Ready')) throw new Error(`no redis-server:\n${said.join('\n')}`)
  }

  const isGone = () => child.exitCode !== null || child.signalCode !== null

  async function kill(): Promise<void> {
    if (isGone()) return
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  }

  async function command(...words: readonly string[]): Promise<unknown> {
    const client = await createClient({ url, RESP: 2 })
      .on('error', () => {})
      .connect()
    return client.sendCommand(words).finally(() => client.destroy())
  }

  await start()
  afterAll(async () => {
    await kill()
    rmSync(directory, { recursive: true })
  })
  return {
    url,
    kill,
    start,
    freeze: () => child.kill('SIGSTOP'),
    resume: () => child.kill('SIGCONT'),
    command,
    async reset() {
      if (isGone()) await start()
      child.kill('SIGCONT')
      await command('CONFIG', 'SET', 'maxmemory', '0')
      await command('REPLICAOF', 'NO', 'ONE')
      await command('FLUSHALL')
    },
  }
}
