/** The whole check, compared with its floor, with sequential queries and with mailauth. */
import { createDohDns } from '@mailgrade/doh'
import type { AbortableDns } from '@mailgrade/doh/dns'
import { installMailauth } from '@mailgrade/testing/mailauth'
import { type MeasuredServer, openBenchEnvironment } from './bench-environment.js'
import {
  CHECK_TARGETS,
  CHECKS_IN_FLIGHT,
  latencyFloorMs,
  latencyTargetMs,
  RESOLVER_DELAY_MS,
} from './bench-targets.js'
import { BENCH_DOMAINS, BENCH_ZONES, copyZone, ZONE_COPIES } from './bench-zones.js'
import {
  checkSpfAndDmarc,
  createZoneVerifier,
  mustParseDomain,
  querySequentially,
  requestCheck,
  runMailauth,
  type VerifiedZone,
} from './check-contestants.js'
import { median, printTarget, roundTo, runInterleaved } from './measure.js'

const LATENCY_ROUNDS = 9
const CPU_ROUNDS = 5
/** The first few hundred checks run code that is not compiled yet. */
const WARM_UP_COPIES = 40

export async function benchCheck(): Promise<void> {
  installMailauth()
  const environment = await openBenchEnvironment(RESOLVER_DELAY_MS)
  const { dohUrl, ca } = environment
  const dns = createDohDns({ urls: [dohUrl], tls: { ca } })
  try {
    const service = await environment.startService()
    const verifyZone = createZoneVerifier(service, dns)
    const zones: VerifiedZone[] = []
    for (const zone of BENCH_ZONES) zones.push(await verifyZone(zone))
    await benchLatency(zones, service, dns)
    await benchCpu(service)
  } finally {
    dns.close()
    await environment.stop()
  }
}

/** One domain at a time. */
async function benchLatency(
  zones: readonly VerifiedZone[],
  service: MeasuredServer,
  dns: AbortableDns,
): Promise<void> {
  console.log(
    `\nLatency of a check in ms, ${RESOLVER_DELAY_MS} ms per query, medians of ${LATENCY_ROUNDS} interleaved rounds`,
  )
  await warmUp(service, dns)
  const rows: Record<string, LatencyRow> = {}
  for (const zone of zones) rows[zone.name] = await measureLatency(zone, service, dns)
  console.table(rows)
  console.log(`A single query takes ${roundTo(await measureQuery(dns))} ms`)
  for (const { name, depth, rounds } of zones) {
    if (rounds > depth) console.warn(`${name} waits for DNS ${rounds} times; ${depth} would do`)
  }
  printTarget(
    '≤ 1.25 × floor + 5 ms',
    Object.entries(rows).map(([name, { ours, target }]) => [name, ours <= target]),
  )
  const speedup = CHECK_TARGETS.speedupOverSequential
  printTarget(
    `≥ ${speedup} × faster than sequential queries`,
    Object.entries(rows).map(([name, row]) => [name, row['× faster'] >= speedup]),
  )
}

async function warmUp(service: MeasuredServer, dns: AbortableDns): Promise<void> {
  for (let index = 0; index < WARM_UP_COPIES; index++) {
    const domains = BENCH_ZONES.map((zone) => copyZone(zone, index).checkedDomain)
    await Promise.all(domains.map((domain) => requestCheck(service, domain)))
    await Promise.all(domains.map((domain) => checkSpfAndDmarc(dns, mustParseDomain(domain))))
    await Promise.all(domains.map((domain) => runMailauth(dns, domain)))
  }
}

type LatencyRow = Awaited<ReturnType<typeof measureLatency>>

