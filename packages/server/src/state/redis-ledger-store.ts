/** The entries that several instances share, in Redis. */
import { z } from 'zod'
import { LedgerUnavailable, type StoredReport } from './ledger.js'
import { keepUntil, type LedgerEntry, toUnknownPayment } from './ledger-rules.js'
import { type RedisScript, redisKey, StoreUnavailable } from './redis-connection.js'
import {
  CLOCK_MARGIN_MS,
  IS_NEW_SCRIPT,
  LIST_ALL_SCRIPT,
  LIST_OPEN_SCRIPT,
  LIST_OVER_SCRIPT,
  READ_SCRIPT,
  SIZE_SCRIPT,
  SWAP_SCRIPT,
} from './redis-ledger-scripts.js'
import type { RedisStore } from './redis-store.js'
import { type LedgerSnapshot, type LedgerStore, MAX_ENTRIES } from './stored-ledger.js'

export interface RedisLedgerStoreOptions {
  readonly store: RedisStore
  /** For all instances together. */
  readonly maxEntries?: number
  /** Reports stored at once, of at most 32 KB; further ones are made again if they are due again. */
  readonly maxReports?: number
  /** How long a payment stays reserved if its instance is gone. */
  readonly leaseMs?: number
}

const TIMEOUT_MS = 1_000
/** Lists are for operators and in the background. */
const LIST_TIMEOUT_MS = 10_000
/** A script blocks the store while it runs. */
const ENTRIES_PER_READ = 500
const SETS = ['index', 'delivered', 'open']
/** The last one that a date can have: older versions stored payments that are valid for longer. */
const LAST_TIME_MS = 8.64e15

export interface RedisLedgerStore extends LedgerStore {
  /** Every entry that was prepared. */
  listAll(): Promise<readonly LedgerEntry[]>
  /** Nothing was ever prepared in it. */
  isNew(): Promise<boolean>
}

/** Its entry as Redis has it, to compare. */
interface RedisSnapshot extends LedgerSnapshot {
  readonly fields: readonly string[]
}

export function createRedisLedgerStore({
  store,
  maxEntries = MAX_ENTRIES,
  maxReports = 4_000,
  leaseMs = 10_000,
}: RedisLedgerStoreOptions): RedisLedgerStore {
  async function run<Schema extends z.ZodType>(
    script: RedisScript,
    schema: Schema,
    id: string,
    args: readonly string[],
    timeoutMs = TIMEOUT_MS,
  ): Promise<z.output<Schema>> {
    const own = ['entry', 'report', 'answers'].map((kind) => redisKey('ledger', kind, id))
    const keys = [...own, ...SETS.map((set) => redisKey('ledger', set))]
    const reply = await store
      .runScript(script, keys, [id, ...args], { timeoutMs })
      .catch(rethrowAsLedgerUnavailable)
    const parsed = schema.safeParse(reply)
    if (parsed.success) return parsed.data
    throw new LedgerUnavailable(`the store sent a malformed reply to ${script.name}`)
  }

  async function listEntries(script: RedisScript): Promise<LedgerEntry[]> {
    const entries: LedgerEntry[] = []
    for (let start = 0; ; start += ENTRIES_PER_READ) {
      const page = [String(start), String(ENTRIES_PER_READ)]
      const found = await run(script, z.array(listedEntry), '', page, LIST_TIMEOUT_MS)
      entries.push(...found)
      if (found.length < ENTRIES_PER_READ) return entries
    }
  }

  return {
    leaseMs,
    async read(id, related): Promise<RedisSnapshot> {
      const { payer = '', identifier, requestKey = '' } = related ?? {}
      const args = [payer, identifier ?? '', requestKey]
      const [fields, report, now, unknownOfPayer, holder, answer] = await run(
        READ_SCRIPT,
        readReply,
        id,
        args,
      )
      const entry = decodeEntry(id, fields, { report, answer: { requestKey, report: answer } })
      return { id, entry, now, unknownOfPayer, holder: decodeEntry('', holder), fields }
    },
    async swap(before, after) {
      const swap = describeSwap(before as RedisSnapshot, after)
      const limits = { maxEntries, maxReports }
      return run(SWAP_SCRIPT, swapReply, before.id, [JSON.stringify({ ...swap, ...limits })])
    },
    size: () => run(SIZE_SCRIPT, z.int(), '', []),
    async listUnknown() {
      const entries = await listEntries(LIST_OPEN_SCRIPT)
      return entries.flatMap(toUnknownPayment)
    },
    listOver: (time) =>
      run(
        LIST_OVER_SCRIPT,
        z.array(z.string()),
        '',
        [String(time + CLOCK_MARGIN_MS)],
        LIST_TIMEOUT_MS,
      ),
    isNew: async () => (await run(IS_NEW_SCRIPT, z.int(), '', [])) === 1,
    async listAll() {
      const entries = await listEntries(LIST_ALL_SCRIPT)
      return entries.filter(({ preparedAt }) => preparedAt !== null)
    },
  }
}

