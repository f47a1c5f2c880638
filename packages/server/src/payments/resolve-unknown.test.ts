/** When the chain is read, and since when; what it shows is tested on a real one. */
import { expect, test } from 'vitest'
import { testTerms } from '../../test/support/payment-fixtures.js'
import type { UnknownPayment } from '../state/ledger.js'
import { NO_DUST } from './chain/payee-transfers.js'
import type { PayeeTransfers } from './facilitator.js'
import { createUnknownResolver, startResolvingUnknown } from './resolve-unknown.js'

const NOW_SECONDS = 1_800_000_000
/** One that is valid for an hour after it was signed. */
const unknown = (id: string, ageSeconds: number): UnknownPayment => ({
  id,
  since: (NOW_SECONDS - ageSeconds) * 1_000,
  validBefore: NOW_SECONDS - ageSeconds + 3_600,
  amount: '10000',
  transactions: [],
})

function setUp(listed: UnknownPayment[]) {
  const searches: number[] = []
  const clock = { now: NOW_SECONDS * 1_000 }
  const options = {
    ledger: { listUnknown: async () => [...listed], resolve: async () => true },
    terms: testTerms('eip155:84532'),
    async readPayeeTransfers(since: number): Promise<PayeeTransfers> {
      searches.push(since)
      return { transfers: [], dust: NO_DUST, upTo: clock.now / 1_000 }
    },
    facilitator: { recordsTransactions: false },
    now: () => clock.now,
    onResolved: () => {},
  }
  return { options, searches, clock, resolveUnknown: createUnknownResolver(options) }
}

test('does not read the chain for payments younger than 30 seconds', async () => {
  const { clock, resolveUnknown, searches } = setUp([unknown('a', 29)])
  await resolveUnknown()
  expect(searches).toEqual([])
  clock.now += 1_000
  await resolveUnknown()
  expect(searches).toHaveLength(1)
})

test('searches ten minutes before the oldest payment, and then only what is new', async () => {
  const listed = [unknown('a', 3_000), unknown('b', 40)]
  const { clock, resolveUnknown, searches } = setUp(listed)
  await resolveUnknown()
  clock.now += 15_000
  await resolveUnknown()
  listed.push(unknown('c', 2_000))
  await resolveUnknown()
  expect(searches.map((since) => since - NOW_SECONDS)).toEqual([-3_600, -600, -2_600])
})

test.each([
  ['a day ahead', -26 * 3_600],
  ['two days behind', 48 * 3_600],
  ['in 1970', NOW_SECONDS],
])('searches an hour back from the end of a payment, also if our clock was %s', async (_, age) => {
  const prepared = { ...unknown('a', age), validBefore: NOW_SECONDS + 120 }
  const { resolveUnknown, searches } = setUp([prepared, unknown('b', 600)])
  await resolveUnknown()
  expect(searches.map((since) => since - NOW_SECONDS)).toEqual([120 - 3_600 - 600])
})

test('starts at once and repeats every 15 seconds, also after a failure, until it is stopped', async () => {
  const { options, searches } = setUp([unknown('a', 40)])
  const waits: number[] = []
  const failures: unknown[] = []
  let turn = () => {}
  const nextWait = () =>
    new Promise<void>((resolve) => {
      turn = resolve
    })
  let waiting = nextWait()
  let resume = () => {}
  const forgotten: number[] = []
  const resolver = startResolvingUnknown({
    ...options,
    ledger: {
      ...options.ledger,
      async forgetOld(chainTime) {
        forgotten.push(chainTime)
      },
    },
    readChainTime: async () => NOW_SECONDS + 5,
    async readPayeeTransfers(since) {
      if (searches.push(since) === 1) throw new Error('lost')
      return { transfers: [], dust: NO_DUST, upTo: 0 }
    },
    wait(ms) {
      waits.push(ms)
      turn()
      return new Promise<void>((resolve) => {
        resume = resolve
      })
    },
    onFailure: (error) => failures.push(error),
  })
  await waiting
  expect(searches).toHaveLength(1)
  waiting = nextWait()
  resume()
  await waiting
  expect([searches.length, failures]).toEqual([2, [new Error('lost')]])
  resolver.stop()
  resume()
  await Promise.resolve()
  expect([searches.length, waits]).toEqual([2, [15_000, 15_000]])
  // Not what is old by the chain's clock alone, and not at every turn.
  expect(forgotten).toEqual([NOW_SECONDS])
})

test('forgets what is old by the clock of the chain while ours is ahead', async () => {
  const { options, clock } = setUp([])
  clock.now += 26 * 3_600_000
  const forgotten = new Promise<number>((resolve) => {
    const resolver = startResolvingUnknown({
      ...options,
      ledger: { ...options.ledger, forgetOld: async (chainTime) => resolve(chainTime) },
      readChainTime: async () => NOW_SECONDS,
      wait: async () => resolver.stop(),
      onFailure: () => {},
    })
  })
  expect(await forgotten).toBe(NOW_SECONDS)
})

test('resolves nothing more once it is stopped', async () => {
  const { options } = setUp([unknown('a', 40)])
  const closing = new AbortController()
  const resolved: string[] = []
  await createUnknownResolver({
    ...options,
    ledger: {
      listUnknown: options.ledger.listUnknown,
      async resolve(id) {
        resolved.push(id)
        return true
      },
    },
    async readPayeeTransfers() {
      closing.abort()
      return { transfers: [], dust: NO_DUST, upTo: NOW_SECONDS + 1_000 }
    },
  })(closing.signal)
  expect(resolved).toEqual([])
})
