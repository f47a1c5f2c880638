/**
 * The journal of the ledger on disk, in LevelDB. Its lock keeps a second process out, and what it
 * has synced survives a crash and a loss of power.
 */
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type BatchOperation, ClassicLevel } from 'classic-level'
import { z } from 'zod'
import type { JournalEntry, LedgerJournal } from './local-ledger-store.js'

export interface LevelJournal extends LedgerJournal {
  /** What LevelDB could not read back and left out; after a loss of power, writes without sync. */
  readonly droppedBytes: number
  close(): Promise<void>
}

/** Why the journal cannot be opened, for the operator who starts the service. */
export class JournalUnavailable extends Error {
  override readonly name = 'JournalUnavailable'
}

/** A version of this format; a newer one gets another directory. */
export const JOURNAL_DIRECTORY = 'payments-1'

const entrySchema = z.object({
  id: z.string(),
  fingerprint: z.string(),
  requestKey: z.string(),
  payer: z.string(),
  validBefore: z.number(),
  amount: z.string(),
  identifier: z.string().nullish(),
  state: z.enum(['inProgress', 'unknown', 'paid']),
  report: z.string().nullable(),
  transactions: z.array(z.string()),
  isDelivered: z.boolean(),
  paidAt: z.number().optional(),
  preparedAt: z.number(),
  reportUntil: z.number(),
}) satisfies z.ZodType<JournalEntry>

type Level = ClassicLevel<string, JournalEntry>
type Write = BatchOperation<Level, string, JournalEntry>

export async function openLevelJournal(dataDir: string): Promise<LevelJournal> {
  const directory = join(dataDir, JOURNAL_DIRECTORY)
  try {
    // Only for the account that runs the service.
    await mkdir(directory, { recursive: true, mode: 0o700 })
    const db: Level = new ClassicLevel(directory, { valueEncoding: 'json' })
    const entries = await readEntries(db)
    const droppedBytes = countDroppedBytes(await readFile(join(directory, 'LOG'), 'utf8'))
    return { entries, droppedBytes, ...createWriter(db) }
  } catch (error) {
    throw new JournalUnavailable(describeOpenError(error, dataDir, directory))
  }
}

async function readEntries(db: Level): Promise<JournalEntry[]> {
  try {
    await db.open()
    const entries = z.array(entrySchema).parse(await db.values().all())
    return entries.sort((one, other) => one.preparedAt - other.preparedAt)
  } catch (error) {
    await db.close()
    throw error
  }
}

interface Batch {
  readonly writes: Write[]
  isSynced: boolean
  readonly written: Promise<void>
}

/** One batch at a time: what is asked for meanwhile goes into the next one, in order. */
function createWriter(db: Level): Pick<LevelJournal, 'put' | 'delete' | 'close'> {
  let next: Batch | null = null
  let last: Promise<unknown> = Promise.resolve()
  let isClosed = false

  async function writeBatch({ writes, isSynced }: Batch): Promise<void> {
    if (isClosed) throw new Error('closed')
    await db.open()
    try {
      await db.batch(writes, { sync: isSynced })
    } catch (error) {
      // LevelDB cannot read back what follows a failed write in the same file; a new one starts
      // when it is opened again.
      await db.close()
      throw error
    }
  }

  function startBatch(): Batch {
    const written = last.then(() => {
      next = null
      return writeBatch(batch)
    })
    const batch: Batch = { writes: [], isSynced: false, written }
    last = written.catch(() => {})
    return batch
  }

  function write(operation: Write, isSynced: boolean): Promise<void> {
    next ??= startBatch()
    next.writes.push(operation)
    next.isSynced ||= isSynced
    return next.written
  }

  return {
    put: (entry, isSynced) => write({ type: 'put', key: entry.id, value: entry }, isSynced),
    delete: (id) => write({ type: 'del', key: id }, false),
    async close() {
      await last
      isClosed = true
      await db.close()
    },
  }
}

/** Its log is the only place where LevelDB says that it started without some writes. */
function countDroppedBytes(log: string): number {
  return [...log.matchAll(/dropping (\d+) bytes/g)].reduce(
    (sum, [, bytes]) => sum + Number(bytes),
    0,
  )
}

const DAMAGED = ['LEVEL_CORRUPTION', 'LEVEL_DECODE_ERROR']

function describeOpenError(error: unknown, dataDir: string, directory: string): string {
  const { code: outer, cause } = error as NodeJS.ErrnoException
  const code = outer === 'LEVEL_DATABASE_NOT_OPEN' ? (cause as NodeJS.ErrnoException)?.code : outer
  if (code === 'LEVEL_LOCKED') {
    return `DATA_DIR (${dataDir}) is in use by another process. Stop that process, give each instance a DATA_DIR of its own, or share payments with REDIS_URL.`
  }
  if (DAMAGED.includes(code ?? '') || error instanceof z.ZodError) {
    return `The payments in DATA_DIR (${dataDir}) are damaged. Restore ${directory} from a backup. Without a backup, move it away: payments made in the last day that were not delivered are then lost, and their payers need a refund.`
  }
  return `DATA_DIR (${dataDir}) cannot be opened (${code ?? 'unknown error'}). Set it to a directory that this process can write to.`
}
