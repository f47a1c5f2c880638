/**
 * What Redis does for the ledger: it reads an entry with what belongs to it, and swaps an entry that
 * is still the same. The rules are in `ledger-rules.ts`.
 *
 * An entry is a hash under the id of its payment; its report is a key of its own, and so are its
 * answers, a hash of reports. Both expire earlier. Sorted sets hold ids: `index`, by the time at which the entry expires, counts the
 * entries; `delivered`, by microsecond, says which to evict; `open`, by microsecond, lists those that
 * were prepared and not yet paid or released; and one for each payer limits the unknown. `reports`,
 * by the end of their time, limits the bytes of the reports. The key of a payer's identifier holds
 * the id of its prepared payment, and counts only while that payment has an entry with the same
 * identifier. `begun` stays when all entries are gone.
 *
 * Stored fields and key names must not change: instances of two versions share them.
 */
import { RECOVERY_MS } from './ledger-rules.js'
import { defineRedisScript, type RedisScript } from './redis-connection.js'

/**
 * How much later than the ledger Redis deletes what was prepared, and how long the sorted sets
 * outlive the last change: its clock may be wrong, and must not take away what was paid for.
 */
export const CLOCK_MARGIN_MS = 100 * 365 * RECOVERY_MS

/** Keys that are not declared are safe because all keys share a hash tag. */
const PRELUDE = `
local entry, report, answers = KEYS[1], KEYS[2], KEYS[3]
local index, delivered, open = KEYS[4], KEYS[5], KEYS[6]
local id = ARGV[1]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local nowMicros = string.format('%.0f', time[1] * 1000000 + time[2])
local reports, begun = index .. ':reports', index .. ':begun'
local function payerKey(payer) return index .. ':payer:' .. payer end
local function identifierKey(identifier) return index .. ':identifier:' .. identifier end
local function keyOf(key, other) return string.sub(key, 1, #key - #id) .. other end
-- In the set of reports.
local function answerId(other, requestKey) return other .. ' ' .. requestKey end

-- The id of another payment with this identifier, if that one was prepared.
local function findHolder(identifier)
  if not identifier or identifier == '' then return false end
  local other = redis.call('GET', identifierKey(identifier))
  if not other or other == id then return false end
  return redis.call('HGET', keyOf(entry, other), 'identifier') == identifier and other
end

local function remove(other)
  local of = keyOf(entry, other)
  local found = redis.call('HMGET', of, 'payer', 'identifier')
  if found[1] then redis.call('ZREM', payerKey(found[1]), other) end
  if found[2] and redis.call('GET', identifierKey(found[2])) == other then
    redis.call('DEL', identifierKey(found[2]))
  end
  for _, requestKey in ipairs(redis.call('HKEYS', keyOf(answers, other))) do
    redis.call('ZREM', reports, answerId(other, requestKey))
  end
  redis.call('DEL', of, keyOf(report, other), keyOf(answers, other))
  for _, set in ipairs({ index, delivered, open, reports }) do redis.call('ZREM', set, other) end
end
`

const defineStep = (name: string, source: string): RedisScript =>
  defineRedisScript(`ledger.${name}`, PRELUDE + source)

/** Arguments: id, payer and identifier of a new payment, and which answer is asked for. */
export const READ_SCRIPT = defineStep(
  'read',
  `
local payer, identifier, requestKey = ARGV[2], ARGV[3], ARGV[4]
local found = redis.call('HMGET', entry, 'payer', 'identifier')
local unknown = payerKey(found[1] or payer)
-- The store may have evicted some of their entries.
for _, other in ipairs(redis.call('ZRANGE', unknown, 0, -1)) do
  if redis.call('EXISTS', keyOf(entry, other)) == 0 then redis.call('ZREM', unknown, other) end
end
local holder = findHolder(found[2] or identifier)
return {
  redis.call('HGETALL', entry),
  redis.call('GET', report),
  string.format('%.0f', now),
  redis.call('ZCARD', unknown),
  holder and redis.call('HGETALL', keyOf(entry, holder)) or {},
  redis.call('HGET', answers, requestKey),
}
`,
)

/**
 * Arguments: id, and JSON: the fields \`before\` and \`after\`, empty if there are none; when the entry
 * expires; a report and an answer to store, with their end; whether the payment is unknown, open and delivered; and
 * the limits of the store.
 */
