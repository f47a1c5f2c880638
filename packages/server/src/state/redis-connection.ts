/**
 * One connection to Redis or Valkey, from its handshake to its end. It is never mended: the client's
 * own reconnecting waits for ever on a server that accepts and then says nothing.
 */
import { createClient, RedisClient } from '@redis/client'
import { withTimeout } from './within.js'

export interface RedisConnection {
  /** Rejects with the server's error reply, or with whatever broke the connection. */
  send(command: readonly string[]): Promise<unknown>
  drop(): void
}

interface ConnectOptions {
  readonly url: string
  readonly timeoutMs: number
  /** The connection has ended, and not by `drop`. */
  readonly onLost: (error: unknown) => void
}

/** Throws what is safe to show: the text of a broken address may hold a password. */
export function assertRedisUrl(url: string): void {
  try {
    if (!/^rediss?:/i.test(url)) throw new Error()
    RedisClient.parseURL(url)
  } catch {
    throw new Error('the address of the store is not redis:// or rediss://')
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
    // Its timeout ends when a command is written; those who send have one that does not.
    commandOptions: { timeout: 0 },
    socket: { connectTimeout: timeoutMs, reconnectStrategy: false },
  })
  let isOpen = false
  // Before it is open, and after it was dropped, nobody needs to be told.
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
    // A socket that was still connecting is out of the client's reach until it has connected.
    connected.then(drop, () => {})
    throw error
  }
  isOpen = true
  return { send: (command) => client.sendCommand(command), drop }
}
