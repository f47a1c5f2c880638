/**
 * The ledger's steps on Redis, one script each.
 *
 * An entry is a hash under the id of its payment, with an owner while it is in progress; its report
 * is a key of its own, which expires earlier. A reservation that is not renewed ends with its lease;
 * if it was prepared, its outcome is unknown. Sorted sets hold ids: `index`, by the end of
 * retention, counts the entries; `delivered`, by microsecond, says which to evict; `open`, by
 * microsecond, lists those that were prepared and not yet paid or released; and one for each payer
 * limits the unknown. `reports`, by the end of their time, limits the bytes of the reports. The key
 * of a payer's identifier holds the id of its prepared payment, and counts only while that payment
 * has an entry with the same identifier.
 *
 * Stored states, fields and key names must not change: instances of two versions share them.
 */
import { MAX_REPORT_MS, MAX_UNKNOWN_PER_PAYER, MIN_REPORT_MS, RECOVERY_MS } from './ledger.js'
import { defineRedisScript, type RedisScript } from './redis-script.js'

/** How long the sorted sets outlive the last change. */
const SETS_MS = 2 * RECOVERY_MS

const PRELUDE = `
local entry, report, index, delivered, open = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local id, token, lease = ARGV[1], ARGV[2], tonumber(ARGV[3])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local nowMicros = time[1] * 1000000 + time[2]

local function whole(number) return string.format('%.0f', number) end
local function field(name) return redis.call('HGET', entry, name) end
local function isOwner() return field('owner') == token end
local function payerKey(payer) return index .. ':payer:' .. payer end
local reports = index .. ':reports'
local function identifierKey(identifier) return index .. ':identifier:' .. identifier end
-- Nil unless this payment was prepared with an identifier.
local function ownIdentifierKey()
  local identifier = field('identifier')
  local key = identifier and identifierKey(identifier)
  return key and redis.call('GET', key) == id and key or nil
end

local function keepUntil(last)
  redis.call('ZADD', index, whole(last), id)
  redis.call('PEXPIREAT', entry, whole(last))
  local identified = ownIdentifierKey()
  if identified then redis.call('PEXPIREAT', identified, whole(last)) end
  for _, set in ipairs({ index, delivered, open }) do redis.call('PEXPIRE', set, ${SETS_MS}) end
end

-- A day after it expires; a payment that is valid for years counts from this time.
local function retentionEnd(from)
  return math.min(tonumber(field('validUntil')), from + ${MAX_REPORT_MS}) + ${RECOVERY_MS}
end

local function acquireLease()
  redis.call('HSET', entry, 'state', 'working', 'owner', token, 'lease', whole(now + lease))
  local preparedAt = field('preparedAt')
  -- Not from now: a payer who sends it again and again would keep it for ever.
  local last = preparedAt and retentionEnd(tonumber(preparedAt)) or 0
  keepUntil(math.max(last, now + lease))
end

local function reportUntil()
  local valid = tonumber(field('validUntil'))
  local last = math.min(math.max(valid, now + ${MIN_REPORT_MS}), now + ${MAX_REPORT_MS})
  redis.call('HSET', entry, 'reportUntil', whole(last))
  return whole(last)
end

local function close()
  redis.call('ZREM', open, id)
  local payer = field('payer')
  if payer then redis.call('ZREM', payerKey(payer), id) end
end

local function keyOf(key, other) return string.sub(key, 1, #key - #id) .. other end

-- Nil unless another payment with this identifier was prepared; then whether it is in progress.
local function findOther(identifier)
  if not identifier or identifier == '' then return nil end
  local other = redis.call('GET', identifierKey(identifier))
  if not other or other == id then return nil end
  local found = redis.call('HMGET', keyOf(entry, other), 'identifier', 'state', 'lease')
  if found[1] ~= identifier then return nil end
  return { found[2] == 'working' and tonumber(found[3]) > now }
end
`

