/**
 * Lua scripts, which the server runs atomically. All keys share one hash tag, so a cluster keeps
 * them on the same server.
 *
 * Scripts read the server's time and write values computed from it. Replicating their effects
 * needs Redis 6.2, Valkey 7.2, or newer.
 */
import { createHash } from 'node:crypto'
import type { RedisConnection } from './redis-connection.js'
import { redisErrorCode } from './store-unavailable.js'

export interface RedisScript {
  /** The `command` label in metrics. */
  readonly name: string
  readonly source: string
  readonly sha1: string
}

export function defineRedisScript(name: string, source: string): RedisScript {
  return { name, source, sha1: createHash('sha1').update(source).digest('hex') }
}

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
