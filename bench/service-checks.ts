/** Full checks of many domains: how many, what they cost, how long they take. */

import type { BenchEnvironment, MeasuredServer } from './bench-environment.js'
import { CHECK_TARGETS, latencyFloorMs, latencyTargetMs } from './bench-targets.js'
import { BENCH_ZONES, copyZone, ZONE_COPIES } from './bench-zones.js'
import { type HttpLoadResult, runHttpLoad } from './drive.js'
import { atLeast, atMost, comparedWith, type ServiceRow, serviceRow } from './service-row.js'

const IN_FLIGHT = 50
const GROWTH = [1, 10, 50, 200, 500]
const MEMORY = [1, 50, 500]
/** More at once than an operator would allow, and time for all of them. */
export const RAISED_LIMITS = { MAX_CONCURRENT_REPORTS: '1000', DNS_TIMEOUT_MS: '60000' }

const MEGABYTE = 1024 * 1024

/** Distinct, so that no two in flight share their questions. */
const DOMAINS = Array.from({ length: ZONE_COPIES }, (_, index) =>
  BENCH_ZONES.map((zone) => copyZone(zone, index).checkedDomain),
).flat()

function checks(count: number): string[] {
  return Array.from({ length: count }, (_, index) => {
    const domain = DOMAINS[index % DOMAINS.length]
    return `/v1/check?domain=${domain}`
  })
}

function check(
  servers: readonly MeasuredServer[],
  count: number,
  inFlight: number,
): Promise<HttpLoadResult> {
  return runHttpLoad({ servers, paths: checks(count), inFlight, statuses: [200] })
}

export async function throughputRows(
  service: MeasuredServer,
  shortAnswerMs: number,
): Promise<ServiceRow[]> {
  await check([service], 1_200, IN_FLIGHT)
  const { perSecond, cpuMs } = await check([service], 2_000, IN_FLIGHT)
  return [
    atLeast(serviceRow('/v1/check per second, one core', perSecond), CHECK_TARGETS.checksPerSecond),
    atMost(serviceRow('CPU per check, ms', cpuMs, 2), CHECK_TARGETS.cpuMs),
    serviceRow('/v1/check per second of CPU time', 1_000 / cpuMs),
    serviceRow('CPU per check, in short answers of bare Hono', cpuMs / shortAnswerMs),
  ]
}

/** The domain, its provider's record, and the records that includes. */
const DEPTH = 3

/** One at a time, of the first zone: Google Workspace. */
export async function latencyRow(service: MeasuredServer): Promise<ServiceRow> {
  const [zone] = BENCH_ZONES
  if (!zone) throw new Error('there is no zone')
  const paths = Array.from(
    { length: ZONE_COPIES },
    (_, index) => copyZone(zone, index).checkedDomain,
  ).map((domain) => `/v1/check?domain=${domain}`)
  const { medianMs } = await runHttpLoad({
    servers: [service],
    paths,
    inFlight: 1,
    statuses: [200],
  })
  const compared = comparedWith(
    serviceRow('latency of a check, ms, beside depth × RTT', medianMs),
    latencyFloorMs(DEPTH),
  )
  return {
    ...compared,
    aim: `≤ ${latencyTargetMs(DEPTH)}`,
    met: medianMs <= latencyTargetMs(DEPTH),
  }
}

export async function concurrencyRows(service: MeasuredServer): Promise<ServiceRow[]> {
  const costs: [number, number][] = []
  for (const inFlight of GROWTH) {
    const { cpuMs } = await check([service], inFlight === 1 ? 100 : 1_000, inFlight)
    costs.push([inFlight, cpuMs])
  }
  const base = costs.find(([inFlight]) => inFlight === IN_FLIGHT)?.[1] ?? 1
  return costs.map(([inFlight, cpuMs]) =>
    comparedWith(serviceRow(`CPU per check, ms, ${inFlight} in flight`, cpuMs, 2), base, 2),
  )
}

/** Of a process that has done nothing else. */
export async function memoryRows(stand: BenchEnvironment): Promise<ServiceRow[]> {
  const rows: ServiceRow[] = []
  for (const inFlight of MEMORY) {
    const service = await stand.startService(RAISED_LIMITS)
    const { rss: idle } = await service.usage()
    const { peak } = await check([service], 1_000, inFlight)
    const memory = serviceRow(`memory, MB, ${inFlight} in flight, beside idle`, peak.rss / MEGABYTE)
    rows.push(comparedWith(memory, idle / MEGABYTE))
    await service.stop()
  }
  return rows
}

/** Both on the one core that is measured: what is compared is what a check costs. */
export async function twoProcessRows(
  one: MeasuredServer,
  other: MeasuredServer,
): Promise<ServiceRow[]> {
  await check([other], 1_200, IN_FLIGHT)
  const alone = await check([one], 1_500, IN_FLIGHT)
  const both = await check([one, other], 3_000, IN_FLIGHT * 2)
  const rate = serviceRow('/v1/check per second of CPU time, two processes', 1_000 / both.cpuMs)
  const compared = comparedWith(rate, 1_000 / alone.cpuMs)
  return [
    {
      ...compared,
      aim: `ratio ≥ ${CHECK_TARGETS.twoProcessEfficiency}`,
      met: compared.ratio >= CHECK_TARGETS.twoProcessEfficiency,
    },
  ]
}
