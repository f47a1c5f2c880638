/**
 * Compares our evaluation of messages with pyspf and Mail::SPF on random zones: the result, and with
 * pyspf also the explanation and the numbers of lookups. `SPF_ORACLE_SEED` and `SPF_ORACLE_ZONES`
 * choose other and more zones.
 */
import { beforeAll, describe, expect, test } from 'vitest'
import {
  compareWith,
  type EvaluatedMessage,
  type EvaluatorDifference,
  evaluateTestZones,
  explainDifferences,
  type OtherEvaluator,
} from './spf/compare-evaluators.js'
import {
  countMatches,
  countResults,
  describeDifference,
  summarizeEvaluations,
} from './spf/evaluation-summary.js'
import { MAIL_SPF_DEVIATIONS, PYSPF_MESSAGE_DEVIATIONS } from './spf/evaluator-deviations.js'
import { createMessageTestZone, type MessageTestZone } from './spf/message-test-zone.js'
import {
  failingQueries,
  readOpenspfSuite,
  runMailSpfOnMessages,
  runPyspfOnMessages,
} from './spf/spf-evaluators.js'

const SEED = Number(process.env.SPF_ORACLE_SEED ?? 7208)
const ZONES = Number(process.env.SPF_ORACLE_ZONES ?? 500)
const MESSAGES_PER_ZONE = 4

/** The minimum number of messages, per 1,000: by result, and by the kind of term that matches. */
const LEAST_RESULTS = {
  pass: 250,
  fail: 80,
  softfail: 60,
  neutral: 60,
  none: 15,
  temperror: 15,
  permerror: 150,
}
const LEAST_MATCHES = {
  all: 150,
  include: 40,
  redirect: 5,
  a: 50,
  mx: 50,
  ptr: 20,
  ip4: 25,
  ip6: 20,
  exists: 60,
  explanation: 15,
}

const EVALUATORS: readonly OtherEvaluator[] = [
  { name: 'pyspf', run: runPyspfOnMessages, deviations: PYSPF_MESSAGE_DEVIATIONS },
  { name: 'Mail::SPF', run: runMailSpfOnMessages, deviations: MAIL_SPF_DEVIATIONS },
]

/** The zone of the example of each deviation. */
const examples = new Map(
  EVALUATORS.flatMap(({ deviations }) => deviations).map((deviation) => {
    const { message, ...rest } = deviation.example
    const testZone: MessageTestZone = { seed: null, messages: [message], ...rest }
    return [deviation, testZone]
  }),
)

let evaluated: EvaluatedMessage[]
let differences: Map<string, EvaluatorDifference[]>

beforeAll(async () => {
  const testZones = Array.from({ length: ZONES }, (_, index) =>
    createMessageTestZone(SEED + index, MESSAGES_PER_ZONE),
  )
  const evaluating = evaluateTestZones(testZones)
  const explained = EVALUATORS.map(async (evaluator) => {
    const exampleZones = evaluator.deviations.flatMap((one) => examples.get(one) ?? [])
    const evaluatingAll = Promise.all([evaluateTestZones(exampleZones), evaluating])
    const compared = await compareWith(
      evaluator,
      [...exampleZones, ...testZones],
      evaluatingAll.then((lists) => lists.flat()),
    )
    return [evaluator.name, await explainDifferences(evaluator, compared)] as const
  })
  evaluated = await evaluating
  differences = new Map(await Promise.all(explained))
  process.stdout.write(`\nseed ${SEED}: ${summarizeEvaluations(evaluated, differences)}\n`)
})

describe.each(EVALUATORS)('$name', (evaluator) => {
  test('agrees, except for listed deviations from RFC 7208', () => {
    const unexplained = differences.get(evaluator.name)?.filter((one) => one.deviations === null)
    expect(unexplained?.map(describeDifference), `SPF_ORACLE_SEED=${SEED}`).toEqual([])
  })

  test.each(evaluator.deviations)('still deviates: $name', (deviation) => {
    const difference = differences
      .get(evaluator.name)
      ?.find(({ testZone }) => testZone === examples.get(deviation))
    expect(difference?.deviations?.map(({ id }) => id)).toEqual([deviation.id])
  })

  test('follows the openspf suite with all corrections', async () => {
    const suite = await readOpenspfSuite()
    const results = await evaluator.run(
      suite.map((one) => ({
        zone: one.zone,
        failing: Object.keys(failingQueries(one)),
        // §2.4: without a MAIL FROM, it is the postmaster of the HELO domain.
        messages: [{ ...one, sender: one.mailFrom || `postmaster@${one.helo}` }],
        correctionSets: [evaluator.deviations.map(({ id }) => id)],
      })),
    )
    const wrong = suite.flatMap(({ name, results: allowed }, index) => {
      const result = results[index]?.[0]?.result ?? 'missing'
      return allowed.includes(result) ? [] : [`${name}: ${result} instead of ${allowed.join()}`]
    })
    expect(wrong).toEqual([])
  })
})

describe('the comparison is not trivial', () => {
  test('all messages were evaluated', () => {
    expect(evaluated).toHaveLength(ZONES * MESSAGES_PER_ZONE)
  })

  test.each(Object.entries(LEAST_RESULTS))('%s: at least %i in 1,000', (result, least) => {
    const count = countResults(evaluated).get(result) ?? 0
    expect((count * 1_000) / evaluated.length).toBeGreaterThanOrEqual(least)
  })

  test.each(Object.entries(LEAST_MATCHES))('match by %s: at least %i in 1,000', (kind, least) => {
    const count = countMatches(evaluated).get(kind) ?? 0
    expect((count * 1_000) / evaluated.length).toBeGreaterThanOrEqual(least)
  })
})
