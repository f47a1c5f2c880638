/** Compares our verdicts with pyspf's, and explains differences with known deviations. */
import {
  findOurSpfResult,
  IP_FAMILIES,
  type IpFamily,
  type OurSpfResult,
  type SpfVerdict,
} from './our-spf-result.js'
import { PYSPF_DEVIATIONS, type PyspfDeviation } from './pyspf-deviations.js'
import {
  type EvaluatorCase,
  type EvaluatorResult,
  type PyspfResult,
  runMailSpf,
  runPyspf,
} from './spf-evaluators.js'
import { type SpfTestZone, TEST_SENDERS } from './spf-test-zone.js'
import type { ZoneData, ZoneRow } from './zone-data.js'

export interface SpfComparison {
  readonly testZone: SpfTestZone
  readonly ours: OurSpfResult
  readonly pyspf: Readonly<Record<IpFamily, PyspfResult>>
}

export interface SpfDisagreement extends SpfComparison {
  /** Empty when no deviation explains it; several when only a combination does. */
  readonly deviations: readonly PyspfDeviation[]
  readonly mailSpf: Readonly<Record<IpFamily, EvaluatorResult>>
}

export async function compareWithPyspf(
  testZones: readonly SpfTestZone[],
): Promise<SpfComparison[]> {
  const [pyspf, ours] = await Promise.all([
    runPyspf(testZones.map(caseOf)),
    Promise.all(testZones.map(findOurSpfResult)),
  ])
  return testZones.map((testZone, index) => ({
    testZone,
    ours: ours[index] as OurSpfResult,
    pyspf: byFamily(pyspf[index]),
  }))
}

function caseOf({ zone, domain }: SpfTestZone): EvaluatorCase {
  return { zone, domain, senders: IP_FAMILIES.map((family) => TEST_SENDERS[family]) }
}

function byFamily<T>(results: readonly T[] | undefined): Record<IpFamily, T> {
  const [ipv4, ipv6] = results ?? []
  if (!ipv4 || !ipv6) throw new Error('an evaluator skipped a sender')
  return { ipv4, ipv6 }
}

export function toSpfVerdict({ result }: EvaluatorResult): SpfVerdict | 'crash' {
  if (result === 'permerror' || result === 'none' || result === 'crash') return result
  if (result === 'temperror') throw new Error('an evaluator reported a lookup error')
  return 'ok'
}

/**
 * Ours is the worst case over all senders, pyspf's is that of one sender. They are the same if no term
 * matches the sender. If one does, the terms after it are not read, so pyspf may find fewer errors
 * than we do, but never more.
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

/** Finds the deviation that explains each difference, or all deviations together. */
export async function explainDisagreements(
  compared: readonly SpfComparison[],
): Promise<SpfDisagreement[]> {
  const attempts = compared.flatMap((one, index) =>
    [...PYSPF_DEVIATIONS.map((deviation) => [deviation]), PYSPF_DEVIATIONS].flatMap(
      (deviations) => {
        const testZone = applyDeviations(one.testZone, deviations)
        return testZone ? [{ index, deviations, testZone }] : []
      },
    ),
  )
  const [results, mailSpf] = await Promise.all([
    runPyspf(attempts.map(({ testZone }) => caseOf(testZone))),
    runMailSpf(compared.map(({ testZone }) => caseOf(testZone))),
  ])
  const successes = attempts.filter(({ index }, at) => {
    const { testZone, ours } = compared[index] as SpfComparison
    return agrees({ testZone, ours, pyspf: byFamily(results[at]) })
  })
  return compared.map((one, index) => {
    const success = successes.find((attempt) => attempt.index === index)
    return {
      ...one,
      deviations: success?.deviations.filter((each) => applyDeviations(one.testZone, [each])) ?? [],
      mailSpf: byFamily(mailSpf[index]),
    }
  })
}

const VERSION = /^v=spf1(?= |$)/i

/** Rewrites records so pyspf reads them as the RFC does; null when nothing changes. */
function applyDeviations(
  testZone: SpfTestZone,
  deviations: readonly PyspfDeviation[],
): SpfTestZone | null {
  const cnames = cnamesByTarget(testZone.zone)
  let isChanged = false
  const rewriteRow = (owner: string, row: ZoneRow): ZoneRow => {
    const text = row[0] === 'TXT' ? row[1].join('') : ''
    const version = VERSION.exec(text)?.[0]
    if (version === undefined) return row
    // A record is known by the queried name, not by the target of a CNAME (§4.4).
    const reader = { owner: cnames.get(owner) ?? owner, origin: testZone.domain }
    const terms = text.slice(version.length).split(' ').filter(Boolean)
    const rewritten = deviations.reduce<readonly string[]>(
      (list, deviation) => deviation.rewrite(list, reader),
      terms,
    )
    if (rewritten.join(' ') === terms.join(' ')) return row
    isChanged = true
    return ['TXT', [[version, ...rewritten].join(' ')]]
  }
  const zone = Object.fromEntries(
    Object.entries(testZone.zone).map(([owner, rows]) => [
      owner,
      rows.map((row) => rewriteRow(owner, row)),
    ]),
  )
  return isChanged ? { ...testZone, zone } : null
}

/** At most one CNAME leads to a record. */
function cnamesByTarget(zone: ZoneData): Map<string, string> {
  const cnames = new Map<string, string>()
  for (const [owner, rows] of Object.entries(zone)) {
    for (const [type, target] of rows) if (type === 'CNAME') cnames.set(target as string, owner)
  }
  return cnames
}
