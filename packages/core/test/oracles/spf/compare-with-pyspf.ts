/** Our verdicts against pyspf's, and the deviations where they differ. */
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

const VERSION = /^v=spf1(?= |$)/i

/** Null when nothing had to be. */
export function applyDeviations(
  world: SpfTestZone,
  exceptions: readonly PyspfDeviation[],
): SpfTestZone | null {
  const aliases = aliasesIn(world.zone)
  let isChanged = false
  const respellRow = (owner: string, row: ZoneRow): ZoneRow => {
    const text = row[0] === 'TXT' ? row[1].join('') : ''
    const version = VERSION.exec(text)?.[0]
    if (version === undefined) return row
    // The reader knows a record by the name that was asked for, not by where a CNAME led (§4.4).
    const reader = { owner: aliases.get(owner) ?? owner, origin: world.domain }
    const terms = text.slice(version.length).split(' ').filter(Boolean)
    const anew = exceptions.reduce<readonly string[]>(
      (list, exception) => exception.rewrite(list, reader),
      terms,
    )
    if (anew.join(' ') === terms.join(' ')) return row
    isChanged = true
    return ['TXT', [[version, ...anew].join(' ')]]
  }
  const zone = Object.fromEntries(
    Object.entries(world.zone).map(([owner, rows]) => [
      owner,
      rows.map((row) => respellRow(owner, row)),
    ]),
  )
  return isChanged ? { ...world, zone } : null
}

/** By target; a record is behind one CNAME at most. */
function aliasesIn(zone: ZoneData): Map<string, string> {
  const aliases = new Map<string, string>()
  for (const [owner, rows] of Object.entries(zone)) {
    for (const [type, target] of rows) if (type === 'CNAME') aliases.set(target as string, owner)
  }
  return aliases
}
