import {
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ClassicLevel } from 'classic-level'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ledgerActions, paidWith, unknownWith } from '../../test/support/ledger-contract.js'
import { createLocalLedger } from '../../test/support/ledgers.js'
import { TEST_PAYER, unsignedPayment } from '../../test/support/payment-fixtures.js'
import { sha256 } from '../payments/payment.js'
import { digestRequestKey, sealReport } from '../payments/sealed-report.js'
import { JournalUnavailable, openLevelJournal } from './level-journal.js'
import type { JournalEntry } from './local-ledger-store.js'

const now = () => 1_000
const DIRECTORY = 'payments-1'

async function makeDataDir(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'mailgrade-journal-'))
  onTestFinished(() => rm(dataDir, { recursive: true }))
  return dataDir
}

async function openJournal(dataDir: string) {
  const journal = await openLevelJournal(dataDir)
  onTestFinished(journal.close)
  return journal
}

const PLAN = { requestKey: 'first', purchaseKey: 'plan' }

async function openLedger(dataDir: string) {
  const journal = await openJournal(dataDir)
  const ledger = createLocalLedger({ now, journal })
  return { journal, ledger, ...ledgerActions({ ledger, now }) }
}

/** The files as they are now, as if the process had ended without closing them. */
async function copyDataDir(dataDir: string): Promise<string> {
  const copy = await makeDataDir()
  await cp(dataDir, copy, { recursive: true })
  return copy
}

const openError = (dataDir: string) =>
  openLevelJournal(dataDir).then(
    (journal) => journal.close(),
    (error: unknown) => error,
  )

const entry = (id: string, changes: Partial<JournalEntry> = {}): JournalEntry => ({
  id,
  fingerprint: 'f',
  requestKey: 'k',
  payer: 'p',
  validBefore: 120,
  amount: '10000',
  state: 'inProgress',
  report: 'r',
  transactions: ['0x1', '0x2'],
  isDelivered: false,
  preparedAt: 1_000,
  reportUntil: 2_000,
  ...changes,
})

describe('after a restart', () => {
  test.each([
    ['closed', (dataDir: string, close: () => Promise<void>) => close().then(() => dataDir)],
    ['not closed', copyDataDir],
  ])('every payment that was prepared is known (%s)', async (_, end) => {
    const dataDir = await makeDataDir()
    const { journal, ledger, reserve, ...actions } = await openLedger(dataDir)
    await reserve('reserved')
    await actions.prepareOne('prepared', 'report of a payment in progress')
    await actions.prepareOne('sent')
    await ledger.recordTransaction('sent', '0x2')
    await ledger.recordTransaction('sent', '0x1')
    await actions.loseOne('unknown')
    await actions.loseOne('unknown again')
    await reserve('unknown again')
    await ledger.recordTransaction('unknown again', '0x3')
    await actions.completeOne('paid', 'Zoë 🦊')
    await actions.deliverOne('delivered')
    await actions.deliverOne('plan', 'r', PLAN)
    await reserve('plan', { ...PLAN, requestKey: 'other' })
    await ledger.keepAnswer('plan', 'r2')
    await reserve('plan', { ...PLAN, requestKey: 'third' })
    await actions.prepareOne('released')
    await ledger.release('released')

    const restarted = await openLedger(await end(dataDir, journal.close))
    expect(restarted.journal.droppedBytes).toBe(0)
    expect(await restarted.ledger.size()).toBe(7)
    expect(await restarted.reserve('prepared')).toEqual(
      unknownWith('report of a payment in progress'),
    )
    expect(await restarted.reserve('sent')).toEqual(unknownWith('r', '0x2', '0x1'))
    expect(await restarted.reserve('unknown')).toEqual(unknownWith('r'))
    expect(await restarted.reserve('unknown again')).toEqual(unknownWith('r', '0x3'))
    expect(await restarted.reserve('paid')).toEqual(paidWith('Zoë 🦊'))
    expect(await restarted.reserve('delivered')).toEqual(paidWith('r'))
    expect(await restarted.reserve('plan', PLAN)).toEqual(paidWith('r'))
    const other = { ...PLAN, requestKey: 'other' }
    expect(await restarted.reserve('plan', other)).toEqual(paidWith('r2'))
    expect(await restarted.reserveKind('reserved')).toBe('acquired')
    expect(await restarted.reserveKind('released')).toBe('acquired')
  })

  test('payments in progress count as unknown of their payer', async () => {
    const dataDir = await makeDataDir()
    const first = await openLedger(dataDir)
    const changes = { payer: 'one payer' }
    for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) await first.prepareOne(id, 'r', changes)
    const restarted = await openLedger(await copyDataDir(dataDir))
    expect(await restarted.reserveKind('g', changes)).toBe('tooManyUnknown')
    expect(await restarted.reserveKind('a', changes)).toBe('unknown')
  })

  test('delivered payments are evicted first, and from disk too', async () => {
    const dataDir = await makeDataDir()
    const first = await openLedger(dataDir)
    await first.completeOne('not delivered')
    await first.deliverOne('delivered')
    await first.journal.close()
    const journal = await openJournal(dataDir)
    const ledger = createLocalLedger({ now, journal, maxEntries: 2 })
    const { reserve, reserveKind } = ledgerActions({ ledger, now })
    expect(await reserveKind('new')).toBe('acquired')
    expect(await reserve('not delivered')).toEqual(paidWith('r'))
    expect(await reserveKind('delivered')).toBe('full')
    await journal.close()
    const { entries } = await openJournal(dataDir)
    expect(entries.map(({ id }) => id)).toEqual(['not delivered'])
  })
})

