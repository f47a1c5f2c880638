import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { createRsaPublicKey, PKCS1, SPKI } from '@mailgrade/testing/dkim-keys'
import { afterEach, beforeEach, describe, expect, type MockInstance, test, vi } from 'vitest'
import {
  GOOD_KEY_RECORD,
  keyZoneLine,
  requireDkimReport,
  SENDING_ZONE,
  txtZoneLine,
} from '../../../test/support/dkim-fixture.js'
import { LISTS } from '../../catalog/generated/lists.js'

const REVOKED = 'v=DKIM1; p='
const WILDCARD = '*._domainkey.acme.test'

/** So many revoked keys, each a record of its own. */
const revoked = (count: number) => Array.from({ length: count }, (_, at) => `v=DKIM1; n=${at}; p=`)
const keys = (selector: string, texts: readonly string[]) =>
  texts.map((text) => keyZoneLine(selector, text)).join('')

/** A spy on the module itself, which imports by name see only once the exports are synced. */
let createPublicKey: MockInstance

beforeEach(() => {
  createPublicKey = vi.spyOn(crypto, 'createPublicKey')
  syncBuiltinESMExports()
})

afterEach(() => {
  createPublicKey.mockRestore()
  syncBuiltinESMExports()
})

describe('of very many records under one selector', () => {
  test('a handful is shown, and how many more there are is said', async () => {
    const { report, issues } = await requireDkimReport(
      SENDING_ZONE + keys('s1', revoked(300)) + keyZoneLine('s2'),
    )
    expect(report.keys.map(({ selector }) => selector)).toEqual(['s1', 's1', 's1', 's1', 's2'])
    expect(issues).toMatchObject([
      {
        id: 'dkim.several-records',
        title: expect.stringContaining(' s1'),
        detail: expect.stringContaining('We left 296 of the records out'),
        evidence: { length: 4 },
      },
    ])
  })

  test('those left out are counted once per selector', async () => {
    const { issues } = await requireDkimReport(
      SENDING_ZONE + keys('s1', revoked(5)) + keys('s2', revoked(6)) + keyZoneLine('k1'),
    )
    expect(issues[0]?.detail).toContain('We left 3 of the records out')
  })

  test('nothing is said where all are shown', async () => {
    const { issues } = await requireDkimReport(
      SENDING_ZONE + keys('s1', revoked(4)) + keyZoneLine('s2'),
    )
    expect(issues).toMatchObject([{ id: 'dkim.several-records', evidence: { length: 4 } }])
    expect(issues[0]?.detail).not.toContain('left')
  })

  test('a wildcard’s are as few', async () => {
    const texts = [...revoked(299), GOOD_KEY_RECORD]
    const zone = SENDING_ZONE + texts.map((text) => txtZoneLine(WILDCARD, text)).join('')
    const { ids, issues } = await requireDkimReport(zone)
    expect(ids).toEqual(['dkim.unknown', 'dkim.wildcard'])
    expect(issues[1]).toMatchObject({
      detail: expect.stringContaining('We left 296 of the wildcard’s records out'),
      evidence: { length: 4 },
    })
  })

  test('those with a key are read, wherever they stand', async () => {
    const texts = [...revoked(20), ...Array.from({ length: 20 }, (_, at) => `note ${at}`)]
    for (const order of [
      [...texts, GOOD_KEY_RECORD],
      [GOOD_KEY_RECORD, ...texts],
    ]) {
      const { report, ids } = await requireDkimReport(SENDING_ZONE + keys('s1', order))
      expect(report).toMatchObject({ presence: 'present', keys: { length: 4 } })
      expect(report.keys[0]).toMatchObject({ record: GOOD_KEY_RECORD, valid: true })
      expect(ids).toEqual(['dkim.several-records'])
    }
  })

  test('the same are shown in whatever order they come', async () => {
    const texts = revoked(9)
    const { report } = await requireDkimReport(SENDING_ZONE + keys('s1', texts))
    const other = await requireDkimReport(SENDING_ZONE + keys('s1', texts.toReversed()))
    expect(other.report.keys).toEqual(report.keys)
  })

  test('keeps the report small with all selectors at once', async () => {
    const zone = LISTS.dkimSelectors.common.map((selector) => keys(selector, revoked(300))).join('')
    const { report, issues } = await requireDkimReport(SENDING_ZONE + zone)
    expect(report.keys).toHaveLength(4 * LISTS.dkimSelectors.common.length)
    expect(JSON.stringify({ report, issues }).length).toBeLessThan(
      2_100 * LISTS.dkimSelectors.common.length,
    )
  })
})

describe('long records', () => {
  const long = `v=DKIM1; n=${'x'.repeat(7_000)}; p=`

  test('are complete in keys and cut in evidence', async () => {
    const { report, issues } = await requireDkimReport(SENDING_ZONE + keyZoneLine('s1', long))
    expect(report.keys).toMatchObject([{ record: long }])
    expect(issues[0]).toMatchObject({
      id: 'dkim.revoked',
      evidence: [{ value: `${long.slice(0, 1_000)}…` }],
    })
  })

  test('that are not keys are cut too', async () => {
    const { issues } = await requireDkimReport(
      SENDING_ZONE + keyZoneLine('s1') + keyZoneLine('s1', 'x'.repeat(9_000)),
    )
    expect(issues[0]?.evidence.map(({ value }) => value)).toEqual([
      GOOD_KEY_RECORD,
      `${'x'.repeat(1_000)}…`,
    ])
  })

  test('show the first few of long lists', async () => {
    const items = Array.from({ length: 900 }, (_, at) => `x${at}`).join(':')
    const { report } = await requireDkimReport(
      SENDING_ZONE +
        keyZoneLine('s1', `v=DKIM1; h=${items}:sha256; s=${'y'.repeat(900)}:*; p=${SPKI[2048]}`),
    )
    expect(report.keys).toMatchObject([
      { valid: true, hashAlgorithms: { length: 16 }, serviceTypes: [`${'y'.repeat(300)}…`, '*'] },
    ])
  })
})

describe('key parsing with OpenSSL', () => {
  test.each([
    ['RSAPublicKey', PKCS1[2048]],
    ['neither', Buffer.from('300602040000ffff', 'hex').toString('base64')],
  ])('runs once per record: %s', async (_, value) => {
    await requireDkimReport(SENDING_ZONE + keyZoneLine('s1', `v=DKIM1; p=${value}`))
    expect(createPublicKey).toHaveBeenCalledTimes(1)
  })

  test('runs once for a wildcard', async () => {
    await requireDkimReport(SENDING_ZONE + txtZoneLine(WILDCARD, `v=DKIM1; p=${PKCS1[2048]}`))
    expect(createPublicKey).toHaveBeenCalledTimes(1)
  })

  test('runs only for selected records', async () => {
    const texts = Array.from(
      { length: 40 },
      (_, at) => `v=DKIM1; p=${createRsaPublicKey(1024 + at)}`,
    )
    await requireDkimReport(SENDING_ZONE + keys('s1', texts))
    expect(createPublicKey).toHaveBeenCalledTimes(4)
  })

  test('does not run for the usual form', async () => {
    const { report } = await requireDkimReport(
      SENDING_ZONE + keyZoneLine('s1', `v=DKIM1; p=${SPKI[2048]}`),
    )
    expect(report.keys).toMatchObject([{ valid: true, keySize: 2048 }])
    expect(createPublicKey).not.toHaveBeenCalled()
  })

  test('does not run without data', async () => {
    await requireDkimReport(SENDING_ZONE + keyZoneLine('s1', REVOKED))
    expect(createPublicKey).not.toHaveBeenCalled()
  })
})
