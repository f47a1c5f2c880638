/** What one instance can do, in one table: the figures an operator plans with. */
import {
  type BenchEnvironment,
  type MeasuredServer,
  openBenchEnvironment,
  type ProcessUsage,
} from './bench-environment.js'
import {
  CHECK_TARGETS,
  CHECKS_IN_FLIGHT,
  latencyFloorMs,
  latencyTargetMs,
  RESOLVER_DELAY_MS,
} from './bench-targets.js'
import { BENCH_DOMAINS, BENCH_ZONES, copyZone, ZONE_COPIES } from './bench-zones.js'
import {
  expectStatus,
  type HttpLoadResult,
  medianLatencyMs,
  requestOnce,
  runHttpLoad,
  toFixedResponse,
} from './http-load.js'
import {
  atLeast,
  atMost,
  comparedWith,
  median,
  ratioAtLeast,
  roundTo,
  runInterleaved,
  type ServiceRow,
  serviceRow,
} from './measure.js'
import { getRequestText, repeatRequest } from './payment-requests.js'

const CONCURRENCY_LEVELS = [1, 10, 50, 200, 500]
const MEMORY_LEVELS = [1, 50, 500]
/** Allows more concurrent checks than the default, with time for all of them. */
export const RAISED_LIMITS = { MAX_CONCURRENT_REPORTS: '1000', DNS_TIMEOUT_MS: '60000' }
const MEGABYTE = 1024 * 1024
const SAMPLE_EVERY_MS = 100

export const FREE_PATH = '/v1/mx?domain=flat-0.test'
export const PAID_PATH = '/v1/score?domain=flat-0.test'
/** V8 keeps optimizing for thousands of checks, and a service runs for days. */
const WARM_UP_CHECKS = 5_000
const SHORT_RESPONSES = 10_000
const SHORT_RESPONSES_IN_FLIGHT = 64
const SHORT_RESPONSE_ROUNDS = 3

export async function benchService(): Promise<void> {
  console.log(
    `\nOne instance on one core, its resolver ${RESOLVER_DELAY_MS} ms away; load and resolver use the other core`,
  )
  const environment = await openBenchEnvironment(RESOLVER_DELAY_MS)
  const rows: ServiceRow[] = []
  const measure = async (name: string, run: () => Promise<ServiceRow[]>) => {
    console.log(`… ${name}`)
    try {
      rows.push(...(await run()))
    } catch (error) {
      // The other parts still count.
      console.error(`${name} failed: ${error}`)
      process.exitCode = 1
    }
  }
  try {
    const service = await environment.startService(RAISED_LIMITS)
    await measure('checks', async () => throughputRows(service, await bareHonoCpuMs(environment)))
    await measure('402 and 429', () => shortResponseRows(environment))
    await measure('latency', async () => [await latencyRow(service)])
    await measure('CPU by concurrency', () => concurrencyRows(service))
    await measure('memory', () => memoryRows(environment))
    await measure('two processes', async () =>
      twoProcessRows(service, await environment.startService()),
    )
  } finally {
    await environment.stop()
  }
  console.table(Object.fromEntries(rows.map(({ name, ...row }) => [name, row])))
}

/** Full checks of different domains, which share no queries. */
export function loadChecks(
  servers: readonly MeasuredServer[],
  count: number,
  inFlight: number,
  statuses: readonly number[] = [200],
): Promise<HttpLoadResult> {
  const requests = Array.from({ length: count }, (_, index) =>
    getRequestText(`/v1/check?domain=${BENCH_DOMAINS[index % BENCH_DOMAINS.length]}`),
  )
  return runHttpLoad({ servers, requests, inFlight, verify: expectStatus(...statuses) })
}

/** Not measured, so a DNS timeout of a cold service on a busy machine does no harm. */
export async function warmUpChecks(service: MeasuredServer, count: number): Promise<void> {
  await loadChecks([service], count, CHECKS_IN_FLIGHT, [200, 502, 504])
}

/** Responses per second of the server's CPU time, for one path. */
export async function shortResponsesPerCpuSecond(
  server: MeasuredServer,
  path: string,
  statuses: readonly number[],
  count = SHORT_RESPONSES,
): Promise<number> {
  const { cpuMs } = await runHttpLoad({
    servers: [server],
    requests: Array.from({ length: count }, () => getRequestText(path)),
    inFlight: SHORT_RESPONSES_IN_FLIGHT,
    verify: expectStatus(...statuses),
  })
  return 1_000 / cpuMs
}

async function throughputRows(
  service: MeasuredServer,
  shortResponseMs: number,
): Promise<ServiceRow[]> {
  await warmUpChecks(service, WARM_UP_CHECKS)
  const { wallMs, cpuMs } = await loadChecks([service], 2_000, CHECKS_IN_FLIGHT)
  const perSecond = serviceRow('/v1/check per second, one core', 1_000 / wallMs)
  return [
    atLeast(perSecond, CHECK_TARGETS.checksPerSecond),
    atMost(serviceRow('CPU per check, ms', cpuMs, 2), CHECK_TARGETS.cpuMs),
    atLeast(
      serviceRow('/v1/check per CPU second', 1_000 / cpuMs),
      CHECK_TARGETS.checksPerCpuSecond,
    ),
    serviceRow('CPU per check, in short responses of bare Hono', cpuMs / shortResponseMs),
  ]
}

/** CPU time of the least work a server can do here, to compare machines with. */
async function bareHonoCpuMs(environment: BenchEnvironment): Promise<number> {
  const bare = await environment.startBareHono({})
  await shortResponsesPerCpuSecond(bare, '/short', [200])
  const perSecond = await shortResponsesPerCpuSecond(bare, '/short', [200])
  await bare.stop()
  return 1_000 / perSecond
}

