/** The journal of a process that is killed, or whose disk is full. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { createLocalLedger } from '../../test/support/ledgers.js'
import { openLevelJournal } from './level-journal.js'

const SCRIPT = 'packages/server/test/support/journal-process.mjs'

/** Runs until it printed a line that `isLast`, and kills it; returns what it printed. */
async function runUntil(
  dataDir: string,
  mode: string,
  isLast: (line: string, lines: readonly string[]) => boolean,
): Promise<string[]> {
  const child = spawn(process.execPath, [SCRIPT, dataDir, mode], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  const lines: string[] = []
  for await (const line of createInterface(child.stdout)) {
    lines.push(line)
    if (isLast(line, lines)) child.kill('SIGKILL')
  }
  expect((await exited)[1]).toBe('SIGKILL')
  return lines
}

async function reopen(dataDir: string) {
  const journal = await openLevelJournal(dataDir)
  onTestFinished(journal.close)
  expect(journal.droppedBytes).toBe(0)
  const ledger = createLocalLedger({ now: Date.now, journal })
  return (id: string) =>
    ledger.reserve({
      id,
      fingerprint: 'f',
      requestKey: 'k',
      payer: `payer of ${id}`,
      validBefore: Date.now() / 1_000,
      amount: '10000',
    })
}

async function makeDataDir(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'mailgrade-journal-'))
  onTestFinished(() => rm(dataDir, { recursive: true }))
  return dataDir
}

test.each(Array.from({ length: 8 }, (_, index) => index * 37 + 1))(
  'no prepared payment and no transaction is lost when the process is killed at step %i',
  async (steps) => {
    const dataDir = await makeDataDir()
    const lines = await runUntil(dataDir, 'pay', (_, printed) => printed.length >= steps)
    const reserve = await reopen(dataDir)
    const words = lines.map((line) => line.split(' '))
    const idsAfter = (step: string) => words.filter(([it]) => it === step).map(([, id]) => id ?? '')
    const releasing = new Set(idsAfter('releasing'))
    const prepared = idsAfter('prepared').filter((id) => !releasing.has(id))
    expect(prepared.length).toBeGreaterThan(0)
    for (const id of prepared) {
      const recorded = words.filter(([it, of]) => it === 'recorded' && of === id)
      const hashes = recorded.map(([, , hash]) => hash)
      const reservation = await reserve(id)
      if (reservation.kind === 'paid') {
        expect(reservation).toMatchObject({ report: 'r'.repeat(3_000), transaction: hashes[1] })
      } else {
        expect(reservation).toMatchObject({ kind: 'unknown', report: 'r'.repeat(3_000) })
        // One more may have been written before the process could say so.
        const transactions = reservation.kind === 'unknown' ? reservation.transactions : []
        expect(transactions.slice(0, hashes.length)).toEqual(hashes)
      }
    }
  },
)

test('a full disk rejects payments, and those prepared after it are not lost', async () => {
  const dataDir = await makeDataDir()
  const lines = await runUntil(dataDir, 'full-disk', (line) => line === 'end')
  const words = lines.map((line) => line.split(' '))
  const failed = lines.filter((line) => line.startsWith('failed'))
  expect(failed).toHaveLength(3)
  for (const line of failed) {
    expect(line).toContain('LedgerUnavailable: the journal cannot be written: ')
  }
  const prepared = words.filter(([step]) => step === 'prepared').map(([, id]) => id ?? '')
  expect(prepared).toHaveLength(97)
  const reserve = await reopen(dataDir)
  for (const id of prepared) expect(await reserve(id)).toMatchObject({ kind: 'unknown' })
})

test('a directory that is not writable is named', async () => {
  const dataDir = await makeDataDir()
  await chmod(dataDir, 0o500)
  const command = [process.execPath, SCRIPT, dataDir, 'pay']
  // Root may write anywhere, unless it drops that right.
  const dropped =
    process.getuid?.() === 0 ? ['setpriv', '--inh-caps=-all', '--bounding-set=-all'] : []
  const [program = '', ...args] = [...dropped, ...command]
  const { status, stderr } = spawnSync(program, args, { encoding: 'utf8' })
  expect(status).toBe(1)
  expect(stderr).toContain(
    `DATA_DIR (${dataDir}) cannot be opened (EACCES). Set it to a directory that this process can write to.`,
  )
})