export const SWAP_SCRIPT = defineStep(
  'swap',
  `
local swap = cjson.decode(ARGV[2])
if redis.call('HLEN', entry) ~= #swap.before / 2 then return 'changed' end
for at = 1, #swap.before, 2 do
  if redis.call('HGET', entry, swap.before[at]) ~= swap.before[at + 1] then return 'changed' end
end
if swap.identifier and findHolder(swap.identifier) then return 'changed' end

if #swap.after == 0 then
  remove(id)
  return 'swapped'
end

if #swap.before == 0 then
  -- Limited: after a quiet day there may be many, and other commands wait for a script.
  local expired = redis.call('ZRANGEBYSCORE', index, '-inf', now, 'LIMIT', 0, 1000)
  for _, other in ipairs(expired) do remove(other) end
  while redis.call('ZCARD', index) >= swap.maxEntries do
    local oldest = redis.call('ZRANGE', delivered, 0, 0)[1]
    if not oldest then return 'full' end
    remove(oldest)
  end
end

-- First: a store without memory refuses this, but only while the script has written nothing.
redis.call('HSET', entry, unpack(swap.after))
local isKept = {}
for at = 1, #swap.after, 2 do isKept[swap.after[at]] = true end
for at = 1, #swap.before, 2 do
  if not isKept[swap.before[at]] then redis.call('HDEL', entry, swap.before[at]) end
end
redis.call('PEXPIREAT', entry, swap.expiresAt)
redis.call('ZADD', index, swap.expiresAt, id)
if swap.identifier then redis.call('SET', identifierKey(swap.identifier), id) end
local identifier = redis.call('HGET', entry, 'identifier')
if identifier and redis.call('GET', identifierKey(identifier)) == id then
  redis.call('PEXPIREAT', identifierKey(identifier), swap.expiresAt)
end
if swap.isOpen then redis.call('SET', begun, '1', 'PX', ${CLOCK_MARGIN_MS}) end
if swap.isOpen then redis.call('ZADD', open, 'NX', nowMicros, id) else redis.call('ZREM', open, id) end
local unknown = payerKey(redis.call('HGET', entry, 'payer'))
if swap.isUnknown then redis.call('ZADD', unknown, swap.expiresAt, id) end
if not swap.isOpen then redis.call('ZREM', unknown, id) end
if swap.isDelivered then redis.call('ZADD', delivered, 'NX', nowMicros, id) end
redis.call('ZREMRANGEBYSCORE', reports, '-inf', now)
if swap.report then
  -- Beyond the limit a report is made again if it is asked for again.
  if redis.call('ZCARD', reports) < swap.maxReports then
    redis.call('SET', report, swap.report)
  end
end
if swap.isReportOver then
  redis.call('DEL', report)
  redis.call('ZREM', reports, id)
end
if swap.answer and redis.call('ZCARD', reports) < swap.maxReports then
  redis.call('HSET', answers, swap.answer.requestKey, swap.answer.report)
end
if swap.reportUntil then
  if redis.call('PEXPIREAT', report, swap.reportUntil) == 1 then
    redis.call('ZADD', reports, swap.reportUntil, id)
  end
  if redis.call('PEXPIREAT', answers, swap.reportUntil) == 1 then
    for _, requestKey in ipairs(redis.call('HKEYS', answers)) do
      redis.call('ZADD', reports, swap.reportUntil, answerId(id, requestKey))
    end
  end
end
for _, set in ipairs({ index, delivered, open, unknown, reports }) do
  redis.call('PEXPIRE', set, ${CLOCK_MARGIN_MS})
end
return 'swapped'
`,
)

export const SIZE_SCRIPT = defineStep(
  'size',
  `return redis.call('ZCOUNT', index, '(' .. string.format('%.0f', now), '+inf')`,
)

export const IS_NEW_SCRIPT = defineStep(
  'isNew',
  `return redis.call('EXISTS', index, begun) == 0 and 1 or 0`,
)

const READ_ENTRIES = `
local read = {}
for _, other in ipairs(ids) do
  local found = redis.call('HGETALL', keyOf(entry, other))
  if #found > 0 then table.insert(read, { other, found }) end
end
return read
`

/** Arguments: an empty id, how many to pass over, and how many to list. */
export const LIST_OPEN_SCRIPT = defineStep(
  'listOpen',
  `local ids = redis.call('ZRANGE', open, ARGV[2], ARGV[2] + ARGV[3] - 1) ${READ_ENTRIES}`,
)

/** Arguments: an empty id, how many to pass over, and how many to list. */
export const LIST_ALL_SCRIPT = defineStep(
  'listAll',
  `local ids = redis.call('ZRANGE', index, ARGV[2], ARGV[2] + ARGV[3] - 1) ${READ_ENTRIES}`,
)

/** Arguments: an empty id, and the time until which an entry may have expired. Drops ids without one. */
export const LIST_OVER_SCRIPT = defineStep(
  'listOver',
  `
local over = {}
for _, other in ipairs(redis.call('ZRANGEBYSCORE', index, '-inf', ARGV[2], 'LIMIT', 0, 1000)) do
  if redis.call('EXISTS', keyOf(entry, other)) == 1 then table.insert(over, other) else remove(other) end
end
return over
`,
)