async function measureLatency(zone: VerifiedZone, service: MeasuredServer, dns: AbortableDns) {
  const { checkedDomain, queries, depth, rounds } = zone
  const domain = mustParseDomain(checkedDomain)
  const times = await runInterleaved(
    {
      ours: () => elapsedMs(() => requestCheck(service, checkedDomain)),
      sequential: () => elapsedMs(() => querySequentially(dns, queries)),
      spfAndDmarc: () => elapsedMs(() => checkSpfAndDmarc(dns, domain)),
      mailauth: () => elapsedMs(() => runMailauth(dns, checkedDomain)),
    },
    LATENCY_ROUNDS,
  )
  const ours = median(times.ours)
  const sequential = median(times.sequential)
  const spfAndDmarc = median(times.spfAndDmarc)
  const mailauth = median(times.mailauth)
  return {
    queries: queries.length,
    depth,
    rounds,
    floor: latencyFloorMs(depth),
    target: latencyTargetMs(depth),
    ours: roundTo(ours),
    // Noise only adds time.
    best: roundTo(Math.min(...times.ours)),
    '× floor': roundTo(ours / latencyFloorMs(depth), 2),
    sequential: roundTo(sequential),
    '× faster': roundTo(sequential / ours),
    'SPF+DMARC': roundTo(spfAndDmarc),
    mailauth: roundTo(mailauth),
    '× mailauth': roundTo(mailauth / spfAndDmarc),
  }
}

async function measureQuery(dns: AbortableDns): Promise<number> {
  const { single } = await runInterleaved(
    { single: () => elapsedMs(() => dns.query('.', 'NS')) },
    LATENCY_ROUNDS,
  )
  return median(single)
}

async function elapsedMs(run: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await run()
  return performance.now() - startedAt
}

/** CPU time of the service with many checks in flight. */
async function benchCpu(service: MeasuredServer): Promise<void> {
  console.log(
    `\nCPU time of the service per check, ${CHECKS_IN_FLIGHT} in flight, medians of ${CPU_ROUNDS} interleaved rounds`,
  )
  const contestants = Object.entries(domainSets()).map(
    ([name, domains]) => [name, () => measureCpu(service, domains)] as const,
  )
  const costs = await runInterleaved(Object.fromEntries(contestants), CPU_ROUNDS)
  const rows = Object.entries(costs).map(([name, all]) => [name, toCpuRow(all)] as const)
  console.table(Object.fromEntries(rows))
  printTarget(
    `≤ ${CHECK_TARGETS.setupCpuMs} ms per check without failures`,
    rows.map(([name, row]) => [
      name,
      row['CPU ms'] <= CHECK_TARGETS.setupCpuMs && row.failures === 0,
    ]),
  )
}

/** All zones mixed, one domain for all requests, and each zone alone. */
function domainSets(): Record<string, readonly string[]> {
  const [popular = ''] = BENCH_DOMAINS
  const single = BENCH_ZONES.map((zone) => {
    const copies = Array.from({ length: ZONE_COPIES }, (_, index) => copyZone(zone, index))
    return [zone.name, copies.map(({ checkedDomain }) => checkedDomain)]
  })
  return {
    'all zones': BENCH_DOMAINS,
    'one domain': BENCH_DOMAINS.map(() => popular),
    ...Object.fromEntries(single),
  }
}

interface CheckCost {
  /** The first three are per check. */
  readonly cpuMs: number
  readonly queries: number
  readonly perSecond: number
  readonly failures: number
}

async function measureCpu(service: MeasuredServer, domains: readonly string[]): Promise<CheckCost> {
  const left = domains.values()
  let queries = 0
  let failures = 0
  const work = async () => {
    for (const domain of left) {
      const report = await requestCheck(service, domain).catch(() => null)
      if (report) queries += report.meta.dnsQueries
      else failures++
    }
  }
  const before = await service.usage()
  const startedAt = performance.now()
  await Promise.all(Array.from({ length: CHECKS_IN_FLIGHT }, work))
  const seconds = (performance.now() - startedAt) / 1_000
  return {
    cpuMs: ((await service.usage()).cpuMs - before.cpuMs) / domains.length,
    queries: queries / (domains.length - failures),
    perSecond: domains.length / seconds,
    failures,
  }
}

function toCpuRow(costs: readonly CheckCost[]) {
  const cpuMs = median(costs.map((cost) => cost.cpuMs))
  const queries = median(costs.map((cost) => cost.queries))
  return {
    queries: Math.round(queries),
    'CPU ms': roundTo(cpuMs, 2),
    // Noise only adds time.
    best: roundTo(Math.min(...costs.map((cost) => cost.cpuMs)), 2),
    target: CHECK_TARGETS.setupCpuMs,
    'µs per query': Math.round((cpuMs / queries) * 1_000),
    'checks/s': Math.round(median(costs.map((cost) => cost.perSecond))),
    failures: costs.reduce((sum, { failures }) => sum + failures, 0),
  }
}
