/** A Redis of our own on loopback, which a test may kill, freeze, fill up and start again. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { exchangeText, startChildServer } from '@mailgrade/testing/child-server'
import { findFreePort } from '@mailgrade/testing/free-port'
import { createClient } from '@redis/client'
import { afterAll } from 'vitest'

export interface RedisServer {
  readonly url: string
  /** Loses what is not on disk yet. */
  kill(): Promise<void>
  /** Starts it again on the same port, with the data on disk. */
  start(): Promise<void>
  /** Starts it again as if the disk had been lost. */
  startEmpty(): Promise<void>
  /** It keeps its connections and accepts new ones, but sends nothing. */
  freeze(): void
  resume(): void
  isFrozen(): boolean
  command(...words: readonly string[]): Promise<unknown>
  /** The content of its files, by path. */
  readFiles(): Record<string, string>
  /** Running, empty and without limits, whatever a test did to it. */
  reset(): Promise<void>
  stop(): Promise<void>
}

interface RedisServerOptions {
  /** Every write is on disk before it is answered. */
  readonly isLasting?: boolean
  readonly password?: string
  /** Further options of redis-server. */
  readonly args?: readonly string[]
}

/** Starts a Redis that stops after the last test of the file. */
export async function startRedisServer(options: RedisServerOptions = {}): Promise<RedisServer> {
  const server = await openRedisServer(options)
  afterAll(server.stop)
  return server
}

/** Starts a Redis that the caller stops. */
export async function openRedisServer({
  isLasting,
  password,
  args = [],
}: RedisServerOptions): Promise<RedisServer> {
  const directory = mkdtempSync(join(tmpdir(), 'mailgrade-redis-'))
  const port = await findFreePort()
  const url = password ? `redis://:${password}@127.0.0.1:${port}` : `redis://127.0.0.1:${port}`
  const login = password ? `AUTH ${password}\r\n` : ''
  const disk = isLasting ? ['--appendonly', 'yes', '--appendfsync', 'always'] : []
  const access = password ? ['--requirepass', password] : []
  const place = ['--bind', '127.0.0.1', '--port', String(port), '--dir', directory]

  const run = () =>
    startChildServer({
      program: 'redis-server',
      args: ['--save', '', ...disk, ...access, ...args, ...place],
      directory,
      // It listens before it has loaded its data, and replies LOADING until then.
      isReady: async () =>
        (await exchangeText(port, `${login}PING\r\nQUIT\r\n`).catch(() => '')).includes('+PONG'),
    })
  let server = await run()
  let isFrozen = false
  const start = async () => {
    server = await run()
  }
  const resume = () => {
    isFrozen = false
    server.signal('SIGCONT')
  }

  async function command(...words: readonly string[]): Promise<unknown> {
    const client = await createClient({ url, RESP: 2 })
      .on('error', () => {})
      .connect()
    return client.sendCommand(words).finally(() => client.destroy())
  }

  return {
    url,
    kill: () => server.kill(),
    start,
    async startEmpty() {
      rmSync(directory, { recursive: true })
      mkdirSync(directory)
      await start()
    },
    freeze() {
      isFrozen = true
      server.signal('SIGSTOP')
    },
    resume,
    isFrozen: () => isFrozen,
    command,
    readFiles() {
      const files = readdirSync(directory, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
      return Object.fromEntries(
        files.map((file) => [relative(directory, file), readFileSync(file, 'latin1')]),
      )
    },
    async reset() {
      if (!server.isAlive()) await start()
      resume()
      await command('CONFIG', 'SET', 'maxmemory', '0')
      await command('REPLICAOF', 'NO', 'ONE')
      await command('FLUSHALL')
    },
    async stop() {
      await server.kill()
      rmSync(directory, { recursive: true })
    },
  }
}
