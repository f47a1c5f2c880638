/**
 * One connection to Redis or Valkey, and the Lua scripts that it runs. It never reconnects: the
 * client's own reconnecting hangs on a server that accepts connections but does not answer.
 */
import { createHash } from 'node:crypto'
import { createClient, ErrorReply, RedisClient } from '@redis/client'

export interface RedisConnection {
  /** Rejects with the server's error reply or the connection's error. */
  send(command: readonly string[]): Promise<unknown>
  drop(): void
}

interface ConnectOptions {
  readonly url: string
  readonly timeoutMs: number
  /** The connection ended without `drop`. */
  readonly onLost: (error: unknown) => void
}

/** The message leaves out the URL, which may hold a password. */
export function assertRedisUrl(url: string): void {
  try {
    if (!/^rediss?:/i.test(url)) throw new Error()
    RedisClient.parseURL(url)
  } catch {
    throw new Error('the store URL is not a valid redis:// or rediss:// URL')
  }
}

export async function connectRedis({
  url,
  timeoutMs,
  onLost,
}: ConnectOptions): Promise<RedisConnection> {
  const client = createClient({
    url,
    RESP: 2,
    disableClientInfo: true,
    disableOfflineQueue: true,
    maintNotifications: 'disabled',
    // This timeout stops once a command is written; `withTimeout` also covers the reply.
    commandOptions: { timeout: 0 },
    socket: { connectTimeout: timeoutMs, reconnectStrategy: false },
  })
  let isOpen = false
  // Errors before opening reject `connect`; errors after `drop` do not matter.
  client.on('error', (error) => {
    if (isOpen) onLost(error)
    isOpen = false
  })
  const drop = () => {
    isOpen = false
    client.destroy()
  }
  const connected = client.connect()
  try {
    await withTimeout(timeoutMs, connected)
  } catch (error) {
    drop()
    // The client cannot close a socket that is still connecting, so close it once it has.
    connected.then(drop, () => {})
    throw error
  }
  isOpen = true
  return { send: (command) => client.sendCommand(command), drop }
}

/**
 * The only error that the store throws. Its message gives operators the reason but never what was
 * sent: a server may repeat an unknown command, including the password.
 */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable'
}

/** The first word of an error reply, such as `OOM` or `READONLY`; null for other errors. */
export function redisErrorCode(error: unknown): string | null {
  if (!(error instanceof ErrorReply)) return null
  return /^[A-Z]+/.exec(error.message)?.[0] ?? 'ERR'
}

export function toStoreUnavailable(error: unknown): StoreUnavailable {
  if (error instanceof StoreUnavailable) return error
  const code = redisErrorCode(error)
  if (code) return new StoreUnavailable(`the store says ${code}`)
  return new StoreUnavailable(`the connection failed: ${describeError(error)}`)
}

function describeError(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  return 'code' in error && typeof error.code === 'string' ? error.code : error.constructor.name
}

const SLICES = 5

/**
 * Counts time in slices, so a pause of this process costs one slice at most. The store is not to
 * blame for a reply that we were too busy to read.
 */
export function withTimeout<Value>(timeoutMs: number, promise: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    let left = SLICES
    const timer = setInterval(() => {
      left -= 1
      if (left > 0) return
      clearInterval(timer)
      reject(new StoreUnavailable(`no answer within ${timeoutMs} ms`))
    }, timeoutMs / SLICES)
    promise.then(resolve, reject).finally(() => clearInterval(timer))
  })
}

/**
 * Runs atomically. It reads the server's time and writes values computed from it, and replicating
 * their effects needs Redis 6.2, Valkey 7.2, or newer.
 */
export interface RedisScript {
  /** The `command` label in metrics. */
  readonly name: string
  readonly source: string
  readonly sha1: string
}

export function defineRedisScript(name: string, source: string): RedisScript {
  return { name, source, sha1: createHash('sha1').update(source).digest('hex') }
}

/** With one hash tag, so a cluster keeps all keys of a script on the same server. */
export function redisKey(...parts: readonly string[]): string {
  return ['{mailgrade}', ...parts].join(':')
}

/** A restarted server has lost its scripts; `EVAL` loads this one again. */
export async function evaluateScript(
  connection: RedisConnection,
  { source, sha1 }: RedisScript,
  keys: readonly string[],
  args: readonly string[],
): Promise<unknown> {
  const parameters = [String(keys.length), ...keys, ...args]
  try {
    return await connection.send(['EVALSHA', sha1, ...parameters])
  } catch (error) {
    if (redisErrorCode(error) !== 'NOSCRIPT') throw error
    return connection.send(['EVAL', source, ...parameters])
  }
}
