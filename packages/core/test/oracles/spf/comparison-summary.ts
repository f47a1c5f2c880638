/** The comparison as text: what was compared, and every result where they differ. */
import {
  agreesForFamily,
  isComparable,
  type SpfComparison,
  type SpfDisagreement,
  toSpfVerdict,
} from './compare-with-pyspf.js'
import { IP_FAMILIES } from './our-spf-result.js'

export function summarizeComparison(
  compared: readonly SpfComparison[],
  outcomes: ReadonlyMap<string, number>,
  disagreements: readonly SpfDisagreement[],
): string {
  const verdicts = compared.flatMap((one) => IP_FAMILIES.map((family) => ({ one, family })))
  const comparable = verdicts.filter(({ one, family }) => isComparable(one, family))
  const agreeing = comparable.filter(({ one, family }) => agreesForFamily(one, family))
  const kinds = [...outcomes].sort((one, other) => other[1] - one[1])
  return [
    `${compared.length} SPF records, ${verdicts.length} verdicts, ${comparable.length} of them comparable, ${agreeing.length} the same as pyspf’s`,
    ...kinds.map(([kind, count]) => `${String(count).padStart(6)}  ${kind}`),
    'Where pyspf differs, and the RFC is on our side (ours / pyspf / Mail::SPF):',
    ...[...groupBy(disagreements, reasonOf)].flatMap(([reason, group]) => rowsOf(reason, group)),
    '',
  ].join('\n')
}

function reasonOf({ deviations }: SpfDisagreement): string {
  const [reason, ...others] = deviations
  if (!reason) return 'UNEXPLAINED'
  return others.length > 0 ? 'several of these at once' : `${reason.name} (${reason.rfc})`
}

function rowsOf(reason: string, group: readonly SpfDisagreement[]): string[] {
  const said = groupBy(group.flatMap(saidIn), (text) => text)
  const tally = [...said].map(([text, all]) => `${String(all.length).padStart(12)} × ${text}`)
  return [`${String(group.length).padStart(6)}  ${reason}`, ...tally.sort()]
}

function saidIn(disagreement: SpfDisagreement): string[] {
  const { ours, pyspf, mailSpf } = disagreement
  return IP_FAMILIES.filter((family) => !agreesForFamily(disagreement, family)).map((family) => {
    const verdict = ours.verdicts[family]
    const others = [toSpfVerdict(pyspf[family]), toSpfVerdict(mailSpf[family])]
    const isCount = verdict === others[0]
    return `${[verdict, ...others].join(' / ')}${isCount ? ', counted differently' : ''}`
  })
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item])
  return groups
}

/** All details of a difference, for debugging. */
export function describeDisagreement({ testZone, ours, pyspf, mailSpf }: SpfDisagreement): string {
  const records = Object.entries(testZone.zone).flatMap(([owner, rows]) =>
    rows.filter(([type]) => type === 'TXT').map((row) => `${owner} ${JSON.stringify(row[1])}`),
  )
  return [
    `zone ${testZone.seed}, ${testZone.domain}`,
    `ours: ${JSON.stringify(ours)}`,
    ...IP_FAMILIES.flatMap((family) => [
      `pyspf, ${family}: ${JSON.stringify(pyspf[family])}`,
      `Mail::SPF, ${family}: ${JSON.stringify(mailSpf[family])}`,
    ]),
    ...records,
  ].join('\n')
}

/** How many records of each kind there are; a record may be of several. */
export function countOutcomes(compared: readonly SpfComparison[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const outcome of compared.flatMap(outcomesOf)) {
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
  }
  return counts
}

function outcomesOf(compared: SpfComparison): string[] {
  const { ours } = compared
  const { ipv4, ipv6 } = ours.verdicts
  const isWhole = IP_FAMILIES.every((family) => isComparable(compared, family))
  const outcomes = isWhole ? [] : ['ended early for pyspf']
  const [cause, ...others] = ours.causes
  // Only records with one cause, so no cause hides behind another.
  if (cause) return [...outcomes, others.length === 0 ? `only ${cause}` : 'several causes']
  if (ipv4 === 'none') return [...outcomes, 'no record']
  if (ours.lookups === 10) outcomes.push('at the limit of lookups')
  if (IP_FAMILIES.some((family) => ours.voidLookups[family] === 2))
    outcomes.push('at the limit of voids')
  if (ipv4 !== ipv6) outcomes.push('only voids, for one family')
  else outcomes.push(ipv4 === 'ok' ? 'no error' : 'only voids')
  return outcomes
}