/** 402 and 429, which callers get for free, compared with the same bytes from bare Hono. */
async function shortResponseRows(environment: BenchEnvironment): Promise<ServiceRow[]> {
  const server = await environment.startService({ RATE_LIMIT_PER_MINUTE: '1' })
  const fetchOnce = async (path: string, ...statuses: number[]) =>
    toFixedResponse(
      await requestOnce({
        server,
        requests: repeatRequest(getRequestText(path)),
        verify: expectStatus(...statuses),
      }),
    )
  await fetchOnce(FREE_PATH, 200)
  const bare = await environment.startBareHono({
    '/402': await fetchOnce(PAID_PATH, 402),
    '/429': await fetchOnce(FREE_PATH, 429),
  })
  const rates = await runInterleaved(
    {
      unpaid: () => shortResponsesPerCpuSecond(server, PAID_PATH, [402]),
      // The limit allows one request per minute.
      limited: () => shortResponsesPerCpuSecond(server, FREE_PATH, [429, 200]),
      bare402: () => shortResponsesPerCpuSecond(bare, '/402', [402]),
      bare429: () => shortResponsesPerCpuSecond(bare, '/429', [429]),
      short: () => shortResponsesPerCpuSecond(bare, '/short', [200]),
    },
    SHORT_RESPONSE_ROUNDS,
  )
  await server.stop()
  await bare.stop()
  const compare = (name: string, ours: readonly number[], bareRates: readonly number[]) =>
    comparedWith(serviceRow(name, median(ours)), median(bareRates))
  const { unpaid, limited, bare402, bare429, short } = rates
  const share = CHECK_TARGETS.shareOfBareHono
  return [
    ratioAtLeast(compare('402 per CPU second, bare Hono: same bytes', unpaid, bare402), share),
    ratioAtLeast(compare('429 per CPU second, bare Hono: same bytes', limited, bare429), share),
    compare('402 per CPU second, bare Hono: 15 bytes', unpaid, short),
    compare('429 per CPU second, bare Hono: 15 bytes', limited, short),
  ]
}

/** The domain, its provider's record, and the records that one includes. */
const WORKSPACE_DEPTH = 3

/** One check at a time, of Google Workspace domains. */
async function latencyRow(service: MeasuredServer): Promise<ServiceRow> {
  const [zone] = BENCH_ZONES
  if (!zone) throw new Error('BENCH_ZONES is empty')
  const requests = Array.from({ length: ZONE_COPIES }, (_, index) =>
    getRequestText(`/v1/check?domain=${copyZone(zone, index).checkedDomain}`),
  )
  const verify = expectStatus(200)
  const result = await runHttpLoad({ servers: [service], requests, inFlight: 1, verify })
  const medianMs = medianLatencyMs(result)
  const target = latencyTargetMs(WORKSPACE_DEPTH)
  return {
    ...comparedWith(
      serviceRow('latency of a check, ms; floor: depth × RTT', medianMs),
      latencyFloorMs(WORKSPACE_DEPTH),
    ),
    target: `≤ ${target}`,
    met: medianMs <= target,
  }
}

async function concurrencyRows(service: MeasuredServer): Promise<ServiceRow[]> {
  const costs: [number, number][] = []
  for (const inFlight of CONCURRENCY_LEVELS) {
    const { cpuMs } = await loadChecks([service], inFlight === 1 ? 100 : 1_000, inFlight)
    costs.push([inFlight, cpuMs])
  }
  const base = costs.find(([inFlight]) => inFlight === CHECKS_IN_FLIGHT)?.[1] ?? 1
  return costs.map(([inFlight, cpuMs]) =>
    comparedWith(
      serviceRow(`CPU per check, ms, ${inFlight} in flight`, cpuMs, 2),
      roundTo(base, 2),
      2,
    ),
  )
}

/** Of a new process for each level. */
async function memoryRows(environment: BenchEnvironment): Promise<ServiceRow[]> {
  const rows: ServiceRow[] = []
  for (const inFlight of MEMORY_LEVELS) {
    const service = await environment.startService(RAISED_LIMITS)
    const { rss: idle } = await service.usage()
    const { rss } = await peakUsageDuring(service, () => loadChecks([service], 1_000, inFlight))
    const memory = serviceRow(`memory, MB, ${inFlight} in flight; idle`, rss / MEGABYTE)
    rows.push(comparedWith(memory, idle / MEGABYTE))
    await service.stop()
  }
  return rows
}

export async function peakUsageDuring(
  service: MeasuredServer,
  run: () => Promise<unknown>,
): Promise<Pick<ProcessUsage, 'rss' | 'heapUsed'>> {
  const samples: Promise<ProcessUsage>[] = []
  const timer = setInterval(() => samples.push(service.usage()), SAMPLE_EVERY_MS)
  try {
    await run()
  } finally {
    clearInterval(timer)
  }
  samples.push(service.usage())
  const usages = await Promise.all(samples)
  return {
    rss: Math.max(...usages.map(({ rss }) => rss)),
    heapUsed: Math.max(...usages.map(({ heapUsed }) => heapUsed)),
  }
}

/** Both processes share the measured core, so this compares the CPU time per check. */
async function twoProcessRows(
  first: MeasuredServer,
  second: MeasuredServer,
): Promise<ServiceRow[]> {
  await warmUpChecks(second, 1_200)
  const one = await loadChecks([first], 1_500, CHECKS_IN_FLIGHT)
  const both = await loadChecks([first, second], 3_000, CHECKS_IN_FLIGHT * 2)
  const rate = serviceRow('/v1/check per CPU second, two processes; one', 1_000 / both.cpuMs)
  return [ratioAtLeast(comparedWith(rate, 1_000 / one.cpuMs), CHECK_TARGETS.twoProcessEfficiency)]
}
