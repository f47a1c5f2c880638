/** What a check costs the service when many are under way. */
import { AIMS, IN_FLIGHT } from './check-aims.js'
import { askService } from './check-contestants.js'
import { inTurns, median, rounded, tellAim } from './check-turns.js'
import { COPIES, copyOf, ZONES } from './check-zones.js'
import type { Server } from './stand.js'

const ROUNDS = 5

export async function benchCpu(service: Server): Promise<void> {
  console.log(
    `\nCPU time of the service per check, ${IN_FLIGHT} in flight, medians of ${ROUNDS} rounds in turns`,
  )
  const contestants = Object.entries(loads()).map(
    ([name, domains]) => [name, () => measure(service, domains)] as const,
  )
  const costs = await inTurns(Object.fromEntries(contestants), ROUNDS)
  const rows = Object.entries(costs).map(([name, all]) => [name, rowOf(all)] as const)
  console.table(Object.fromEntries(rows))
  tellAim(
    `at most ${AIMS.cpuMs} ms per check, and every one answered`,
    rows.map(([name, row]) => [name, row['CPU ms'] <= AIMS.cpuMs && row.failures === 0]),
  )
}

/** All zones alike, one domain that everybody asks for, and each zone by itself. */
function loads(): Record<string, readonly string[]> {
  const copies = Array.from({ length: COPIES }, (_, index) => index)
  const all = copies.flatMap((index) => ZONES.map((zone) => copyOf(zone, index).subject))
  const [popular = ''] = all
  const each = ZONES.map((zone) => [zone.name, copies.map((index) => copyOf(zone, index).subject)])
  return { 'all zones': all, 'one domain': all.map(() => popular), ...Object.fromEntries(each) }
}

interface Cost {
  /** Of one check. */
  readonly cpuMs: number
  readonly questions: number
  readonly perSecond: number
  /** Of all. */
  readonly failures: number
}

async function cpuMsOf(service: Server): Promise<number> {
  return (await service.usage()).cpuMs
}

async function measure(service: Server, domains: readonly string[]): Promise<Cost> {
  let next = 0
  let questions = 0
  let failures = 0
  const worker = async () => {
    for (let domain = domains[next++]; domain; domain = domains[next++]) {
      const report = await askService(service, domain).catch(() => null)
      if (report) questions += report.meta.dnsQueries
      else failures++
    }
  }
  const cpuBefore = await cpuMsOf(service)
  const startedAt = performance.now()
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker))
  const seconds = (performance.now() - startedAt) / 1_000
  return {
    cpuMs: ((await cpuMsOf(service)) - cpuBefore) / domains.length,
    questions: questions / (domains.length - failures),
    perSecond: domains.length / seconds,
    failures,
  }
}

function rowOf(costs: readonly Cost[]) {
  const cpuMs = median(costs.map((cost) => cost.cpuMs))
  const questions = median(costs.map((cost) => cost.questions))
  return {
    questions: Math.round(questions),
    'CPU ms': rounded(cpuMs, 2),
    // Noise only ever adds.
    best: rounded(Math.min(...costs.map((cost) => cost.cpuMs)), 2),
    aim: AIMS.cpuMs,
    'µs per question': Math.round((cpuMs / questions) * 1_000),
    'checks/s': Math.round(median(costs.map((cost) => cost.perSecond))),
    failures: costs.reduce((sum, { failures }) => sum + failures, 0),
  }
}
