import type { Connection } from './connection.js'
import type { Script } from './script.js'
import { replyCodeOf } from './store-unavailable.js'

/** A server that was restarted has forgotten every script; `EVAL` has it learn this one. */
export async function evaluate(
  connection: Connection,
  { source, sha1 }: Script,
  keys: readonly string[],
  args: readonly string[],
): Promise<unknown> {
  const rest = [String(keys.length), ...keys, ...args]
  try {
    return await connection.send(['EVALSHA', sha1, ...rest])
  } catch (error) {
    if (replyCodeOf(error) !== 'NOSCRIPT') throw error
    return connection.send(['EVAL', source, ...rest])
  }
}
