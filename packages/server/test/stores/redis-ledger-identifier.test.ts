/** Identifiers in the ledger that instances share. */
import { beforeEach, describe, expect, test } from 'vitest'
import type { Ledger } from '../../src/state/ledger.js'
import { redisKey } from '../../src/state/redis-connection.js'
import {
  describeLedgerIdentifiers,
  identifiedRequest,
} from '../support/ledger-identifier-contract.js'
import { createRedisLedger } from '../support/ledgers.js'
import { startRedisServer } from '../support/redis-server.js'
import { connectWatchedStore } from './watched-store.js'

const server = await startRedisServer()
beforeEach(() => server.reset())

async function openLedger(): Promise<Ledger> {
  return createRedisLedger({ store: await connectWatchedStore(server) })
}

describe('with one instance', () => describeLedgerIdentifiers(openLedger))

test('another instance sees the identifier', async () => {
  const [one, other] = await Promise.all([openLedger(), openLedger()])
  await one.reserve(identifiedRequest('a', 'i'))
  await one.prepare('a', 'r')
  expect(await other.reserve(identifiedRequest('b', 'i'))).toEqual({
    kind: 'identifierInUse',
    isInProgress: true,
  })
})

test('an identifier is free again when its payment was evicted', async () => {
  const ledger = await openLedger()
  await ledger.reserve(identifiedRequest('a', 'i'))
  await ledger.prepare('a', 'r')
  await ledger.complete('a', '0xt')
  await server.command('DEL', redisKey('ledger', 'entry', 'a'))
  expect(await ledger.reserve(identifiedRequest('b', 'i'))).toEqual({ kind: 'acquired' })
})

test('payments that are not prepared leave no identifiers behind', async () => {
  const ledger = await openLedger()
  const listKeys = async () => (await server.command('KEYS', '*:identifier:*')) as string[]
  await ledger.reserve(identifiedRequest('a', 'i'))
  expect(await listKeys()).toEqual([])
  await ledger.prepare('a', 'r')
  expect(await listKeys()).toHaveLength(1)
  await ledger.release('a')
  expect(await listKeys()).toEqual([])
})