test('is new until something was prepared, and never again', async () => {
  const dataDir = await makeDataDir()
  const isNew = async (acceptedLoss?: number) => {
    const journal = await openLevelJournal(dataDir, { acceptedLoss: acceptedLoss ?? null })
    await journal.close()
    return journal.isNew
  }
  expect([await isNew(), await isNew()]).toEqual([true, true])
  const { journal, prepareOne, ledger } = await openLedger(dataDir)
  await prepareOne('a')
  await ledger.release('a')
  await journal.close()
  expect([journal.isNew, await isNew()]).toEqual([true, false])
  // The operator who accepts a loss has heard of it.
  await rm(join(dataDir, DIRECTORY), { recursive: true })
  expect(await isNew(1)).toBe(false)
})

describe('writes', () => {
  test('return entries as they were put, oldest first', async () => {
    const dataDir = await makeDataDir()
    const journal = await openJournal(dataDir)
    expect(journal.entries).toEqual([])
    const older = entry('b', { preparedAt: 500, report: null, validBefore: 1e78 })
    const newer = entry('a', { state: 'paid', isDelivered: true })
    await journal.put(newer, false)
    await journal.put(older, true)
    await journal.close()
    expect((await openJournal(dataDir)).entries).toEqual([older, newer])
  })

  test('take effect in the order of the calls, without waiting for each', async () => {
    const dataDir = await makeDataDir()
    const journal = await openJournal(dataDir)
    const ids = Array.from({ length: 50 }, (_, index) => String(index))
    const writes = ids.flatMap((id) => [
      journal.put(entry(id, { transactions: ['0x1'] }), true),
      journal.delete(id),
      journal.put(entry(id, { transactions: ['0x2'] }), false),
      ...(Number(id) % 2 ? [journal.delete(id)] : []),
    ])
    await Promise.all(writes)
    const { entries } = await openJournal(await copyDataDir(dataDir))
    expect(entries).toHaveLength(25)
    expect(new Set(entries.map(({ transactions }) => transactions.join()))).toEqual(
      new Set(['0x2']),
    )
  })

  test('are finished by close and rejected after it', async () => {
    const dataDir = await makeDataDir()
    const journal = await openJournal(dataDir)
    const writing = journal.put(entry('a'), false)
    await journal.close()
    await writing
    await expect(journal.put(entry('b'), true)).rejects.toThrow('closed')
    expect((await openJournal(dataDir)).entries.map(({ id }) => id)).toEqual(['a'])
  })
})