const defineStep = (name: string, source: string): RedisScript =>
  defineRedisScript(`ledger.${name}`, PRELUDE + source)

// Eviction deletes keys that were not declared, which is safe because all keys share a hash tag.
export const RESERVE_SCRIPT = defineStep(
  'reserve',
  `
local fingerprint, request, payer, valid, amount, max = ARGV[4], ARGV[5], ARGV[6], ARGV[7], ARGV[8], tonumber(ARGV[9])
local identifier = ARGV[10]
-- Limited: after a quiet day there may be many, and other commands wait for a script.
local expired = redis.call('ZRANGEBYSCORE', index, '-inf', whole(now), 'LIMIT', 0, 1000)
if #expired > 0 then
  for _, set in ipairs({ index, delivered, open }) do redis.call('ZREM', set, unpack(expired)) end
end

local function makeRoom()
  while redis.call('ZCARD', index) >= max do
    local oldest = redis.call('ZPOPMIN', delivered)[1]
    if not oldest then return false end
    redis.call('ZREM', index, oldest)
    redis.call('DEL', keyOf(entry, oldest), keyOf(report, oldest))
  end
  return true
end

local found = redis.call('HMGET', entry, 'state', 'lease', 'preparedAt', 'fingerprint', 'request', 'transactions', 'reportUntil', 'isDelivered', 'paidAt')
local state, transactions = found[1], found[6] or ''
if state == 'working' and tonumber(found[2]) > now then return { 'inProgress' } end
if state and found[3] then
  if found[4] ~= fingerprint or found[5] ~= request then return { 'conflict' } end
  local stored = redis.call('GET', report)
  if state == 'paid' then
    if found[8] and tonumber(found[7]) <= now then return { 'conflict' } end
    return { 'paid', stored, transactions, found[9] or '' }
  end
  acquireLease()
  return { 'unknown', stored, transactions }
end
redis.call('DEL', entry, report)
redis.call('ZREM', index, id)
redis.call('ZREM', delivered, id)
local other = findOther(identifier)
if other then return { 'identifierInUse', other[1] and '1' or '0' } end
redis.call('ZREMRANGEBYSCORE', payerKey(payer), '-inf', whole(now))
if redis.call('ZCARD', payerKey(payer)) >= ${MAX_UNKNOWN_PER_PAYER} then return { 'tooManyUnknown' } end
if not makeRoom() then return { 'full' } end
redis.call('HSET', entry, 'fingerprint', fingerprint, 'request', request, 'payer', payer, 'validUntil', valid, 'amount', amount)
if identifier ~= '' then redis.call('HSET', entry, 'identifier', identifier) end
acquireLease()
return { 'acquired' }
`,
)

export const PREPARE_SCRIPT = defineStep(
  'prepare',
  `
if not isOwner() then return 0 end
local identifier = field('identifier')
if findOther(identifier) then return 2 end
if identifier then redis.call('SET', identifierKey(identifier), id) end
redis.call('HSET', entry, 'preparedAt', whole(now))
redis.call('ZADD', open, whole(nowMicros), id)
acquireLease()
local last = reportUntil()
-- Beyond the limit a report is made again if it is asked for again.
redis.call('ZREMRANGEBYSCORE', reports, '-inf', whole(now))
if ARGV[4] ~= '' and redis.call('ZCARD', reports) < tonumber(ARGV[5]) then
  redis.call('SET', report, ARGV[4], 'PXAT', last)
  redis.call('ZADD', reports, last, id)
  redis.call('PEXPIRE', reports, ${SETS_MS})
end
return 1
`,
)

