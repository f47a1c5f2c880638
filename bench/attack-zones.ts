/** The hostile zones, each for as many domains as are checked at once. */
import { HOSTILE_ZONES, type HostileZone, ORDINARY_ZONE } from '@mailgrade/testing/hostile-zones'

/** Concurrent checks of one domain share their queries, so attackers use different ones. */
export const ATTACK_COPIES = 4

export const ATTACK_ZONES: readonly HostileZone[] = [ORDINARY_ZONE, ...HOSTILE_ZONES]

/** The name to check in a copy of a zone. */
export function attackDomain(zone: HostileZone, copy: number): string {
  return zone.checkedName(originOf(zone, copy))
}

function originOf(zone: HostileZone, copy: number): string {
  return `attack${ATTACK_ZONES.indexOf(zone)}-${copy}.test`
}

export function attackZoneTexts(): string[] {
  return ATTACK_ZONES.flatMap((zone) =>
    Array.from({ length: ATTACK_COPIES }, (_, copy) => zone.zoneText(originOf(zone, copy))),
  )
}
