/**
 * The journal of the ledger on disk, in LevelDB. Its lock keeps a second process out, and what it
 * has synced survives a crash and a loss of power.
 *
 * LevelDB starts without a word if its newest file is gone or cut off. So every synced batch has a
 * number, which is written to a file beside it, the witness: a journal that ends at a lower number
 * has lost payments.
 */
import { existsSync, fstatSync, statSync } from 'node:fs'
import { mkdir, open, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type BatchOperation, ClassicLevel } from 'classic-level'
import { z } from 'zod'
import type { JournalEntry, LedgerJournal } from './local-ledger-store.js'

export interface LevelJournal extends LedgerJournal {
  /** What LevelDB could not read back and left out; after a loss of power, writes without sync. */
  readonly droppedBytes: number
  /** Nothing was ever written to it. */
  readonly isNew: boolean
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
  purchaseKey: z.string().optional(),
  payer: z.string(),
  validBefore: z.number(),
  amount: z.string(),
  terms: z.string().optional(),
  isRecorded: z.boolean().optional(),
  identifier: z.string().nullish(),
  state: z.enum(['inProgress', 'unknown', 'paid']),
  report: z.string().nullable(),
  transactions: z.array(z.string()),
  isDelivered: z.boolean(),
  paidAt: z.number().optional(),
  preparedAt: z.number(),
  reportUntil: z.number(),
  answers: z.array(z.object({ requestKey: z.string(), report: z.string().nullable() })).optional(),
}) satisfies z.ZodType<JournalEntry>

type Level = ClassicLevel<string, unknown>
type Write = BatchOperation<Level, string, unknown>

/** What LevelDB reads first, and writes only when it opens a database. */
const FIRST_FILE = 'CURRENT'
/** No id of a payment, which is a digest. */
const NUMBER_KEY = '!batch'
const WITNESS_FILE = `${JOURNAL_DIRECTORY}.witness`

export interface LevelJournalOptions {
  /** The number of the batch up to which the operator accepts that payments are lost. */
  readonly acceptedLoss?: number | null
  /** A copy of the journal without its witness, to be read. */
  readonly isCopy?: boolean
}

export async function openLevelJournal(
  dataDir: string,
  { acceptedLoss = null, isCopy = false }: LevelJournalOptions = {},
): Promise<LevelJournal> {
  const directory = join(dataDir, JOURNAL_DIRECTORY)
  const opened: Closable[] = []
  try {
    await createDirectory(directory)
    const db: Level = new ClassicLevel(directory, { valueEncoding: 'json' })
    opened.push(db)
    const { entries, batch } = await readEntries(db)
    const witnessFile = join(dataDir, WITNESS_FILE)
    if (!existsSync(witnessFile)) await createWitness(witnessFile, isCopy ? 0 : batch)
    const witness = await openWitness(witnessFile, batch)
    opened.push(witness)
    let number = batch
    if (batch < witness.last) {
      if (acceptedLoss !== witness.last) {
        throw new JournalUnavailable(describeLoss(dataDir, batch, witness))
      }
      // Accepted once: the next start has nothing to ask, and another loss has another number.
      number = witness.last + 1
      await db.put(NUMBER_KEY, number, { sync: true })
      witness.see(number)
    }
    const droppedBytes = countDroppedBytes(await readFile(join(directory, 'LOG'), 'utf8'))
    const isNew = entries.length === 0 && number === 0
    return { entries, droppedBytes, isNew, ...createWriter(db, witness, number) }
  } catch (error) {
    await Promise.all(opened.map((it) => it.close()))
    if (error instanceof JournalUnavailable) throw error
    throw new JournalUnavailable(describeOpenError(error, dataDir, directory))
  }
}

/** Node's own recursion never ends below `/proc`. */
async function createDirectory(path: string): Promise<void> {
  try {
    await createWithParent(path)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT' || dirname(path) === path) throw error
    await createDirectory(dirname(path))
    await createWithParent(path)
  }
}

async function createWithParent(path: string): Promise<void> {
  try {
    // Only for the account that runs the service.
    await mkdir(path, { mode: 0o700 })
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
  }
}

const errorCode = (error: unknown) => (error as NodeJS.ErrnoException).code

interface Closable {
  close(): Promise<void>
}

async function readEntries(db: Level) {
  await db.open()
  const { [NUMBER_KEY]: batch = 0, ...stored } = Object.fromEntries(await db.iterator().all())
  const entries = z.array(entrySchema).parse(Object.values(stored))
  return {
    entries: entries.sort((one, other) => one.preparedAt - other.preparedAt),
    batch: z.int().parse(batch),
  }
}

interface Witness {
  /** The number of the last batch that it saw. */
  readonly last: number
  readonly isDamaged: boolean
  /** Deleted while it is open. The other files have probably been deleted with it. */
  isDeleted(): boolean
  /** Soon, and never rejects: a witness that is behind only sees less. */
  see(batch: number): void
  close(): Promise<void>
}

const WITNESS_DIGITS = 16

/**
 * Complete from the start, so one that is empty or cut off is known to be damaged. It is there before
 * the first batch has a number: without it a journal with a number may have lost some, and the witness
 * stays empty until the operator accepts that.
 */
