import type { RedisConnection } from './redis-connection.js'
import type { RedisScript } from './redis-script.js'
import { redisErrorCode } from './store-unavailable.js'

/** A server that was restarted has forgotten every script; `EVAL` has it learn this one. */
export async function evaluateScript(
  connection: RedisConnection,
  { source, sha1 }: RedisScript,
  keys: readonly string[],
  args: readonly string[],
): Promise<unknown> {
  const rest = [String(keys.length), ...keys, ...args]
  try {
    return await connection.send(['EVALSHA', sha1, ...rest])
  } catch (error) {
    if (redisErrorCode(error) !== 'NOSCRIPT') throw error
    return connection.send(['EVAL', source, ...rest])
  }
}
