import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  describeLedgerIdentifiers,
  identifiedRequest,
} from '../../test/support/ledger-identifier-contract.js'
import { createLocalLedger } from '../../test/support/ledgers.js'
import { openLevelJournal } from './level-journal.js'

const now = () => Date.now()

function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'mailgrade-journal-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

describe('in memory', () => {
  describeLedgerIdentifiers(() => createLocalLedger({ now }))
})

describe('with a journal', () => {
  describeLedgerIdentifiers(async () => {
    const journal = await openLevelJournal(newDirectory())
    onTestFinished(() => journal.close())
    return createLocalLedger({ now, journal })
  })

  test('a restart keeps identifiers and the time of payment', async () => {
    const directory = newDirectory()
    const before = await openLevelJournal(directory)
    const ledger = createLocalLedger({ now, journal: before })
    for (const id of ['paid', 'unknown']) {
      await ledger.reserve(identifiedRequest(id, `identifier of ${id}`))
      await ledger.prepare(id, 'r')
    }
    await ledger.complete('paid', '0xt', 1_800_000_000)
    await before.close()

    const after = await openLevelJournal(directory)
    onTestFinished(() => after.close())
    const restarted = createLocalLedger({ now, journal: after })
    const reserve = (id: string, identifier: string) =>
      restarted.reserve(identifiedRequest(id, identifier))
    const used = { kind: 'identifierInUse', isInProgress: false }
    expect(await reserve('another', 'identifier of paid')).toEqual(used)
    expect(await reserve('another', 'identifier of unknown')).toEqual(used)
    expect(await reserve('paid', 'identifier of paid')).toMatchObject({ paidAt: 1_800_000_000 })
  })
})

test('an identifier is free again once its payment is forgotten', async () => {
  const now = () => 1_800_000_000_000
  const validBefore = now() / 1_000 + 120
  const ledger = createLocalLedger({ now })
  const request = (id: string, changes = {}) =>
    identifiedRequest(id, 'i', { validBefore, ...changes })
  await ledger.reserve(request('a'))
  await ledger.prepare('a', 'r')
  await ledger.complete('a', '0xt')
  await ledger.forgetOld(validBefore + 24 * 60 * 60 - 1)
  expect(await ledger.reserve(request('b'))).toMatchObject({ kind: 'identifierInUse' })
  await ledger.forgetOld(validBefore + 24 * 60 * 60)
  expect(await ledger.reserve(request('b'))).toEqual({ kind: 'acquired' })
  await ledger.prepare('b', 'r')
  expect(await ledger.reserve(request('c'))).toEqual({
    kind: 'identifierInUse',
    isInProgress: true,
  })
})