export const RECORD_SCRIPT = defineStep(
  'recordTransaction',
  `
if not isOwner() then return 0 end
local transactions = field('transactions')
redis.call('HSET', entry, 'transactions', transactions and (transactions .. ' ' .. ARGV[4]) or ARGV[4])
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

const COMPLETE_ENTRY = `
redis.call('HSET', entry, 'state', 'paid', 'owner', '', 'transactions', ARGV[4], 'paidAt', ARGV[5] or time[1])
local last = reportUntil()
if redis.call('PEXPIREAT', report, last) == 1 then redis.call('ZADD', reports, last, id) end
close()
keepUntil(retentionEnd(now))
return 1
`

export const COMPLETE_SCRIPT = defineStep(
  'complete',
  `if not isOwner() then return 0 end ${COMPLETE_ENTRY}`,
)

export const MARK_DELIVERED_SCRIPT = defineStep(
  'markDelivered',
  `
if field('state') ~= 'paid' then return 0 end
if not field('isDelivered') then
  -- One that was made again, after its time, can also be fetched once more.
  local last = math.max(tonumber(field('reportUntil')), now + ${MIN_REPORT_MS})
  redis.call('HSET', entry, 'isDelivered', '1', 'reportUntil', whole(last))
end
redis.call('ZADD', delivered, whole(nowMicros), id)
redis.call('PEXPIRE', delivered, ${SETS_MS})
return 1
`,
)

const DELETE_ENTRY = `
close()
local identified = ownIdentifierKey()
if identified then redis.call('DEL', identified) end
redis.call('DEL', entry, report)
redis.call('ZREM', index, id)
redis.call('ZREM', reports, id)
return 1
`

/** Does at once what an expired lease would do. If it was not prepared, the payment is released. */
export const MARK_UNKNOWN_SCRIPT = defineStep(
  'markUnknown',
  `
if not isOwner() then return 0 end
local preparedAt = field('preparedAt')
if preparedAt then
  redis.call('HSET', entry, 'state', 'unknown', 'owner', '')
  local payer, last = payerKey(field('payer')), retentionEnd(tonumber(preparedAt))
  keepUntil(last)
  redis.call('ZADD', payer, whole(last), id)
  redis.call('PEXPIRE', payer, ${SETS_MS})
  return 1
end
${DELETE_ENTRY}`,
)

export const RELEASE_SCRIPT = defineStep(
  'release',
  `if not isOwner() then return 0 end ${DELETE_ENTRY}`,
)

/** Without a transaction it was not paid. A lease that has expired leaves a payment unknown. */
export const RESOLVE_SCRIPT = defineStep(
  'resolve',
  `
local state = field('state')
local isInProgress = state == 'working' and tonumber(field('lease')) > now
if not field('preparedAt') or state == 'paid' or isInProgress then return 0 end
if ARGV[4] ~= '' then
  ${COMPLETE_ENTRY.trim()}
end
${DELETE_ENTRY}`,
)

export const SIZE_SCRIPT = defineStep(
  'size',
  `return redis.call('ZCOUNT', index, '(' .. whole(now), '+inf')`,
)

export const LIST_UNKNOWN_SCRIPT = defineStep(
  'listUnknown',
  `
local listed = {}
for _, other in ipairs(redis.call('ZRANGE', open, 0, 999)) do
  local key = keyOf(entry, other)
  local found = redis.call('HMGET', key, 'preparedAt', 'validUntil', 'transactions', 'amount')
  if found[1] then table.insert(listed, { other, found[1], found[2], found[3] or '', found[4] or '' }) end
end
return listed
`,
)

export const LIST_IDS_SCRIPT = defineStep(
  'listIds',
  `return redis.call('ZRANGEBYSCORE', index, '(' .. whole(now), '+inf', 'WITHSCORES')`,
)

/** The ids follow the first three arguments. */
export const READ_ENTRIES_SCRIPT = defineStep(
  'readEntries',
  `
local read = {}
for at = 4, #ARGV do
  local key = keyOf(entry, ARGV[at])
  local found = redis.call('HMGET', key, 'preparedAt', 'validUntil', 'transactions', 'amount', 'state', 'isDelivered')
  if found[1] then
    table.insert(read, { ARGV[at], found[1], found[2], found[3] or '', found[4] or '', found[5], found[6] or '' })
  end
end
return read
`,
)
