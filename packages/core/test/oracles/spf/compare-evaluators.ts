/** Compares our evaluator with others, and explains differences with listed deviations. */
import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { evaluateSpf } from '../../../src/checks/spf/evaluate-spf.js'
import type { SpfEvaluation } from '../../../src/checks/spf/spf-report.js'
import type { EvaluatorDeviation } from './evaluator-deviations.js'
import type { MessageTestZone } from './message-test-zone.js'
import type { MessageResult, RunMessages, TestMessage } from './spf-evaluators.js'
import { toZoneFile } from './zone-data.js'

/** Another evaluator, and where it does not follow the RFC. */
export interface OtherEvaluator {
  readonly name: string
  readonly run: RunMessages
  readonly deviations: readonly EvaluatorDeviation[]
}

export interface EvaluatedMessage {
  readonly testZone: MessageTestZone
  readonly message: TestMessage
  readonly ours: SpfEvaluation
}

export interface EvaluatorComparison extends EvaluatedMessage {
  readonly theirs: MessageResult
}

export interface EvaluatorDifference extends EvaluatorComparison {
  /** The fewest corrections that make the other evaluator agree; null when all do not. */
  readonly deviations: readonly EvaluatorDeviation[] | null
}

/** For `%{t}`; the same in pyspf.py. */
const TIMESTAMP = 1_794_787_200

export async function evaluateTestZones(
  testZones: readonly MessageTestZone[],
): Promise<EvaluatedMessage[]> {
  const evaluated: EvaluatedMessage[] = []
  for (const testZone of testZones) {
    const failing = Object.fromEntries(testZone.failing.map((one) => [one, 'timeout' as const]))
    const dns = zoneDns(toZoneFile(testZone.zone), failing)
    for (const message of testZone.messages) {
      const domain = message.sender.slice(message.sender.lastIndexOf('@') + 1)
      const ours = await evaluateSpf(dns, domain, { ...message, timestamp: TIMESTAMP })
      evaluated.push({ testZone, message, ours })
    }
  }
  return evaluated
}

export async function compareWith(
  { run }: OtherEvaluator,
  testZones: readonly MessageTestZone[],
  evaluating: Promise<readonly EvaluatedMessage[]>,
): Promise<EvaluatorComparison[]> {
  const [results, evaluated] = await Promise.all([
    run(testZones.map((one) => ({ ...one, correctionSets: [[]] }))),
    evaluating,
  ])
  const theirs = results.flat()
  if (theirs.length !== evaluated.length) throw new Error('an evaluator skipped a message')
  return evaluated.map((one, index) => ({ ...one, theirs: theirs[index] as MessageResult }))
}

function agrees({ ours }: EvaluatedMessage, theirs: MessageResult): boolean {
  if (ours.result !== theirs.result) return false
  const { explanation, lookups, voidLookups } = theirs
  if (ours.result === 'fail' && explanation !== undefined && explanation !== ours.explanation)
    return false
  if (!/^(?:pass|fail|softfail|neutral)$/.test(ours.result) || lookups === undefined) return true
  return lookups === ours.lookups && voidLookups === ours.voidLookups
}

/** The usual deviations come first in the lists, and few differences need the others. */
const GROUPS = [
  [0, 3],
  [3, 8],
  [8, 100],
] as const

/** Finds the fewest deviations that explain each difference: one, or what is left of all of them. */
export async function explainDifferences(
  { run, deviations }: OtherEvaluator,
  comparisons: readonly EvaluatorComparison[],
): Promise<EvaluatorDifference[]> {
  const differing = comparisons.filter((one) => !agrees(one, one.theirs))
  const everything = deviations.map(({ id }) => id)

  /** Which sets of corrections make the evaluator agree, for each message. */
  async function tryCorrections(
    attempts: readonly { one: EvaluatorComparison; sets: readonly (readonly string[])[] }[],
  ): Promise<boolean[][]> {
    if (attempts.length === 0) return []
    const results = await run(
      attempts.map(({ one: { testZone, message }, sets }) => ({
        zone: testZone.zone,
        failing: testZone.failing,
        messages: [message],
        correctionSets: sets,
      })),
    )
    return attempts.map(({ one }, index) =>
      (results[index] ?? []).map((theirs) => agrees(one, theirs)),
    )
  }

  let sets = (await tryCorrections(differing.map((one) => ({ one, sets: [everything] })))).map(
    ([isExplained]): readonly string[] | null => (isExplained ? everything : null),
  )
  for (const group of GROUPS) {
    const singles = everything.slice(...group).map((id) => [id])
    const open = sets.flatMap((set, index) => (set === everything ? [index] : []))
    const agreeing = await tryCorrections(
      open.map((index) => ({ one: differing[index] as EvaluatorComparison, sets: singles })),
    )
    for (const [at, index] of open.entries()) {
      sets[index] = singles[agreeing[at]?.indexOf(true) ?? -1] ?? everything
    }
  }
  for (const id of everything) {
    const open = sets.flatMap((set, index) =>
      set && set.length > 1 && set.includes(id) ? [{ index, set }] : [],
    )
    const without = open.map(({ set }) => set.filter((other) => other !== id))
    const agreeing = await tryCorrections(
      open.map(({ index }, at) => ({
        one: differing[index] as EvaluatorComparison,
        sets: [without[at] ?? []],
      })),
    )
    sets = sets.map((set, index) => {
      const at = open.findIndex((one) => one.index === index)
      return at !== -1 && agreeing[at]?.[0] ? (without[at] ?? null) : set
    })
  }
  return differing.map((one, index) => ({
    ...one,
    deviations: sets[index]
      ? deviations.filter(({ id }) => (sets[index] ?? []).includes(id))
      : null,
  }))
}