describe('what an operator is told', () => {
  const corrupt = (dataDir: string) =>
    new JournalUnavailable(
      `The payments in DATA_DIR (${dataDir}) are damaged. Restore ${join(dataDir, DIRECTORY)} from a backup. Without a backup, move it out of the way. Payments made in the last day whose reports were not delivered are then lost. Refund their payers.`,
    )

  test('when another process uses the directory', async () => {
    const dataDir = await makeDataDir()
    const { prepareOne } = await openLedger(dataDir)
    expect(await openError(dataDir)).toEqual(
      new JournalUnavailable(
        `DATA_DIR (${dataDir}) is in use by another process. Stop that process, give each instance its own DATA_DIR, or share payments with REDIS_URL.`,
      ),
    )
    await prepareOne('a')
  })

  test('when the directory is a file', async () => {
    const dataDir = join(await makeDataDir(), 'file')
    await writeFile(dataDir, '')
    expect(await openError(dataDir)).toEqual(
      new JournalUnavailable(
        `DATA_DIR (${dataDir}) cannot be opened (ENOTDIR). Set it to a directory that this process can write to.`,
      ),
    )
  })

  test.each(['/proc/nope', '/proc/nope/below'])('when %s cannot be created', async (dataDir) => {
    expect(await openError(dataDir)).toEqual(
      new JournalUnavailable(
        `DATA_DIR (${dataDir}) cannot be opened (ENOENT). Set it to a directory that this process can write to.`,
      ),
    )
  })

  test.each(['CURRENT', 'MANIFEST-'])('when %s is damaged', async (name) => {
    const dataDir = await makeDataDir()
    const journal = await openJournal(dataDir)
    await journal.put(entry('a'), true)
    await journal.close()
    const directory = join(dataDir, DIRECTORY)
    const file = (await readdir(directory)).find((it) => it.startsWith(name)) ?? ''
    await writeFile(join(directory, file), 'damaged')
    expect(await openError(dataDir)).toEqual(corrupt(dataDir))
  })

  test('when a table is damaged', async () => {
    const dataDir = await makeDataDir()
    const journal = await openJournal(dataDir)
    for (const id of ['a', 'b', 'c']) await journal.put(entry(id), true)
    await journal.close()
    // LevelDB moves what is in its log to a table when it is opened.
    await (await openJournal(dataDir)).close()
    const directory = join(dataDir, DIRECTORY)
    const table = (await readdir(directory)).find((it) => it.endsWith('.ldb')) ?? ''
    await damage(join(directory, table), 50)
    expect(await openError(dataDir)).toEqual(corrupt(dataDir))
  })

  test.each([
    ['not JSON', '{"id":'],
    ['of another shape', JSON.stringify({ ...entry('b'), state: 'sold' })],
  ])('when an entry is %s: the service does not start without it', async (_, text) => {
    const dataDir = await makeDataDir()
    const journal = await openJournal(dataDir)
    await journal.put(entry('a'), true)
    await journal.close()
    const db = new ClassicLevel(join(dataDir, DIRECTORY))
    await db.put('b', text)
    await db.close()
    expect(await openError(dataDir)).toEqual(corrupt(dataDir))
    expect(await openError(dataDir)).toEqual(corrupt(dataDir))
  })

  test('when LevelDB left out writes that were not synced: how many bytes', async () => {
    const dataDir = await makeDataDir()
    const journal = await openJournal(dataDir)
    for (const id of ['a', 'b', 'c']) await journal.put(entry(id), false)
    const copy = await copyDataDir(dataDir)
    const directory = join(copy, DIRECTORY)
    const log = (await readdir(directory)).find((it) => it.endsWith('.log')) ?? ''
    const { size } = await stat(join(directory, log))
    await damage(join(directory, log), 20)
    const { entries, droppedBytes } = await openJournal(copy)
    expect([entries, droppedBytes]).toEqual([[], size])
  })
})

async function damage(file: string, offset: number): Promise<void> {
  const bytes = await readFile(file)
  bytes[offset] = ~(bytes[offset] ?? 0)
  await writeFile(file, bytes)
}

