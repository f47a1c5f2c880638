/**
 * Compares our static SPF check with other evaluators on random records: permanent errors and
 * lookup counts for a sender that no term matches. `SPF_ORACLE_SEED` and `SPF_ORACLE_RECORDS` choose
 * other and more records.
 */
import { beforeAll, describe, expect, test } from 'vitest'
import {
  agrees,
  compareWithPyspf,
  explainDisagreements,
  type SpfComparison,
  type SpfDisagreement,
} from './spf/compare-with-pyspf.js'
import {
  countOutcomes,
  describeDisagreement,
  summarizeComparison,
} from './spf/comparison-summary.js'
import { PYSPF_DEVIATIONS } from './spf/pyspf-deviations.js'
import { createRandomTestZone, createTestZone } from './spf/spf-test-zone.js'

const SEED = Number(process.env.SPF_ORACLE_SEED ?? 7208)
const RECORDS = Number(process.env.SPF_ORACLE_RECORDS ?? 1_000)

/** The minimum number of records of each kind, per 1,000. */
const LEAST: Readonly<Record<string, number>> = {
  'no error': 200,
  'no record': 15,
  'only spf.syntax': 100,
  'only spf.too-many-lookups': 40,
  'only spf.include-without-record': 10,
  'only spf.multiple-records': 15,
  'only spf.loop': 20,
  'only spf.mx-limit': 5,
  'only voids': 15,
  'only voids, for one family': 15,
  'at the limit of lookups': 20,
  'at the limit of voids': 20,
}

const EXAMPLES = PYSPF_DEVIATIONS.map((exception) => ({
  exception,
  testZone: createTestZone('mail-1.test', exception.example),
}))

let compared: SpfComparison[]
let disagreements: SpfDisagreement[]
let outcomes: Map<string, number>

beforeAll(async () => {
  const testZones = Array.from({ length: RECORDS }, (_, index) =>
    createRandomTestZone(SEED + index),
  )
  compared = await compareWithPyspf([...EXAMPLES.map(({ testZone }) => testZone), ...testZones])
  disagreements = await explainDisagreements(compared.filter((one) => !agrees(one)))
  outcomes = countOutcomes(compared)
  process.stdout.write(
    `\nseed ${SEED}: ${summarizeComparison(compared, outcomes, disagreements)}\n`,
  )
})

test('pyspf agrees, except for listed deviations from RFC 7208', () => {
  const unexplained = disagreements.filter(({ deviations }) => deviations.length === 0)
  expect(unexplained.map(describeDisagreement), `SPF_ORACLE_SEED=${SEED}`).toEqual([])
})

test.each(EXAMPLES)('pyspf still deviates from RFC 7208: $exception.name', (example) => {
  const difference = disagreements.find(({ testZone }) => testZone === example.testZone)
  expect(difference?.deviations).toEqual([example.exception])
})

describe('the comparison is not trivial', () => {
  test.each(Object.entries(LEAST))('%s: at least %i in 1,000', (outcome, least) => {
    expect(((outcomes.get(outcome) ?? 0) * 1_000) / RECORDS).toBeGreaterThanOrEqual(least)
  })

  test('pyspf ends early on few records', () => {
    expect(outcomes.get('ended early for pyspf') ?? 0).toBeLessThan(RECORDS / 20)
  })

  test('no record exceeds the query limit', () => {
    expect(compared.filter(({ ours }) => ours.isBudgetSpent)).toEqual([])
  })
})
