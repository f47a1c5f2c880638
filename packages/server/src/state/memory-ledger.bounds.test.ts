import { propertyRuns } from '@mailgrade/testing/property-runs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createMemoryLedger, type MemoryLedgerOptions } from './memory-ledger.js'

const settlement = {
  success: true,
  transaction: '0xt',
  network: 'eip155:8453',
  payer: '0xp',
} as const
const TEN_MINUTES = 600_000

function setUp(bounds: Pick<MemoryLedgerOptions, 'maxEntries' | 'maxCharacters'>) {
  const clock = { now: 0 }
  const ledger = createMemoryLedger({ now: () => clock.now, ...bounds })
  const reserveKind = async (id: string) =>
    (await ledger.reserve({ id, fingerprint: id, requestKey: 'r', validBefore: 120 })).kind
  const prepareOne = async (id: string, report = '') => {
    expect(await reserveKind(id)).toBe('acquired')
    await ledger.prepare(id, report)
  }
  return {
    clock,
    ledger,
    reserveKind,
    prepareOne,
    completeOne: async (id: string, report?: string) => {
      await prepareOne(id, report)
      await ledger.complete(id, settlement)
    },
    loseOne: async (id: string, report?: string) => {
      await prepareOne(id, report)
      await ledger.markUnknown(id)
    },
  }
}

describe('when there are too many entries', () => {
  test('expired entries make room at once', async () => {
    const { clock, reserveKind, loseOne } = setUp({ maxEntries: 2 })
    await loseOne('a')
    clock.now = 5_000
    await loseOne('b')
    clock.now = TEN_MINUTES - 1
    expect(await reserveKind('c')).toBe('full')
    clock.now = TEN_MINUTES
    expect(await reserveKind('c')).toBe('acquired')
    expect(await reserveKind('d')).toBe('full')
    clock.now = TEN_MINUTES + 5_000
    expect(await reserveKind('b')).toBe('acquired')
  })
})

describe('when the reports are too long', () => {
  test('evicts the oldest completed payments, and no more than needed', async () => {
    const { reserveKind, completeOne } = setUp({ maxCharacters: 10 })
    await completeOne('a', '12345')
    await completeOne('b', '12345')
    expect(await reserveKind('c')).toBe('acquired')
    await completeOne('d', '1')
    expect(await reserveKind('e')).toBe('acquired')
    expect(await reserveKind('b')).toBe('completed')
    expect(await reserveKind('d')).toBe('completed')
    expect(await reserveKind('a')).toBe('acquired')
  })

  test('rejects new payments if nothing can be evicted', async () => {
    const { ledger, reserveKind, prepareOne, loseOne } = setUp({ maxCharacters: 10 })
    await prepareOne('a', '123456')
    await loseOne('b', '12345')
    expect(await reserveKind('c')).toBe('full')
    await ledger.release('a')
    expect(await reserveKind('c')).toBe('acquired')
  })

  test('does not count released, replaced or expired reports', async () => {
    const { clock, ledger, reserveKind, prepareOne, completeOne } = setUp({ maxCharacters: 10 })
    for (let time = 0; time < 5; time++) {
      await prepareOne('a', '1234567890')
      await ledger.prepare('a', '1234567890')
      await ledger.release('a')
      await completeOne('b', '1234567890')
      clock.now += 120_000
      await completeOne('b', '')
      clock.now += 120_000
    }
    await prepareOne('c', '1234567890')
    expect(await reserveKind('d')).toBe('acquired')
  })
})

describe('any sequence of steps', () => {
  const step = fc.record({
    step: fc.constantFrom('reserve', 'reserve', 'complete', 'markUnknown', 'release', 'wait'),
    id: fc.constantFrom('a', 'b', 'c', 'd'),
    ms: fc.integer({ min: 0, max: 700_000 }),
  })

  /** Tracks which payments are reserved, to compare with the ledger. */
  function setUpModel() {
    const { clock, ledger, reserveKind } = setUp({ maxEntries: 3, maxCharacters: 4 })
    const owned = new Set<string>()
    const end = (finish: (id: string) => Promise<void>) => async (id: string) => {
      if (owned.delete(id)) await finish(id)
    }
    return {
      complete: end((id) => ledger.complete(id, settlement)),
      markUnknown: end(ledger.markUnknown),
      release: end(ledger.release),
      async reserve(id: string) {
        const kind = await reserveKind(id)
        expect(kind === 'inProgress').toBe(owned.has(id))
        if (kind !== 'acquired' && kind !== 'unknown') return
        owned.add(id)
        await ledger.prepare(id, 'xx')
      },
      async wait(_: string, ms: number) {
        clock.now += ms
      },
    }
  }

  test('keeps each payment with one owner, and inProgress only while it has one', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const model = setUpModel()
        for (const { step, id, ms } of steps) await model[step](id, ms)
      }),
      { numRuns: propertyRuns(100) },
    )
  })
})
