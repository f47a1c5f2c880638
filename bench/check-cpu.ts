/** What a check costs the service when many are under way. */

import type { MeasuredServer } from './bench-environment.js'
import { CHECK_TARGETS, CHECKS_IN_FLIGHT } from './bench-targets.js'
import { BENCH_ZONES, copyZone, ZONE_COPIES } from './bench-zones.js'
import { requestCheck } from './check-contestants.js'
import { median, printTarget, roundTo, runInterleaved } from './measure.js'

const ROUNDS = 5

export async function benchCheckCpu(service: MeasuredServer): Promise<void> {
  console.log(
    `\nCPU time of the service per check, ${CHECKS_IN_FLIGHT} in flight, medians of ${ROUNDS} rounds in turns`,
  )
  const contestants = Object.entries(loads()).map(
    ([name, domains]) => [name, () => measure(service, domains)] as const,
  )
  const costs = await runInterleaved(Object.fromEntries(contestants), ROUNDS)
  const rows = Object.entries(costs).map(([name, all]) => [name, rowOf(all)] as const)
  console.table(Object.fromEntries(rows))
  printTarget(
    `at most ${CHECK_TARGETS.cpuMs} ms per check, and every one answered`,
    rows.map(([name, row]) => [name, row['CPU ms'] <= CHECK_TARGETS.cpuMs && row.failures === 0]),
  )
}

/** All zones alike, one domain that everybody asks for, and each zone by itself. */
function loads(): Record<string, readonly string[]> {
  const copies = Array.from({ length: ZONE_COPIES }, (_, index) => index)
  const all = copies.flatMap((index) =>
    BENCH_ZONES.map((zone) => copyZone(zone, index).checkedDomain),
  )
  const [popular = ''] = all
  const each = BENCH_ZONES.map((zone) => [
    zone.name,
    copies.map((index) => copyZone(zone, index).checkedDomain),
  ])
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

async function cpuMsOf(service: MeasuredServer): Promise<number> {
  return (await service.usage()).cpuMs
}

async function measure(service: MeasuredServer, domains: readonly string[]): Promise<Cost> {
  let next = 0
  let questions = 0
  let failures = 0
  const worker = async () => {
    for (let domain = domains[next++]; domain; domain = domains[next++]) {
      const report = await requestCheck(service, domain).catch(() => null)
      if (report) questions += report.meta.dnsQueries
      else failures++
    }
  }
  const cpuBefore = await cpuMsOf(service)
  const startedAt = performance.now()
  await Promise.all(Array.from({ length: CHECKS_IN_FLIGHT }, worker))
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
    'CPU ms': roundTo(cpuMs, 2),
    // Noise only ever adds.
    best: roundTo(Math.min(...costs.map((cost) => cost.cpuMs)), 2),
    aim: CHECK_TARGETS.cpuMs,
    'µs per question': Math.round((cpuMs / questions) * 1_000),
    'checks/s': Math.round(median(costs.map((cost) => cost.perSecond))),
    failures: costs.reduce((sum, { failures }) => sum + failures, 0),
  }
}
