import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createMemoryLedger, type MemoryLedgerOptions } from './memory-ledger.js'

const receipt = { success: true, transaction: '0xt', network: 'eip155:8453', payer: '0xp' } as const
const TEN_MINUTES = 600_000

function setUp(bounds: Pick<MemoryLedgerOptions, 'maxEntries' | 'maxCharacters'>) {
  const clock = { now: 0 }
  const ledger = createMemoryLedger({ now: () => clock.now, ...bounds })
  const kindOf = async (id: string) =>
    (await ledger.reserve({ id, fingerprint: id, requestKey: 'r', validBefore: 120 })).kind
  const begin = async (id: string, report = '') => {
    expect(await kindOf(id)).toBe('acquired')
    await ledger.prepare(id, report)
  }
  return {
    clock,
    ledger,
    kindOf,
    begin,
    sell: async (id: string, report?: string) => {
      await begin(id, report)
      await ledger.complete(id, receipt)
    },
    lose: async (id: string, report?: string) => {
      await begin(id, report)
      await ledger.markUnknown(id)
    },
  }
}

describe('when there are too many', () => {
  test('what is over makes room, at once', async () => {
    const { clock, kindOf, lose } = setUp({ maxEntries: 2 })
    await lose('a')
    clock.now = 5_000
    await lose('b')
    clock.now = TEN_MINUTES - 1
    expect(await kindOf('c')).toBe('full')
    clock.now = TEN_MINUTES
    expect(await kindOf('c')).toBe('acquired')
    expect(await kindOf('d')).toBe('full')
    clock.now = TEN_MINUTES + 5_000
    expect(await kindOf('b')).toBe('acquired')
  })
})

describe('when the reports are too long', () => {
  test('what was sold first goes first, and no more than has to', async () => {
    const { kindOf, sell } = setUp({ maxCharacters: 10 })
    await sell('a', '12345')
    await sell('b', '12345')
    expect(await kindOf('c')).toBe('acquired')
    await sell('d', '1')
    expect(await kindOf('e')).toBe('acquired')
    expect(await kindOf('b')).toBe('completed')
    expect(await kindOf('d')).toBe('completed')
    expect(await kindOf('a')).toBe('acquired')
  })

  test('newcomers are turned away when nothing can go', async () => {
    const { ledger, kindOf, begin, lose } = setUp({ maxCharacters: 10 })
    await begin('a', '123456')
    await lose('b', '12345')
    expect(await kindOf('c')).toBe('full')
    await ledger.release('a')
    expect(await kindOf('c')).toBe('acquired')
  })

  test('what is gone does not count: released, replaced, over', async () => {
    const { clock, ledger, kindOf, begin, sell } = setUp({ maxCharacters: 10 })
    for (let time = 0; time < 5; time++) {
      await begin('a', '1234567890')
      await ledger.prepare('a', '1234567890')
      await ledger.release('a')
      await sell('b', '1234567890')
      clock.now += 120_000
      await sell('b', '')
      clock.now += 120_000
    }
    await begin('c', '1234567890')
    expect(await kindOf('d')).toBe('acquired')
  })
})

describe('whatever happens', () => {
  const step = fc.record({
    act: fc.constantFrom('claim', 'claim', 'close', 'doubt', 'release', 'wait'),
    id: fc.constantFrom('a', 'b', 'c', 'd'),
    ms: fc.integer({ min: 0, max: 700_000 }),
  })

  /** Who has which payment, beside a ledger that should know. */
  function setUpModel() {
    const { clock, ledger, kindOf } = setUp({ maxEntries: 3, maxCharacters: 4 })
    const held = new Set<string>()
    const end = (way: (id: string) => Promise<void>) => async (id: string) => {
      if (held.delete(id)) await way(id)
    }
    return {
      close: end((id) => ledger.complete(id, receipt)),
      doubt: end(ledger.markUnknown),
      release: end(ledger.release),
      async claim(id: string) {
        const kind = await kindOf(id)
        expect(kind === 'inProgress').toBe(held.has(id))
        if (kind !== 'acquired' && kind !== 'unknown') return
        held.add(id)
        await ledger.prepare(id, 'xx')
      },
      async wait(_: string, ms: number) {
        clock.now += ms
      },
    }
  }

  test('a payment is given to one at a time, and is busy only while one has it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const model = setUpModel()
        for (const { act, id, ms } of steps) await model[act](id, ms)
      }),
    )
  })
})
