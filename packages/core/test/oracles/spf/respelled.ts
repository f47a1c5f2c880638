/** A world whose records are spelled anew, for a judge to read. */
import type { PyspfDeviation } from './pyspf-deviations.js'
import type { SpfTestZone } from './spf-test-zone.js'
import type { ZoneData, ZoneRow } from './zone-data.js'

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
