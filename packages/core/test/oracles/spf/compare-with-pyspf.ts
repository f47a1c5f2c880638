/** Our verdicts against pyspf's, and the deviations where they differ. */

import {
  findOurSpfResult,
  IP_FAMILIES,
  type IpFamily,
  type OurSpfResult,
  type SpfVerdict,
} from './our-spf-result.js'
import { PYSPF_DEVIATIONS, type PyspfDeviation } from './pyspf-deviations.js'
import { applyDeviations } from './respelled.js'
import {
  type EvaluatorCase,
  type EvaluatorResult,
  type PyspfResult,
  runMailSpf,
  runPyspf,
} from './spf-evaluators.js'
import { type SpfTestZone, TEST_SENDERS } from './spf-test-zone.js'

export interface SpfComparison {
  readonly testZone: SpfTestZone
  readonly ours: OurSpfResult
  readonly pyspf: Readonly<Record<IpFamily, PyspfResult>>
}

export interface SpfDisagreement extends SpfComparison {
  /** Empty when no exception explains it; several when it takes more than one of them. */
  readonly deviations: readonly PyspfDeviation[]
  readonly mailSpf: Readonly<Record<IpFamily, EvaluatorResult>>
}

export async function compareWithPyspf(worlds: readonly SpfTestZone[]): Promise<SpfComparison[]> {
  const [pyspf, ours] = await Promise.all([
    runPyspf(worlds.map(caseOf)),
    Promise.all(worlds.map(findOurSpfResult)),
  ])
  return worlds.map((testZone, index) => ({
    testZone,
    ours: ours[index] as OurSpfResult,
    pyspf: byFamily(pyspf[index]),
  }))
}

function caseOf({ zone, domain }: SpfTestZone): EvaluatorCase {
  return { zone, domain, senders: IP_FAMILIES.map((family) => TEST_SENDERS[family]) }
}

function byFamily<T>(judgements: readonly T[] | undefined): Record<IpFamily, T> {
  const [ipv4, ipv6] = judgements ?? []
  if (!ipv4 || !ipv6) throw new Error('a judge left out a sender')
  return { ipv4, ipv6 }
}

export function toSpfVerdict({ result }: EvaluatorResult): SpfVerdict | 'crash' {
  if (result === 'permerror' || result === 'none' || result === 'crash') return result
  if (result === 'temperror') throw new Error('a judge could not look something up')
  return 'ok'
}

/**
 * Ours is the worst case over all senders, the judge's that of one sender. They are the same if the
 * sender is led through everything. If instead a term matched it (an `exists` that exists, a range
 * of everybody, an include whose record passes everybody), what stands behind that term was never
 * read, and the judge may find fewer errors than we do; never more.
 */
export function isComparable({ ours, pyspf }: SpfComparison, family: IpFamily): boolean {
  const endedEarly = pyspf[family].matched && toSpfVerdict(pyspf[family]) === 'ok'
  return !(endedEarly && ours.verdicts[family] === 'permerror')
}

export function agrees(compared: SpfComparison): boolean {
  return IP_FAMILIES.every((family) => agreesForFamily(compared, family))
}

export function agreesForFamily(compared: SpfComparison, family: IpFamily): boolean {
  if (!isComparable(compared, family)) return true
  const { ours, pyspf } = compared
  const verdict = toSpfVerdict(pyspf[family])
  if (ours.verdicts[family] !== verdict) return false
  return verdict !== 'ok' || pyspf[family].matched || countsAgree(compared, family)
}

function countsAgree({ ours, pyspf }: SpfComparison, family: IpFamily): boolean {
  const { lookups, voidLookups } = pyspf[family]
  return lookups === ours.lookups && voidLookups === ours.voidLookups[family]
}

/** Finds for each the one exception that makes the difference, or all that do so together. */
export async function explainDisagreements(
  compared: readonly SpfComparison[],
): Promise<SpfDisagreement[]> {
  const attempts = compared.flatMap((one, index) =>
    [...PYSPF_DEVIATIONS.map((exception) => [exception]), PYSPF_DEVIATIONS].flatMap(
      (exceptions) => {
        const testZone = applyDeviations(one.testZone, exceptions)
        return testZone ? [{ index, exceptions, testZone }] : []
      },
    ),
  )
  const [answers, mailSpf] = await Promise.all([
    runPyspf(attempts.map(({ testZone }) => caseOf(testZone))),
    runMailSpf(compared.map(({ testZone }) => caseOf(testZone))),
  ])
  const successes = attempts.filter(({ index }, at) => {
    const { testZone, ours } = compared[index] as SpfComparison
    return agrees({ testZone, ours, pyspf: byFamily(answers[at]) })
  })
  return compared.map((one, index) => {
    const success = successes.find((attempt) => attempt.index === index)
    return {
      ...one,
      deviations: success?.exceptions.filter((each) => applyDeviations(one.testZone, [each])) ?? [],
      mailSpf: byFamily(mailSpf[index]),
    }
  })
}
