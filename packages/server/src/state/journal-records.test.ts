import { copyFile, mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ClassicLevel } from 'classic-level'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openDiskLedger } from '../../test/support/disk-ledger.js'
import { readJournalRecords, removeOldCopies } from './journal-records.js'
import { RECOVERY_MS } from './ledger-rules.js'
import { JournalUnavailable } from './level-journal.js'
import { openState } from './open-state.js'

const NOW = 1_800_000_000_000
const request = (id: string) => ({
  id,
  fingerprint: 'f',
  requestKey: 'r',
  payer: 'p',
  validBefore: NOW / 1_000 + 120,
  amount: '10000',
})

async function setUp() {
  const opened = await openDiskLedger(() => NOW)
  return {
    ...opened,
    async prepareOne(id: string, report = 'sealed') {
      await opened.ledger.reserve({ ...request(id), payer: id })
      await opened.ledger.prepare(id, report)
    },
  }
}

test('reads the payments of a ledger that is in use, and leaves nothing behind', async () => {
  const { ledger, dataDir, prepareOne } = await setUp()
  await prepareOne('delivered')
  await ledger.complete('delivered', '0x1')
  await ledger.markDelivered('delivered')
  await prepareOne('due')
  await ledger.complete('due', '0x2')
  await prepareOne('unknown')
  await ledger.recordTransaction('unknown', '0x3')
  await ledger.markUnknown('unknown')
  await prepareOne('in progress')
  await ledger.reserve(request('not prepared'))
  const common = {
    since: NOW,
    validBefore: NOW / 1_000 + 120,
    amount: '10000',
    keepUntil: NOW + 120_000 + RECOVERY_MS,
    isDelivered: false,
  }
  const records = await readJournalRecords(dataDir)
  expect(new Map(records.map((record) => [record.id, record]))).toEqual(
    new Map(
      [
        { ...common, id: 'delivered', state: 'paid', isDelivered: true, transactions: ['0x1'] },
        { ...common, id: 'due', state: 'paid', transactions: ['0x2'] },
        { ...common, id: 'unknown', state: 'unknown', transactions: ['0x3'] },
        { ...common, id: 'in progress', state: 'unknown', transactions: [] },
      ].map((record) => [record.id, record]),
    ),
  )
  expect(await readdir(dataDir)).toEqual(['payments-1', 'payments-1.witness'])
})

describe('when LevelDB moves entries to another file during the copy', () => {
  /** Moves them when the copying reaches the nth file, once. */
  async function readWhileMoving(nth: number) {
    const { ledger, dataDir, prepareOne, close } = await setUp()
    await prepareOne('a')
    await ledger.complete('a', '0x1')
    await close()
    const db = new ClassicLevel(join(dataDir, 'payments-1'))
    await db.open()
    onTestFinished(() => db.close())
    const copied: string[] = []
    const records = await readJournalRecords(dataDir, async (from, to) => {
      if (copied.push(from) === nth) await db.compactRange('', '~')
      await copyFile(from, to)
    })
    return { ids: records.map(({ id }) => id), copied: copied.length }
  }

  test.each([1, 2, 3, 4])('starts again, at file %d', async (nth) => {
    const { ids, copied } = await readWhileMoving(nth)
    expect(ids).toEqual(['a'])
    expect(copied).toBeGreaterThan(nth)
  })

  test('gives up if that never ends', async () => {
    const { dataDir, prepareOne } = await setUp()
    await prepareOne('a')
    let tries = 0
    const read = readJournalRecords(dataDir, async (from, to) => {
      await copyFile(from, to)
      if (!from.endsWith('CURRENT')) return
      tries += 1
      await writeFile(join(dataDir, 'payments-1', `${tries}.ldb`), '')
    })
    await expect(read).rejects.toThrow('is changing too fast to copy. Try again.')
    expect(tries).toBe(20)
    expect(await readdir(dataDir)).toEqual(['payments-1', 'payments-1.witness'])
  })
})

test('says why the payments cannot be copied, and leaves no copy behind', async () => {
  const { dataDir, prepareOne } = await setUp()
  await prepareOne('a')
  const read = readJournalRecords(dataDir, async () => {
    throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
  })
  await expect(read).rejects.toEqual(
    new JournalUnavailable(
      `The payments in DATA_DIR (${dataDir}) cannot be copied (ENOSPC). The copy needs as much free space as they take up now.`,
    ),
  )
  expect(await readdir(dataDir)).toEqual(['payments-1', 'payments-1.witness'])
})

test('says which directory has no payments', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'mailgrade-empty-'))
  onTestFinished(() => rm(dataDir, { recursive: true }))
  await expect(readJournalRecords(dataDir)).rejects.toThrow(
    `There are no payments in ${join(dataDir, 'payments-1')} (ENOENT). Set DATA_DIR to the same folder as for the service.`,
  )
  expect(await readdir(dataDir)).toEqual([])
  await expect(readJournalRecords(join(dataDir, 'none'))).rejects.toThrow(
    'cannot be written (ENOENT)',
  )
})

test('a copy that a killed process left behind is deleted after an hour', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'mailgrade-copies-'))
  onTestFinished(() => rm(dataDir, { recursive: true }))
  for (const name of ['copy-old', 'copy-new', 'payments-1']) {
    await mkdir(join(dataDir, name, 'payments-1'), { recursive: true })
  }
  const hourAgo = Date.now() / 1_000 - 3_600
  await utimes(join(dataDir, 'copy-old'), hourAgo, hourAgo)
  await removeOldCopies(dataDir)
  expect((await readdir(dataDir)).sort()).toEqual(['copy-new', 'payments-1'])
})

test.each([
  ['the service starts', start],
  ['payments are read', readJournalRecords],
])('such a copy is deleted when %s', async (_, act) => {
  const { dataDir, close } = await openDiskLedger(() => NOW)
  await close()
  const left = join(dataDir, 'copy-old')
  await mkdir(left)
  await utimes(left, 0, 0)
  await act(dataDir)
  expect((await readdir(dataDir)).sort()).toEqual(['payments-1', 'payments-1.witness'])
})

async function start(dataDir: string): Promise<void> {
  const { close } = await openState({
    config: { mode: 'live', redisUrl: null, dataDir, acceptedLoss: null, rateLimitPerMinute: 1 },
    now: () => 0,
    wallClock: () => NOW,
  })
  await close()
}
