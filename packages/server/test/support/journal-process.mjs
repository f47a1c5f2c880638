/**
 * Uses the built ledger on the directory of its first argument, and prints each step when it is
 * done, until it is killed.
 */
import { execFileSync } from 'node:child_process'
import { writeSync } from 'node:fs'
import { openLevelJournal } from '../../build/state/level-journal.js'
import { createLocalLedgerStore } from '../../build/state/local-ledger-store.js'
import { createStoredLedger } from '../../build/state/stored-ledger.js'

const [dataDir = '', mode] = process.argv.slice(2)
const journal = await openLevelJournal(dataDir)
const ledger = createStoredLedger(createLocalLedgerStore({ now: Date.now, journal }))
const print = (line) => writeSync(1, `${line}\n`)
const validBefore = Math.ceil(Date.now() / 1_000) + 120
const REPORT = 'r'.repeat(3_000)

const reserve = (id) =>
  ledger.reserve({
    id,
    fingerprint: 'f',
    requestKey: 'k',
    payer: `payer of ${id}`,
    validBefore,
    amount: '10000',
  })

/** Several at once, so writes share a batch and are killed at different steps. */
async function pay(lane) {
  for (let count = 0; ; count++) {
    const id = `${lane}-${count}`
    await reserve(id)
    await ledger.prepare(id, REPORT)
    print(`prepared ${id}`)
    for (const hash of [`0x${id}-1`, `0x${id}-2`]) {
      await ledger.recordTransaction(id, hash)
      print(`recorded ${id} ${hash}`)
    }
    if (count % 3 === 0) await ledger.markUnknown(id)
    if (count % 3 === 1) await ledger.complete(id, `0x${id}-2`)
    if (count % 3 === 2) {
      print(`releasing ${id}`)
      await ledger.release(id)
    }
  }
}

/** Like a full disk: files of this process cannot grow beyond this. */
const limitFiles = (bytes) =>
  execFileSync('prlimit', ['--pid', String(process.pid), `--fsize=${bytes}:`])

async function prepareOnFullDisk() {
  limitFiles(60_000)
  let failures = 0
  for (let count = 0; count < 100; count++) {
    const id = `full-${count}`
    await reserve(id)
    const error = await ledger.prepare(id, REPORT).then(
      () => null,
      (reason) => reason,
    )
    print(error ? `failed ${id} ${error.name}: ${error.message}` : `prepared ${id}`)
    if (error) failures += 1
    if (error) await ledger.release(id)
    if (failures === 3) limitFiles('unlimited')
  }
  print('end')
  await new Promise((resolve) => setTimeout(resolve, 60_000))
}

await (mode === 'full-disk' ? prepareOnFullDisk() : Promise.all(['a', 'b', 'c', 'd'].map(pay)))
