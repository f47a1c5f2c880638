/**
 * The ledger's steps on Redis, one script each.
 *
 * An entry is a hash under the digest of its payment, with an owner while it is in progress. Its
 * key expires when its retention ends. A reservation that is not renewed ends with its lease; if
 * its report was prepared, its outcome is unknown. Two sorted sets hold digests: `index`, ordered
 * by the end of retention, counts the entries; `sold`, ordered by completion, says which to evict.
 *
 * Stored states, fields and key names must not change: instances of two versions share them.
 */
import { MAX_RETENTION_MS, MIN_RETENTION_MS } from './ledger.js'
import { defineRedisScript, type RedisScript } from './redis-script.js'

const PRELUDE = `
local entry, index, sold = KEYS[1], KEYS[2], KEYS[3]
local digest, token, lease = ARGV[1], ARGV[2], tonumber(ARGV[3])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function whole(number) return string.format('%.0f', number) end
local function validUntil() return tonumber(redis.call('HGET', entry, 'validUntil')) end
local function isOwner() return redis.call('HGET', entry, 'owner') == token end

local function keepUntil(last)
  redis.call('ZADD', index, whole(last), digest)
  redis.call('PEXPIRE', index, ${2 * MAX_RETENTION_MS})
  redis.call('PEXPIREAT', entry, whole(last))
end

local function acquireLease()
  local last = now + lease
  redis.call('HSET', entry, 'state', 'working', 'owner', token, 'lease', whole(last))
  if redis.call('HEXISTS', entry, 'report') == 1 then
    last = math.max(last, math.min(validUntil(), last) + ${MAX_RETENTION_MS})
  end
  keepUntil(last)
end
`

const defineStep = (name: string, source: string): RedisScript =>
  defineRedisScript(`ledger.${name}`, PRELUDE + source)

// Eviction deletes a key that was not declared, which is safe because all keys share a hash tag.
export const RESERVE_SCRIPT = defineStep(
  'reserve',
  `
local fingerprint, request, valid, max = ARGV[4], ARGV[5], ARGV[6], tonumber(ARGV[7])
redis.call('ZREMRANGEBYSCORE', index, '-inf', whole(now))
redis.call('ZREMRANGEBYSCORE', sold, '-inf', whole((now - ${MAX_RETENTION_MS}) * 1000))

local function evictCompleted()
  while redis.call('ZCARD', index) >= max do
    local oldest = redis.call('ZPOPMIN', sold)[1]
    if not oldest then return false end
    redis.call('ZREM', index, oldest)
    redis.call('DEL', string.sub(entry, 1, #entry - #digest) .. oldest)
  end
  return true
end

local found = redis.call('HMGET', entry, 'state', 'lease', 'report', 'receipt', 'fingerprint', 'request')
local state, report, receipt = found[1], found[3], found[4]
if state == 'working' and tonumber(found[2]) > now then return { 'inProgress' } end
if state and report then
  if found[5] ~= fingerprint or found[6] ~= request then return { 'conflict' } end
  if receipt then return { 'completed', report, receipt } end
  acquireLease()
  return { 'unknown', report }
end
redis.call('DEL', entry)
redis.call('ZREM', index, digest)
redis.call('ZREM', sold, digest)
if not evictCompleted() then return { 'full' } end
redis.call('HSET', entry, 'fingerprint', fingerprint, 'request', request, 'validUntil', valid)
acquireLease()
return { 'acquired' }
`,
)

export const PREPARE_SCRIPT = defineStep(
  'prepare',
  `
if not isOwner() then return 0 end
redis.call('HSET', entry, 'report', ARGV[4])
acquireLease()
return 1
`,
)

export const RENEW_SCRIPT = defineStep(
  'renew',
  `
if not isOwner() then return 0 end
acquireLease()
return 1
`,
)

export const COMPLETE_SCRIPT = defineStep(
  'complete',
  `
if not isOwner() then return 0 end
redis.call('HSET', entry, 'state', 'sold', 'owner', '', 'receipt', ARGV[4])
redis.call('ZADD', sold, whole(time[1] * 1000000 + time[2]), digest)
redis.call('PEXPIRE', sold, ${2 * MAX_RETENTION_MS})
keepUntil(math.min(math.max(validUntil(), now + ${MIN_RETENTION_MS}), now + ${MAX_RETENTION_MS}))
return 1
`,
)

const DELETE_ENTRY = `
redis.call('DEL', entry)
redis.call('ZREM', index, digest)
return 1
`

/** Does at once what an expired lease would do. Without a report the payment is released. */
export const MARK_UNKNOWN_SCRIPT = defineStep(
  'markUnknown',
  `
if not isOwner() then return 0 end
if redis.call('HEXISTS', entry, 'report') == 1 then
  redis.call('HSET', entry, 'state', 'doubtful', 'owner', '')
  keepUntil(math.min(validUntil(), now) + ${MAX_RETENTION_MS})
  return 1
end
${DELETE_ENTRY}`,
)

export const RELEASE_SCRIPT = defineStep(
  'release',
  `if not isOwner() then return 0 end ${DELETE_ENTRY}`,
)

export const SIZE_SCRIPT = defineStep(
  'size',
  `return redis.call('ZCOUNT', index, '(' .. whole(now), '+inf')`,
)
