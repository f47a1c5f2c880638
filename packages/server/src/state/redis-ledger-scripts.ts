/**
 * The steps of a sale on Redis, each of them one script.
 *
 * An entry is a hash under the digest of its payment, and has an owner while it is worked on. Its
 * key lives as long as it is remembered; a claim that nobody renews is over with its lease, and what
 * was pledged by then is in doubt. Beside the entries stand two sorted sets of digests: `index` by
 * when they are forgotten, which counts them, and `sold` by when they were sold, which says who makes
 * room. Room is made by deleting a key that was not announced, which is safe, as all keys share a tag.
 */

import { MAX_RETENTION_MS, MIN_RETENTION_MS } from './ledger-terms.js'
import { defineRedisScript, type RedisScript } from './redis-script.js'

/** What every step is given. */
const GIVEN = `
local entry, index, sold = KEYS[1], KEYS[2], KEYS[3]
local digest, token, lease = ARGV[1], ARGV[2], tonumber(ARGV[3])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function whole(number) return string.format('%.0f', number) end
local function validUntil() return tonumber(redis.call('HGET', entry, 'validUntil')) end
local function isOurs() return redis.call('HGET', entry, 'owner') == token end

local function keepUntil(last)
  redis.call('ZADD', index, whole(last), digest)
  redis.call('PEXPIRE', index, ${2 * MAX_RETENTION_MS})
  redis.call('PEXPIREAT', entry, whole(last))
end

local function hold()
  local last = now + lease
  redis.call('HSET', entry, 'state', 'working', 'owner', token, 'lease', whole(last))
  if redis.call('HEXISTS', entry, 'report') == 1 then
    last = math.max(last, math.min(validUntil(), last) + ${MAX_RETENTION_MS})
  end
  keepUntil(last)
end
`

const step = (name: string, source: string): RedisScript =>
  defineRedisScript(`ledger.${name}`, GIVEN + source)

export const RESERVE_SCRIPT = step(
  'claim',
  `
local fingerprint, request, valid, max = ARGV[4], ARGV[5], ARGV[6], tonumber(ARGV[7])
redis.call('ZREMRANGEBYSCORE', index, '-inf', whole(now))
redis.call('ZREMRANGEBYSCORE', sold, '-inf', whole((now - ${MAX_RETENTION_MS}) * 1000))

local function makeRoom()
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
if state == 'working' and tonumber(found[2]) > now then return { 'busy' } end
if state and report then
  if found[5] ~= fingerprint or found[6] ~= request then return { 'spent' } end
  if receipt then return { 'sold', report, receipt } end
  hold()
  return { 'doubtful', report }
end
redis.call('DEL', entry)
redis.call('ZREM', index, digest)
redis.call('ZREM', sold, digest)
if not makeRoom() then return { 'full' } end
redis.call('HSET', entry, 'fingerprint', fingerprint, 'request', request, 'validUntil', valid)
hold()
return { 'yours' }
`,
)

export const PREPARE_SCRIPT = step(
  'pledge',
  `
if not isOurs() then return 0 end
redis.call('HSET', entry, 'report', ARGV[4])
hold()
return 1
`,
)

export const RENEW_SCRIPT = step(
  'renew',
  `
if not isOurs() then return 0 end
hold()
return 1
`,
)

export const COMPLETE_SCRIPT = step(
  'close',
  `
if not isOurs() then return 0 end
redis.call('HSET', entry, 'state', 'sold', 'owner', '', 'receipt', ARGV[4])
redis.call('ZADD', sold, whole(time[1] * 1000000 + time[2]), digest)
redis.call('PEXPIRE', sold, ${2 * MAX_RETENTION_MS})
keepUntil(math.min(math.max(validUntil(), now + ${MIN_RETENTION_MS}), now + ${MAX_RETENTION_MS}))
return 1
`,
)

const RELEASE_IT = `
redis.call('DEL', entry)
redis.call('ZREM', index, digest)
return 1
`

/** What a lapsed lease comes to, at once: without a report there is nothing to be in doubt about. */
export const MARK_UNKNOWN_SCRIPT = step(
  'doubt',
  `
if not isOurs() then return 0 end
if redis.call('HEXISTS', entry, 'report') == 1 then
  redis.call('HSET', entry, 'state', 'doubtful', 'owner', '')
  keepUntil(math.min(validUntil(), now) + ${MAX_RETENTION_MS})
  return 1
end
${RELEASE_IT}`,
)

export const RELEASE_SCRIPT = step('release', `if not isOurs() then return 0 end ${RELEASE_IT}`)

export const SIZE_SCRIPT = step(
  'size',
  `return redis.call('ZCOUNT', index, '(' .. whole(now), '+inf')`,
)