async function createWitness(file: string, batch: number): Promise<void> {
  const text = batch === 0 ? '0'.repeat(WITNESS_DIGITS) : ''
  await writeFile(`${file}.new`, text, { mode: 0o600, flush: true })
  await rename(`${file}.new`, file)
  // Its name has to survive a loss of power as well.
  const directory = await open(dirname(file))
  await directory.sync().finally(() => directory.close())
}

async function openWitness(file: string, batch: number): Promise<Witness> {
  const handle = await open(file, 'r+')
  const text = await handle.readFile('latin1')
  // One that is damaged cannot say that the journal is complete.
  const isDamaged = text.length !== WITNESS_DIGITS || !/^\d+$/.test(text)
  const last = isDamaged ? batch + 1 : Number(text)
  let seen = last
  let written = isDamaged ? 0 : last
  let writing: Promise<void> | null = null

  async function write(): Promise<void> {
    while (written < seen) {
      const batch = seen
      if (isDamaged) await handle.truncate(WITNESS_DIGITS)
      // Always as long, so a crash never leaves digits of another number behind.
      await handle.write(String(batch).padStart(WITNESS_DIGITS, '0'), 0)
      await handle.datasync()
      written = batch
    }
  }

  return {
    last,
    isDamaged,
    isDeleted: () => fstatSync(handle.fd).nlink === 0,
    see(batch) {
      seen = batch
      writing ??= write()
        .catch(() => {})
        .finally(() => {
          writing = null
        })
    },
    async close() {
      await writing
      await handle.close()
    },
  }
}

/** A file that takes the place of a deleted one may get its number, but not its time of birth. */
function identify(file: string): string | undefined {
  const found = statSync(file, { throwIfNoEntry: false, bigint: true })
  return found && `${found.ino} ${found.birthtimeNs}`
}

interface Batch {
  readonly writes: Write[]
  isSynced: boolean
  readonly written: Promise<void>
}

/** One batch at a time: what is asked for meanwhile goes into the next one, in order. */
function createWriter(
  db: Level,
  witness: Witness,
  lastBatch: number,
): Pick<LevelJournal, 'put' | 'delete' | 'close'> {
  let next: Batch | null = null
  let last: Promise<unknown> = Promise.resolve()
  let isClosed = false
  let number = lastBatch
  const firstFile = () => identify(join(db.location, FIRST_FILE))
  let first = firstFile()

  async function writeBatch({ writes, isSynced }: Batch): Promise<void> {
    if (isClosed) throw new Error('closed')
    await reopen()
    if (isSynced && (witness.isDeleted() || firstFile() !== first)) {
      throw new Error('the files were deleted')
    }
    try {
      const next = number + 1
      if (isSynced) writes.push({ type: 'put', key: NUMBER_KEY, value: next })
      await db.batch(writes, { sync: isSynced })
      if (isSynced) witness.see(next)
      if (isSynced) number = next
    } catch (error) {
      // LevelDB cannot read back what follows a failed write in the same file; a new one starts
      // when it is opened again.
      await db.close()
      throw error
    }
  }

  /** After a failed write. Other files may have taken the place of those that were open. */
  async function reopen(): Promise<void> {
    if (db.status === 'open') return
    await db.open({ createIfMissing: false })
    const found = z.int().parse((await db.get(NUMBER_KEY)) ?? 0)
    if (found < number) {
      await db.close()
      throw new Error('the files were replaced')
    }
    first = firstFile()
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
      await Promise.all([db.close(), witness.close()])
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

function describeLoss(dataDir: string, batch: number, { last, isDamaged }: Witness): string {
  const [journal, witness] = [JOURNAL_DIRECTORY, WITNESS_FILE].map((it) => join(dataDir, it))
  const found = isDamaged
    ? `${witness} is missing or damaged, so there is no way to tell whether all payments in DATA_DIR are there. Restore it and ${journal}`
    : `The payments in DATA_DIR (${dataDir}) are incomplete: the last ${last - batch} of ${last} writes are missing. Restore ${journal}`
  return `${found} from a backup. To start without a backup, set ACCEPT_LEDGER_LOSS=${last}. Payments made in the last day may then be missing: \`npm run reconcile\` lists those that the chain shows. Refund the payers who did not get a report.`
}

const DAMAGED = ['LEVEL_CORRUPTION', 'LEVEL_DECODE_ERROR']

function describeOpenError(error: unknown, dataDir: string, directory: string): string {
  const { code: outer, cause } = error as NodeJS.ErrnoException
  const code = outer === 'LEVEL_DATABASE_NOT_OPEN' ? (cause as NodeJS.ErrnoException)?.code : outer
  if (code === 'LEVEL_LOCKED') {
    return `DATA_DIR (${dataDir}) is in use by another process. Stop that process, give each instance its own DATA_DIR, or share payments with REDIS_URL.`
  }
  if (DAMAGED.includes(code ?? '') || error instanceof z.ZodError) {
    return `The payments in DATA_DIR (${dataDir}) are damaged. Restore ${directory} from a backup. Without a backup, move it out of the way. Payments made in the last day whose reports were not delivered are then lost. Refund their payers.`
  }
  return `DATA_DIR (${dataDir}) cannot be opened (${code ?? 'unknown error'}). Set it to a directory that this process can write to.`
}
