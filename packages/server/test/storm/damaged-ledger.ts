/** A ledger on disk that loses files while its instance is down. */
import { existsSync } from 'node:fs'
import { cp, mkdtemp, readdir, readFile, rm, stat, truncate } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ClassicLevel } from 'classic-level'
import { JOURNAL_DIRECTORY } from '../../src/state/level-journal.js'
import type { Instance } from '../production/instance.js'
import type { SeededRandom } from './seeded-random.js'

const removeAll = (directory: string) => rm(directory, { recursive: true, force: true })

const DAMAGES: Readonly<Record<string, (directory: string) => Promise<void>>> = {
  'its newest log is gone': async (directory) => rm(await newestLog(directory)),
  'its newest log is cut in half': async (directory) => {
    const log = await newestLog(directory)
    await truncate(log, Math.floor((await stat(log)).size / 2))
  },
  'all of it is gone': removeAll,
}

export const DAMAGE_NAMES = Object.keys(DAMAGES)

/** Kills an instance, damages its ledger, and restores it when the instance has refused to start. */
export async function damageAndRestore(
  instance: Instance,
  dataDir: string,
  random: SeededRandom,
): Promise<void> {
  await instance.kill()
  const directory = join(dataDir, JOURNAL_DIRECTORY)
  const backup = await mkdtemp(join(tmpdir(), 'mailgrade-backup-'))
  try {
    await cp(directory, backup, { recursive: true })
    await damageLedger(dataDir, random.pick(DAMAGE_NAMES))
    await expectRefusal(instance, dataDir)
    await removeAll(directory)
    await cp(backup, directory, { recursive: true })
  } finally {
    await removeAll(backup)
  }
}

export async function damageLedger(dataDir: string, damage: string): Promise<void> {
  const directory = join(dataDir, JOURNAL_DIRECTORY)
  await DAMAGES[damage]?.(directory)
  // What was cut off may have been writes without sync, which no start has to miss.
  if ((await readLastBatch(directory)) >= (await readWitness(dataDir))) await removeAll(directory)
}

/** Returns the number that accepts the loss. */
export async function expectRefusal(instance: Instance, dataDir: string): Promise<number> {
  const number = await readWitness(dataDir)
  const message = await instance.restart().then(
    () => 'it started',
    (error: Error) => error.message,
  )
  if (message.includes(`ACCEPT_LEDGER_LOSS=${number}.`)) return number
  throw new Error(`no refusal that names ACCEPT_LEDGER_LOSS=${number}: ${message}`)
}

async function newestLog(directory: string): Promise<string> {
  const logs = (await readdir(directory)).filter((name) => name.endsWith('.log'))
  return join(directory, logs.sort().at(-1) ?? '')
}

/** The number of the last write that is left, read from a copy, because opening changes files. */
async function readLastBatch(directory: string): Promise<number> {
  if (!existsSync(directory)) return 0
  const copy = await mkdtemp(join(tmpdir(), 'mailgrade-damaged-'))
  try {
    await cp(directory, copy, { recursive: true })
    const db = new ClassicLevel<string, number>(copy, { valueEncoding: 'json' })
    const batch = await db.get('!batch')
    await db.close()
    return batch ?? 0
  } finally {
    await removeAll(copy)
  }
}

const readWitness = async (dataDir: string) =>
  Number(await readFile(join(dataDir, `${JOURNAL_DIRECTORY}.witness`), 'utf8'))
