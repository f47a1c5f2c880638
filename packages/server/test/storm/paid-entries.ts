/** What the ledger holds at the end. */
import { openLevelJournal } from '../../src/state/level-journal.js'
import { redisKey } from '../../src/state/redis-connection.js'
import type { RedisServer } from '../support/redis-server.js'

export interface PaidEntries {
  /** The transaction of every paid payment, by id. */
  readonly paid: ReadonlyMap<string, string>
  /** The ids of all others. */
  readonly open: readonly string[]
}

interface Entry {
  readonly id: string
  readonly state: string
  readonly transaction: string
}

export async function readJournal(dataDir: string): Promise<PaidEntries> {
  const { entries, close } = await openLevelJournal(dataDir)
  await close()
  return toPaidEntries(
    entries.map(({ id, state, transactions }) => ({ id, state, transaction: transactions.join() })),
  )
}

const LIST_SCRIPT = `
local listed = {}
for _, key in ipairs(redis.call('KEYS', ARGV[1] .. '*')) do
  local found = redis.call('HMGET', key, 'state', 'transactions')
  table.insert(listed, { string.sub(key, #ARGV[1] + 1), found[1] or '', found[2] or '' })
end
return listed
`

export async function readStore(redis: RedisServer): Promise<PaidEntries> {
  const prefix = redisKey('ledger', 'entry', '')
  const listed = (await redis.command('EVAL', LIST_SCRIPT, '0', prefix)) as string[][]
  return toPaidEntries(
    listed.map(([id = '', state = '', transaction = '']) => ({ id, state, transaction })),
  )
}

function toPaidEntries(entries: readonly Entry[]): PaidEntries {
  const paid = entries.filter(({ state }) => state === 'paid')
  const open = entries.filter(({ state }) => state !== 'paid')
  return {
    paid: new Map(paid.map(({ id, transaction }) => [id, transaction])),
    open: open.map(({ id }) => id),
  }
}
