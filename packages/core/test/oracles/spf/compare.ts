/** Our verdicts against pyspf's, and the reasons where they differ. */
import { EXCEPTIONS, type Exception } from './exceptions.js'
import { askMailSpf, askPyspf, type Case, type Judgement, type PyspfJudgement } from './judge.js'
import { FAMILIES, type Family, type OurVerdict, ourVerdict, type Verdict } from './our-verdict.js'
import { respelled } from './respelled.js'
import { type OracleWorld, SENDERS } from './world.js'

export interface Compared {
  readonly world: OracleWorld
  readonly ours: OurVerdict
  readonly judged: Readonly<Record<Family, PyspfJudgement>>
}

export interface Disagreement extends Compared {
  /** Empty when no exception explains it; several when it takes more than one of them. */
  readonly reasons: readonly Exception[]
  readonly mailSpf: Readonly<Record<Family, Judgement>>
}

export async function compare(worlds: readonly OracleWorld[]): Promise<Compared[]> {
  const [judged, ours] = await Promise.all([
    askPyspf(worlds.map(caseOf)),
    Promise.all(worlds.map(ourVerdict)),
  ])
  return worlds.map((world, index) => ({
    world,
    ours: ours[index] as OurVerdict,
    judged: byFamily(judged[index]),
  }))
}

function caseOf({ zone, domain }: OracleWorld): Case {
  return { zone, domain, senders: FAMILIES.map((family) => SENDERS[family]) }
}

function byFamily<T>(judgements: readonly T[] | undefined): Record<Family, T> {
  const [ipv4, ipv6] = judgements ?? []
  if (!ipv4 || !ipv6) throw new Error('a judge left out a sender')
  return { ipv4, ipv6 }
}

export function verdictIn({ result }: Judgement): Verdict | 'crash' {
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
export function isComparable({ ours, judged }: Compared, family: Family): boolean {
  const endedEarly = judged[family].matched && verdictIn(judged[family]) === 'ok'
  return !(endedEarly && ours.verdicts[family] === 'permerror')
}

export function agrees(compared: Compared): boolean {
  return FAMILIES.every((family) => agreesFor(compared, family))
}

export function agreesFor(compared: Compared, family: Family): boolean {
  if (!isComparable(compared, family)) return true
  const { ours, judged } = compared
  const verdict = verdictIn(judged[family])
  if (ours.verdicts[family] !== verdict) return false
  return verdict !== 'ok' || judged[family].matched || countsAgree(compared, family)
}

function countsAgree({ ours, judged }: Compared, family: Family): boolean {
  const { lookups, voids } = judged[family]
  return lookups === ours.lookups && voids === ours.voids[family]
}

/** Finds for each the one exception that makes the difference, or all that do so together. */
export async function explain(compared: readonly Compared[]): Promise<Disagreement[]> {
  const attempts = compared.flatMap((one, index) =>
    [...EXCEPTIONS.map((exception) => [exception]), EXCEPTIONS].flatMap((exceptions) => {
      const world = respelled(one.world, exceptions)
      return world ? [{ index, exceptions, world }] : []
    }),
  )
  const [answers, mailSpf] = await Promise.all([
    askPyspf(attempts.map(({ world }) => caseOf(world))),
    askMailSpf(compared.map(({ world }) => caseOf(world))),
  ])
  const successes = attempts.filter(({ index }, at) => {
    const { world, ours } = compared[index] as Compared
    return agrees({ world, ours, judged: byFamily(answers[at]) })
  })
  return compared.map((one, index) => {
    const success = successes.find((attempt) => attempt.index === index)
    return {
      ...one,
      reasons: success?.exceptions.filter((each) => respelled(one.world, [each])) ?? [],
      mailSpf: byFamily(mailSpf[index]),
    }
  })
}
