/** What a source sent in its last days: it may have been fixed, or have broken, since. */
import { addCounts } from './tally.js'

/** A whole month, so that monthly mail such as invoices is in it. */
export const RECENT_DAYS = 31

export interface DayCounts {
  readonly messages: number
  readonly passing: number
  readonly dkimAligned: number
}

/** By days since 1970, UTC; at most `RECENT_DAYS` up to the latest. */
export type RecentDays = Map<number, DayCounts>

export function addToDay(days: RecentDays, day: number, counts: DayCounts): void {
  days.set(day, addDayCounts(days.get(day) ?? NOTHING, counts))
  if (days.size === 1) return
  const oldest = Math.max(...days.keys()) - RECENT_DAYS + 1
  for (const each of days.keys()) if (each < oldest) days.delete(each)
}

export function sumOfDays(days: RecentDays): DayCounts {
  return [...days.values()].reduce(addDayCounts, NOTHING)
}

const NOTHING: DayCounts = { messages: 0, passing: 0, dkimAligned: 0 }

function addDayCounts(one: DayCounts, other: DayCounts): DayCounts {
  return {
    messages: addCounts(one.messages, other.messages),
    passing: addCounts(one.passing, other.passing),
    dkimAligned: addCounts(one.dkimAligned, other.dkimAligned),
  }
}
