import { describe, expect, test } from 'vitest'
import type { Sale } from './ledger.js'
import { createMemoryLedger, type MemoryLedgerOptions } from './memory-ledger.js'

const VALID_SECONDS = 120
const TEN_MINUTES = 600_000
const receipt = { success: true, transaction: '0xt', network: 'eip155:8453', payer: '0xp' } as const

/** A ledger, its clock in milliseconds, and sales that are valid for two minutes from its zero. */
function setUp(bounds: Pick<MemoryLedgerOptions, 'maxEntries' | 'maxCharacters'> = {}) {
  const clock = { now: 0 }
  const ledger = createMemoryLedger({ now: () => clock.now, ...bounds })
  const sale = (id: string, changes: Partial<Sale> = {}): Sale => ({
    id,
    fingerprint: `fingerprint of ${id}`,
    request: 'score acme.test',
    validBefore: VALID_SECONDS,
    ...changes,
  })
  const claim = (id: string, changes?: Partial<Sale>) => ledger.claim(sale(id, changes))
  const kindOf = async (id: string, changes?: Partial<Sale>) => (await claim(id, changes)).kind
  return {
    clock,
    ledger,
    claim,
    kindOf,
    async sell(id: string, report = 'r', changes?: Partial<Sale>) {
      expect(await kindOf(id, changes)).toBe('yours')
      await ledger.pledge(id, report)
      await ledger.close(id, receipt)
    },
    async lose(id: string, report = 'r', changes?: Partial<Sale>) {
      expect(await kindOf(id, changes)).toBe('yours')
      await ledger.pledge(id, report)
      await ledger.doubt(id)
    },
  }
}

test('what was sold at the last moment is kept for a minute, since answers get lost', async () => {
  const { clock, sell, kindOf } = setUp()
  clock.now = VALID_SECONDS * 1_000 - 1
  await sell('a')
  clock.now += 59_999
  expect(await kindOf('a')).toBe('sold')
  clock.now += 1
  expect(await kindOf('a')).toBe('yours')
})

const OTHER_REQUEST = { request: 'score other.test' }
const OTHER_WORDING = { fingerprint: 'another signature' }

describe('a payment that is worked on', () => {
  test('is busy for everybody, before and after the report is ready', async () => {
    const { ledger, kindOf } = setUp()
    expect(await kindOf('a')).toBe('yours')
    expect(await kindOf('a')).toBe('busy')
    await ledger.pledge('a', 'r')
    expect(await kindOf('a')).toBe('busy')
    expect(await kindOf('a', OTHER_REQUEST)).toBe('busy')
    expect(await kindOf('a', OTHER_WORDING)).toBe('busy')
    expect(await kindOf('b')).toBe('yours')
  })

  test('is claimed by one of those who come at once', async () => {
    const { kindOf } = setUp()
    const kinds = await Promise.all(Array.from({ length: 5 }, () => kindOf('a')))
    expect(kinds).toEqual(['yours', 'busy', 'busy', 'busy', 'busy'])
  })

  test('stays so however long it takes', async () => {
    const { clock, kindOf } = setUp()
    await kindOf('a')
    clock.now = 10 * TEN_MINUTES
    expect(await kindOf('a')).toBe('busy')
  })

  test('is as good as new once it is released', async () => {
    const { ledger, kindOf } = setUp()
    await kindOf('a')
    await ledger.pledge('a', 'r')
    await ledger.release('a')
    expect(await kindOf('a', OTHER_REQUEST)).toBe('yours')
  })
})

describe('a payment that has bought a report', () => {
  test('gives it again, with its receipt', async () => {
    const { sell, claim } = setUp()
    await sell('a', '{"score":94}')
    const again = { kind: 'sold', report: '{"score":94}', receipt }
    expect(await claim('a')).toEqual(again)
    expect(await claim('a')).toEqual(again)
  })

  test('is spent for another request, or under another signature', async () => {
    const { sell, kindOf } = setUp()
    await sell('a')
    expect(await kindOf('a', OTHER_REQUEST)).toBe('spent')
    expect(await kindOf('a', OTHER_WORDING)).toBe('spent')
    expect(await kindOf('a')).toBe('sold')
  })

  test('is remembered for as long as it is valid, to the millisecond', async () => {
    const { clock, sell, kindOf } = setUp()
    await sell('a')
    clock.now = VALID_SECONDS * 1_000 - 1
    expect(await kindOf('a')).toBe('sold')
    clock.now = VALID_SECONDS * 1_000
    expect(await kindOf('a')).toBe('yours')
  })

  test('is remembered for ten minutes from its sale when it is valid for longer', async () => {
    const { clock, sell, kindOf } = setUp()
    clock.now = 5_000
    await sell('a', 'r', { validBefore: 1e78 })
    clock.now = 5_000 + TEN_MINUTES - 1
    expect(await kindOf('a')).toBe('sold')
    clock.now = 5_000 + TEN_MINUTES
    expect(await kindOf('a')).toBe('yours')
  })
})

describe('a payment that was lost sight of', () => {
  test('is for the next who sends it to find out about, and busy for others meanwhile', async () => {
    const { lose, claim, kindOf } = setUp()
    await lose('a', '{"score":94}')
    expect(await claim('a')).toEqual({ kind: 'doubtful', report: '{"score":94}' })
    expect(await kindOf('a')).toBe('busy')
  })

  test('may stay doubtful, become sold, or be released', async () => {
    const { ledger, lose, claim, kindOf } = setUp()
    await lose('a', 'ra')
    await claim('a')
    await ledger.doubt('a')
    expect(await claim('a')).toEqual({ kind: 'doubtful', report: 'ra' })
    await ledger.close('a', receipt)
    expect(await claim('a')).toEqual({ kind: 'sold', report: 'ra', receipt })
    await lose('b')
    await claim('b')
    await ledger.release('b')
    expect(await kindOf('b')).toBe('yours')
  })

  test('is spent for another request or wording, which leaves it doubtful', async () => {
    const { lose, kindOf } = setUp()
    await lose('a')
    expect(await kindOf('a', OTHER_REQUEST)).toBe('spent')
    expect(await kindOf('a', OTHER_WORDING)).toBe('spent')
    expect(await kindOf('a')).toBe('doubtful')
  })

  test('is remembered for ten minutes beyond its end, however often it is asked for', async () => {
    const { clock, ledger, lose, kindOf } = setUp()
    await lose('a')
    clock.now = TEN_MINUTES - 1
    expect(await kindOf('a')).toBe('doubtful')
    await ledger.doubt('a')
    clock.now = VALID_SECONDS * 1_000 + TEN_MINUTES - 1
    expect(await kindOf('a')).toBe('doubtful')
    await ledger.doubt('a')
    clock.now += 1
    expect(await kindOf('a')).toBe('yours')
  })

  test('is not forgotten while somebody finds out', async () => {
    const { clock, lose, kindOf } = setUp()
    await lose('a')
    expect(await kindOf('a')).toBe('doubtful')
    clock.now = 2 * TEN_MINUTES
    expect(await kindOf('a')).toBe('busy')
  })
})

test('what it never heard of changes nothing', async () => {
  const { ledger, kindOf } = setUp({ maxEntries: 1 })
  await ledger.pledge('a', 'r')
  await ledger.close('a', receipt)
  await ledger.doubt('a')
  await ledger.release('a')
  expect(await kindOf('a')).toBe('yours')
})