function describeSwap({ entry, fields }: RedisSnapshot, after: LedgerEntry | null) {
  if (after === null) return { before: fields, after: [] }
  const isPrepared = after.preparedAt !== null
  const isNewlyPrepared = isPrepared && (entry?.preparedAt ?? null) === null
  const isReportNew = after.report !== null && after.report !== entry?.report
  const newAnswer = after.answers?.find((it) => !entry?.answers?.includes(it))
  const last = isPrepared ? keepUntil(after) + CLOCK_MARGIN_MS : after.leaseUntil
  return {
    before: fields,
    after: encodeEntry(after),
    expiresAt: Math.min(last, LAST_TIME_MS),
    identifier: (isNewlyPrepared && after.identifier) || false,
    isOpen: isPrepared && after.state !== 'paid',
    isUnknown: after.state === 'unknown' && after.owner === null,
    isDelivered: after.isDelivered,
    report: isReportNew && after.report,
    isReportOver: after.report === null && (entry?.report ?? null) !== null,
    answer: newAnswer !== undefined && newAnswer.report !== null && newAnswer,
    reportUntil: isPrepared && after.reportUntil,
  }
}

/** The names of fields as they were first stored. One that is reserved and not paid is "working". */
function encodeEntry(entry: LedgerEntry): string[] {
  const { owner, identifier, transactions, preparedAt, paidAt, isDelivered, state } = entry
  const fields: Record<string, string | number | null | undefined | false> = {
    fingerprint: entry.fingerprint,
    request: entry.requestKey,
    purchase: entry.purchaseKey,
    payer: entry.payer,
    validUntil: entry.validBefore * 1_000,
    amount: entry.amount,
    terms: entry.terms,
    isRecorded: entry.isRecorded === undefined ? null : String(entry.isRecorded),
    identifier,
    state: owner === null || state === 'paid' ? state : 'working',
    owner,
    lease: entry.leaseUntil,
    preparedAt,
    transactions: transactions.join(' ') || null,
    paidAt,
    isDelivered: isDelivered && '1',
    reportUntil: preparedAt === null ? null : entry.reportUntil,
    answers: entry.answers?.map(({ requestKey }) => requestKey).join(' ') || null,
  }
  return Object.entries(fields).flatMap(([name, value]) =>
    value === null || value === undefined || value === false ? [] : [name, String(value)],
  )
}

const entryFields = z.object({
  fingerprint: z.string(),
  request: z.string(),
  purchase: z.string().optional(),
  payer: z.string(),
  validUntil: z.coerce.number(),
  amount: z.string().default(''),
  terms: z.string().optional(),
  isRecorded: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional(),
  identifier: z.string().optional(),
  state: z.enum(['working', 'unknown', 'paid']),
  owner: z.string().default(''),
  lease: z.coerce.number().default(0),
  preparedAt: z.coerce.number().nullable().default(null),
  transactions: z.string().default(''),
  paidAt: z.coerce.number().optional(),
  isDelivered: z.string().optional(),
  reportUntil: z.coerce.number().default(0),
  answers: z.string().optional(),
})

const replyFields = z.array(z.string())
const readReply = z.tuple([
  replyFields,
  z.string().nullable(),
  z.coerce.number(),
  z.int(),
  replyFields,
  z.string().nullable(),
])
const swapReply = z.enum(['swapped', 'changed', 'full'])
const listedEntry = z.tuple([z.string(), replyFields]).transform(([id, fields], context) => {
  const entry = decodeEntry(id, fields)
  if (entry) return entry
  context.addIssue('no entry')
  return z.NEVER
})

interface ReadReports {
  readonly report?: StoredReport
  readonly answer?: { readonly requestKey: string; readonly report: StoredReport }
}

function decodeEntry(
  id: string,
  fields: readonly string[],
  { report = null, answer }: ReadReports = {},
): LedgerEntry | null {
  if (fields.length === 0) return null
  const pairs = Array.from({ length: fields.length / 2 }, (_, index) =>
    fields.slice(2 * index, 2 * index + 2),
  )
  const parsed = entryFields.safeParse(Object.fromEntries(pairs))
  if (!parsed.success) throw new LedgerUnavailable('the store has a malformed entry')
  const { request, purchase, validUntil, state, owner, lease, transactions, ...others } =
    parsed.data
  const { isDelivered, answers, ...found } = others
  return {
    ...found,
    id,
    requestKey: request,
    purchaseKey: purchase,
    validBefore: validUntil / 1_000,
    state: state === 'working' ? 'inProgress' : state,
    owner: owner || null,
    leaseUntil: lease,
    report,
    transactions: transactions.split(' ').filter(Boolean),
    isDelivered: isDelivered !== undefined,
    answers: answers?.split(' ').map((requestKey) => ({
      requestKey,
      report: requestKey === answer?.requestKey ? answer.report : null,
    })),
  }
}

function rethrowAsLedgerUnavailable(error: unknown): never {
  throw error instanceof StoreUnavailable ? new LedgerUnavailable(error.message) : error
}
