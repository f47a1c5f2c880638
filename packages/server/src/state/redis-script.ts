/**
 * A Lua script, which the server runs as one step. All keys carry the same hash tag, so that where
 * keys are spread over several servers, ours stay together.
 *
 * Scripts ask the server for the time and write what they computed from it, which is replicated by
 * its effects: that takes Redis 6.2 or Valkey 7.2, or newer.
 */
import { createHash } from 'node:crypto'

export interface RedisScript {
  /** For metrics. */
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
