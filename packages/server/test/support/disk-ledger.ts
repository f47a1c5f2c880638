/** A ledger with its journal on disk, in a directory that is deleted after the test. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Ledger } from '../../src/state/ledger.js'
import { openLevelJournal } from '../../src/state/level-journal.js'
import { createLocalLedger } from './ledgers.js'

export interface DiskLedger {
  readonly ledger: Ledger
  readonly dataDir: string
  /** Lets another process in. */
  close(): Promise<void>
}

export async function openDiskLedger(now: () => number): Promise<DiskLedger> {
  const dataDir = await mkdtemp(join(tmpdir(), 'mailgrade-ledger-'))
  const journal = await openLevelJournal(dataDir)
  onTestFinished(async () => {
    await journal.close()
    await rm(dataDir, { recursive: true })
  })
  return { ledger: createLocalLedger({ now, journal }), dataDir, close: journal.close }
}
