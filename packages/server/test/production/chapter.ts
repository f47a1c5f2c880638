/** A stretch of the traffic in which something breaks and is mended, and what became of every request. */
import { expect } from 'vitest'
import type { Answered, Kind, Load } from './load.js'
import { insist, lastOf } from './purchase.js'
import { counted, outcomeOf, print, tally } from './tally.js'
import { until } from './until.js'

export interface Fault {
  readonly title: string
  /** What may come of requests meanwhile, besides what always comes of them. */
  readonly explained?: Partial<Record<Kind, readonly string[]>>
  /** Breaks it, waits until that shows, and mends it. */
  strike(watch: Watch): Promise<unknown>
}

interface Watch {
  /** Resolves when this was the outcome so many times. */
  happened(kind: Kind, outcome: string, count: number): Promise<void>
}

const NORMAL: Record<Kind, readonly string[]> = {
  free: ['200'],
  greedy: ['200', '429 rate_limited'],
  unpaid: ['402 payment_required'],
  paid: ['200'],
}
/** So many requests in a row, of all kinds, before we say that all is well. */
const ROW = 60

const isNormal = ({ kind, heard }: Answered) => NORMAL[kind].includes(outcomeOf(heard))

/** Resolves when all kinds of requests that were sent since then have been answered as usual. */
export function wellSince(load: Load, time: number): Promise<void> {
  return until('all is well', () => {
    const row = answeredSince(load, time).slice(-ROW)
    return row.length === ROW && row.every(isNormal)
  })
}

const answeredSince = (load: Load, time: number) =>
  load.answered.filter(({ startedAt }) => startedAt >= time)

/** Every request belongs to a chapter: each begins where the one before has ended. */
const told = new Set<number>()

export async function tellChapter(load: Load, fault: Fault): Promise<void> {
  const beginAt = performance.now()
  await wellSince(load, beginAt)
  const before = answeredSince(load, beginAt)
  await fault.strike({
    happened: (kind, outcome, count) =>
      until(`${count} × ${kind} ${outcome}`, () => {
        const same = answeredSince(load, beginAt).filter((one) => one.kind === kind)
        return same.filter(({ heard }) => outcomeOf(heard) === outcome).length >= count
      }),
  })
  const mendedAt = performance.now()
  await wellSince(load, mendedAt)
  const recovered = `well again after ${Math.round(performance.now() - mendedAt)} ms`
  await endChapter(load, `${fault.title}: ${recovered}`, fault.explained)
  expect(unexplained(before)).toEqual({})
}

/** Whatever was sent and is in no chapter yet. */
export async function endChapter(
  load: Load,
  title: string,
  explained: Fault['explained'] = {},
): Promise<void> {
  const asked = new Set(load.sent.map(({ id }) => id).filter((id) => !told.has(id)))
  const ours = () => load.answered.filter(({ id }) => asked.has(id))
  await until('all of them are answered', () => ours().length === asked.size, 60_000)
  for (const id of asked) told.add(id)
  const debts = await payDebts(ours())

  const kinds = tally(ours().map(({ kind, heard }) => `${kind.padEnd(6)}  ${outcomeOf(heard)}`))
  const slowest = Math.round(Math.max(...ours().map(({ heard }) => heard.ms)))
  print(`${title}; ${asked.size} requests, the slowest ${slowest} ms`, { ...kinds, ...debts })
  expect(unexplained(ours(), explained)).toEqual({})
}

function unexplained(
  answered: readonly Answered[],
  explained: Fault['explained'] = {},
): Record<string, number> {
  const isExplained = (one: Answered) =>
    isNormal(one) || explained[one.kind]?.includes(outcomeOf(one.heard))
  const others = answered.filter((one) => !isExplained(one))
  return tally(others.map(({ kind, heard }) => `${kind} ${outcomeOf(heard)}`))
}

/** Whoever signed a payment and got no report sends it again, until he has it. */
async function payDebts(answered: readonly Answered[]): Promise<Record<string, number>> {
  const owed = answered.filter(({ kind, heard }) => kind === 'paid' && heard.status !== 200)
  const answers = await Promise.all(owed.map(({ url, payment }) => insist(url, { payment })))
  const last = counted(answers.map(lastOf))
  expect(last).toEqual(owed.length > 0 ? { 200: owed.length } : {})
  return Object.fromEntries(
    Object.entries(last).map(([outcome, count]) => [`sent again until decided: ${outcome}`, count]),
  )
}