describe('on disk', () => {
  test('only the account that runs the service can read it', async () => {
    const dataDir = join(await makeDataDir(), 'new', 'data')
    await openJournal(dataDir)
    const { mode } = await stat(join(dataDir, DIRECTORY))
    expect(mode & 0o777).toBe(0o700)
  })

  test('an existing directory is used', async () => {
    const dataDir = await makeDataDir()
    await mkdir(join(dataDir, DIRECTORY))
    expect((await openJournal(dataDir)).entries).toEqual([])
  })

  test('no domain, email address, payer, signature or report is in clear', async () => {
    const dataDir = await makeDataDir()
    const { journal, ledger } = await openLedger(dataDir)
    const payment = unsignedPayment()
    const { id, fingerprint, payer, signature, authorization } = payment
    const report = JSON.stringify({ email: 'ann@acme.test', verdict: 'undeliverable' })
    const requestKey = 'email-check ann@acme.test'
    await ledger.reserve({
      id,
      fingerprint,
      requestKey: digestRequestKey(payment, requestKey),
      payer: sha256(payer.toLowerCase()),
      validBefore: payment.validBefore,
      amount: '10000',
    })
    await ledger.prepare(id, await sealReport({ payment, requestKey }, report))
    await ledger.recordTransaction(id, '0x7ran5ac710n')
    await ledger.complete(id, '0x7ran5ac710n')
    await ledger.markDelivered(id)

    const files = await readClearText(await copyDataDir(dataDir))
    await journal.close()
    const { entries } = await openJournal(dataDir)
    // Tables are compressed, so what is read from them is searched too.
    const everything = `${files}${JSON.stringify(entries)}`.toLowerCase()
    expect(files).toContain(id)
    expect(files).toContain('0x7ran5ac710n')
    const nonce = authorization.nonce.slice(2)
    for (const secret of ['acme', 'ann@', 'undeliverable', 'email', 'report":"{', nonce]) {
      expect(everything).not.toContain(secret)
    }
    for (const secret of [payer, TEST_PAYER, signature, authorization.to]) {
      expect(everything).not.toContain(secret.slice(2).toLowerCase())
    }
  })
})

async function readClearText(dataDir: string): Promise<string> {
  const directory = join(dataDir, DIRECTORY)
  const files = await readdir(directory)
  const texts = files.map((file) => readFile(join(directory, file), 'latin1'))
  return (await Promise.all(texts)).join('\n')
}

