/** A server's clock cannot be set, so this makes all stored entries older instead. */
import type { RedisServer } from '../support/redis-server.js'

const AGE_ENTRIES = `
local ms = tonumber(ARGV[1])
local function earlier(number, by) return string.format('%.0f', tonumber(number) - by) end
for _, key in ipairs(redis.call('KEYS', '{mailgrade}:*')) do
  local kind = redis.call('TYPE', key).ok
  local left = redis.call('PTTL', key)
  if kind == 'list' then
    for at, time in ipairs(redis.call('LRANGE', key, 0, -1)) do
      redis.call('LSET', key, at - 1, earlier(time, ms * 1000))
    end
  elseif kind == 'hash' then
    for _, field in ipairs({ 'lease', 'validUntil', 'preparedAt', 'reportUntil' }) do
      local time = redis.call('HGET', key, field)
      if time then redis.call('HSET', key, field, earlier(time, ms)) end
    end
  elseif kind == 'zset' then
    local unit = (string.match(key, ':delivered$') or string.match(key, ':open$')) and 1000 or 1
    for _, member in ipairs(redis.call('ZRANGE', key, 0, -1)) do
      redis.call('ZINCRBY', key, earlier(0, ms * unit), member)
    end
  end
  if left <= ms then redis.call('DEL', key) else redis.call('PEXPIRE', key, left - ms) end
end`

export async function advanceRedisTime({ command }: RedisServer, ms: number): Promise<void> {
  await command('EVAL', AGE_ENTRIES, '0', String(ms))
}
