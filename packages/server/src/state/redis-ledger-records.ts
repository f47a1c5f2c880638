/** Reads what accounting needs of all payments in the shared ledger. */
import { z } from 'zod'
import { type LedgerRecord, LedgerUnavailable } from './ledger.js'
import { LIST_IDS_SCRIPT, READ_ENTRIES_SCRIPT } from './redis-ledger-scripts.js'
import { type RedisScript, redisKey } from './redis-script.js'
import type { RedisStore } from './redis-store.js'

/** A script blocks the store while it runs. */
const ENTRIES_PER_READ = 500
const TIMEOUT_MS = 10_000

const idsReply = z.array(z.string())
const entriesReply = z.array(
  z.tuple([
    z.string(),
    z.coerce.number(),
    z.coerce.number(),
    z.string(),
    z.string(),
    z.string(),
    z.string(),
  ]),
)

export async function readRedisRecords(store: RedisStore): Promise<LedgerRecord[]> {
  const run = (script: RedisScript, ids: readonly string[]) => {
    const keys = ['entry:', 'report:', 'index', 'delivered', 'open']
    return store.runScript(
      script,
      keys.map((key) => redisKey('ledger', key)),
      ['', '', '0', ...ids],
      { timeoutMs: TIMEOUT_MS },
    )
  }
  const keepUntil = pairUp(parse(idsReply, await run(LIST_IDS_SCRIPT, [])))
  const ids = [...keepUntil.keys()]
  const records: LedgerRecord[] = []
  for (let start = 0; start < ids.length; start += ENTRIES_PER_READ) {
    const reply = await run(READ_ENTRIES_SCRIPT, ids.slice(start, start + ENTRIES_PER_READ))
    for (const entry of parse(entriesReply, reply)) records.push(toRecord(entry, keepUntil))
  }
  return records
}

function toRecord(
  [id, since, validUntil, hashes, amount, state, isDelivered]: z.output<
    typeof entriesReply
  >[number],
  keepUntil: ReadonlyMap<string, number>,
): LedgerRecord {
  return {
    id,
    since,
    validBefore: validUntil / 1_000,
    amount,
    transactions: hashes.split(' ').filter(Boolean),
    state: state === 'paid' ? 'paid' : 'unknown',
    isDelivered: isDelivered === '1',
    keepUntil: keepUntil.get(id) ?? 0,
  }
}

/** A reply WITHSCORES alternates members and scores. */
function pairUp(reply: readonly string[]): Map<string, number> {
  const pairs = new Map<string, number>()
  for (let at = 0; at + 1 < reply.length; at += 2) pairs.set(reply[at] ?? '', Number(reply[at + 1]))
  return pairs
}

function parse<Schema extends z.ZodType>(schema: Schema, reply: unknown): z.output<Schema> {
  const parsed = schema.safeParse(reply)
  if (!parsed.success) throw new LedgerUnavailable('the store sent malformed entries')
  return parsed.data
}