describe('a journal that lost what it had synced', () => {
  async function makeJournal(count = 3) {
    const dataDir = await makeDataDir()
    const journal = await openJournal(dataDir)
    for (let at = 0; at < count; at++) await journal.put(entry(`p${at}`), true)
    await journal.close()
    return { dataDir, directory: join(dataDir, DIRECTORY) }
  }
  const logOf = async (directory: string) =>
    join(directory, (await readdir(directory)).find((it) => it.endsWith('.log')) ?? '')
  const incomplete = (dataDir: string, missing: number, all: number) =>
    new JournalUnavailable(
      `The payments in DATA_DIR (${dataDir}) are incomplete: the last ${missing} of ${all} writes are missing. Restore ${join(dataDir, DIRECTORY)} from a backup. To start without a backup, set ACCEPT_LEDGER_LOSS=${all}. Payments made in the last day may then be missing: \`npm run reconcile\` lists those that the chain shows. Refund the payers who did not get a report.`,
    )

  test.each([
    ['its newest file is gone', async (directory: string) => rm(await logOf(directory)), 3],
    [
      'its newest file is cut in half',
      async (directory: string) => {
        const log = await logOf(directory)
        await truncate(log, Math.floor((await stat(log)).size / 2))
      },
      2,
    ],
    ['it was moved away', (directory: string) => rm(directory, { recursive: true }), 3],
  ])('does not start without a word if %s', async (_, damageIt, missing) => {
    const { dataDir, directory } = await makeJournal()
    await damageIt(directory)
    expect(await openError(dataDir)).toEqual(incomplete(dataDir, missing, 3))
    // And not at the second try either.
    expect(await openError(dataDir)).toEqual(incomplete(dataDir, missing, 3))
  })

  test('starts if the operator accepts just this loss', async () => {
    const { dataDir, directory } = await makeJournal()
    await rm(directory, { recursive: true })
    await expect(openLevelJournal(dataDir, { acceptedLoss: 2 })).rejects.toThrow('incomplete')
    const journal = await openLevelJournal(dataDir, { acceptedLoss: 3 })
    expect(journal.entries).toEqual([])
    await journal.put(entry('new'), true)
    await journal.close()
    // The next loss is another one.
    await rm(directory, { recursive: true })
    await expect(openLevelJournal(dataDir, { acceptedLoss: 3 })).rejects.toEqual(
      incomplete(dataDir, 5, 5),
    )
  })

  test('does not start after another loss with the number of the one before', async () => {
    const { dataDir, directory } = await makeJournal()
    await rm(await logOf(directory))
    await openLevelJournal(dataDir, { acceptedLoss: 3 }).then(({ close }) => close())
    await rm(directory, { recursive: true })
    await expect(openLevelJournal(dataDir, { acceptedLoss: 3 })).rejects.toEqual(
      incomplete(dataDir, 4, 4),
    )
  })

  test.each([
    ['missing', null],
    ['empty', ''],
    ['not a number', 'Infinity'],
    ['cut off', '00000000'],
    ['made of zero octets', '\0'.repeat(16)],
    ['too long', '0'.repeat(17)],
  ])('does not start if the witness is %s, also if nothing else is left', async (_, content) => {
    const { dataDir, directory } = await makeJournal()
    const witness = join(dataDir, 'payments-1.witness')
    await (content === null ? rm(witness) : writeFile(witness, content))
    const message = (number: number) =>
      `${witness} is missing or damaged, so there is no way to tell whether all payments in DATA_DIR are there. Restore it and ${directory} from a backup. To start without a backup, set ACCEPT_LEDGER_LOSS=${number}.`
    expect(String(await openError(dataDir))).toContain(message(4))
    await rm(directory, { recursive: true })
    expect(String(await openError(dataDir))).toContain(message(1))
    await openLevelJournal(dataDir, { acceptedLoss: 1 }).then(({ close }) => close())
    expect((await openJournal(dataDir)).entries).toEqual([])
    expect(await readFile(witness, 'latin1')).toBe('0000000000000002')
  })

  test('takes no write that has to last once its files were deleted', async () => {
    const { dataDir } = await makeJournal()
    const journal = await openJournal(dataDir)
    for (const file of await readdir(dataDir)) await rm(join(dataDir, file), { recursive: true })
    await expect(journal.put(entry('new'), true)).rejects.toThrow('the files were deleted')
  })

  test.each([
    ['deleted', (directory: string) => rm(directory, { recursive: true })],
    ['moved', (directory: string) => rename(directory, `${directory}.moved`)],
  ])('takes none either if only its folder was %s', async (_, takeAway) => {
    const { dataDir, directory } = await makeJournal()
    const journal = await openJournal(dataDir)
    await takeAway(directory)
    await expect(journal.put(entry('new'), true)).rejects.toThrow('the files were deleted')
  })

  test('takes none if older files took the place of its own', async () => {
    const { dataDir, directory } = await makeJournal()
    const backup = join(await makeDataDir(), 'backup')
    await cp(directory, backup, { recursive: true })
    const journal = await openJournal(dataDir)
    await journal.put(entry('p3'), true)
    await rm(directory, { recursive: true })
    await cp(backup, directory, { recursive: true })
    await expect(journal.put(entry('new'), true)).rejects.toThrow('the files were deleted')
    // LevelDB starts another file after some megabytes, which has to fail, too.
    for (let at = 0; at < 12; at++) {
      await journal.put(entry(`l${at}`, { report: 'x'.repeat(1_000_000) }), false).catch(() => {})
    }
    await expect(journal.put(entry('after'), true)).rejects.toThrow('the files were')
    await journal.close()
    expect(await openError(dataDir)).toBeInstanceOf(JournalUnavailable)
  })

  test('takes none if a copy of its first file got the same number', async () => {
    const { dataDir, directory } = await makeJournal()
    const journal = await openJournal(dataDir)
    const first = join(directory, 'CURRENT')
    const content = await readFile(first)
    const { ino } = await stat(first)
    await rm(first)
    // The lowest free number is given next.
    for (let at = 0; at < 500; at++) {
      const copy = join(dataDir, `copy-${at}`)
      await writeFile(copy, content)
      if ((await stat(copy)).ino !== ino && at < 499) continue
      await rename(copy, first)
      break
    }
    await expect(journal.put(entry('new'), true)).rejects.toThrow('the files were deleted')
  })

  test('starts again without the number, even before anything was sold', async () => {
    const { dataDir, directory } = await makeJournal()
    await rm(directory, { recursive: true })
    await openLevelJournal(dataDir, { acceptedLoss: 3 }).then(({ close }) => close())
    expect((await openJournal(dataDir)).entries).toEqual([])
  })

  test('starts after a crash at any moment, and from the files of an older version', async () => {
    const { dataDir, directory } = await makeJournal()
    await rm(join(dataDir, 'payments-1.witness'))
    const db = new ClassicLevel(directory)
    await db.del('!batch')
    await db.close()
    const journal = await openJournal(dataDir)
    expect(journal.entries).toHaveLength(3)
    await journal.put(entry('p3'), true)
    // The witness may not have been written yet.
    expect((await openJournal(await copyDataDir(dataDir))).entries).toHaveLength(4)
  })
})
