/**
 * One connection to Redis or Valkey. It never reconnects: the client's own reconnecting hangs on a
 * server that accepts connections but does not answer.
 */
import { createClient, RedisClient } from '@redis/client'
import { withTimeout } from './store-unavailable.js'

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
