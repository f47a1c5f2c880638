/** What a hostile zone costs, compared with an ordinary one. */
import { ORDINARY_ZONE } from '@mailgrade/testing/hostile-zones'
import { ATTACK_COPIES, ATTACK_ZONES, attackDomain } from './attack-zones.js'
import {
  type BenchEnvironment,
  type MeasuredServer,
  openBenchEnvironment,
  type ReportWorker,
} from './bench-environment.js'
import { peakUsageDuring } from './bench-service.js'
import { HOSTILE_TARGETS, RESOLVER_DELAY_MS } from './bench-targets.js'
import { expectStatus, requestOnce, runHttpLoad } from './http-load.js'
import { median, percentile, printTarget, roundTo, runInterleaved } from './measure.js'
import { getRequestText, repeatRequest } from './payment-requests.js'
import type { ReportCost, ReportKind } from './report-worker.js'

const ROUNDS = 5
/** The first hundreds of reports run code that is not compiled yet. */
const WARM_UP_REPORTS = 150
const WARM_UP_ROUNDS = 15
const KILOBYTE = 1024
const MEGABYTE = 1024 * KILOBYTE
/** Nothing is collected during a report: what the heap grows by is what the report allocates. */
const NO_COLLECTION = ['--expose-gc', '--min-semi-space-size=512', '--max-semi-space-size=512']

export async function benchHostile(): Promise<void> {
  const environment = await openBenchEnvironment(RESOLVER_DELAY_MS, 'hostile')
  try {
    const workers = {
      cpu: await environment.startReportWorker(),
      memory: await environment.startReportWorker(NO_COLLECTION),
    }
    for (const kind of ['check', 'score', 'plan'] as const) await benchCost(workers, kind)
    await benchAttack(environment)
  } finally {
    await environment.stop()
  }
}

interface Workers {
  readonly cpu: ReportWorker
  readonly memory: ReportWorker
}

/** One report at a time. */
async function benchCost({ cpu, memory }: Workers, kind: ReportKind): Promise<void> {
  const limit = kind === 'check' ? HOSTILE_TARGETS.maxCpuRatio : null
  console.log(`\nCost of one ${kind} by zone, medians of ${ROUNDS} interleaved rounds`)
  for (let report = 0; report < WARM_UP_REPORTS; report++) {
    await cpu.measure(kind, attackDomain(ORDINARY_ZONE, 0))
  }
  const contestants = ATTACK_ZONES.map(
    (zone) => [zone.name, () => cpu.measure(kind, attackDomain(zone, 0))] as const,
  )
  await runInterleaved(Object.fromEntries(contestants), WARM_UP_ROUNDS)
  const costs = await runInterleaved(Object.fromEntries(contestants), ROUNDS)
  const ordinaryMs = medianCpuMs(requireReports(costs[ORDINARY_ZONE.name] ?? []))
  const rows: Record<string, ReturnType<typeof costRow>> = {}
  for (const zone of ATTACK_ZONES) {
    const { allocatedBytes } = await memory.measure(kind, attackDomain(zone, 0))
    rows[zone.name] = costRow(costs[zone.name] ?? [], { ordinaryMs, allocatedBytes, limit })
  }
  console.table(rows)
  if (limit === null)
    return console.log('No limit: it is paid for, and unpaid attempts are limited.')
  printTarget(
    `CPU ≤ ${limit} × ordinary`,
    Object.entries(rows).map(([name, row]) => [name, row['× ordinary'] <= limit]),
  )
}

/** A report that fails is cheap, but no answer to the question. */
function requireReports(costs: readonly ReportCost[]): readonly ReportCost[] {
  const failed = costs.find(({ outcome }) => outcome !== 'report')
  if (failed) throw new Error(`the ordinary zone has no report but ${failed.outcome}`)
  return costs
}

function medianCpuMs(costs: readonly ReportCost[]): number {
  return median(costs.map((cost) => cost.cpuMs))
}

interface CostContext {
  readonly ordinaryMs: number
  readonly allocatedBytes: number
  readonly limit: number | null
}

function costRow(costs: readonly ReportCost[], { ordinaryMs, allocatedBytes, limit }: CostContext) {
  const cpuMs = medianCpuMs(costs)
  return {
    queries: median(costs.map((cost) => cost.queries)),
    'CPU ms': roundTo(cpuMs),
    '× ordinary': roundTo(cpuMs / ordinaryMs),
    limit,
    'MB allocated': roundTo(allocatedBytes / MEGABYTE),
    'KB report': Math.round(Math.max(...costs.map((cost) => cost.reportBytes)) / KILOBYTE),
    outcome: [...new Set(costs.map((cost) => cost.outcome))].join(', '),
  }
}

/** What a caller may send at once, and the heap of an instance (docs/production.md). */
const REQUESTS_PER_MINUTE = 30
const DOCUMENTED_HEAP = { NODE_OPTIONS: '--max-old-space-size=384' }
const ATTACKERS = [0, 1, 4]
const HONEST_WARM_UP = 300
const WORST_ZONES = /^TXT wildcard, [12]-octet|500 records$|^MX of|include bomb|all at once/

/** Honest callers beside attackers that send all that the rate limit allows at once. */
async function benchAttack(environment: BenchEnvironment): Promise<void> {
  console.log(
    '\nLatency of honest checks while attackers send 30 checks of hostile zones each at once, heap of 384 MB',
  )
  const rows: Record<string, Awaited<ReturnType<typeof measureAttack>>> = {}
  for (const attackers of ATTACKERS) {
    const service = await environment.startService({
      ...DOCUMENTED_HEAP,
      RATE_LIMIT_PER_MINUTE: String(REQUESTS_PER_MINUTE),
      TRUST_PROXY_HOPS: '1',
    })
    rows[`${attackers} attackers`] = await measureAttack(service, attackers)
    await service.stop()
  }
  console.table(rows)
}

async function measureAttack(service: MeasuredServer, attackers: number) {
  for (let index = 0; index < HONEST_WARM_UP; index++) await requestHonest(service, index)
  const hostile = ATTACK_ZONES.filter(({ name }) => WORST_ZONES.test(name))
  const attacks = Array.from({ length: attackers * REQUESTS_PER_MINUTE }, (_, index) => {
    const zone = hostile[index % hostile.length] ?? ORDINARY_ZONE
    const copy = Math.floor(index / hostile.length) % ATTACK_COPIES
    const attacker = Math.floor(index / REQUESTS_PER_MINUTE)
    return checkText(attackDomain(zone, copy), `198.51.100.${attacker}`)
  })
  const latencies: number[] = []
  let failed = 0
  const peak = await peakUsageDuring(service, async () => {
    let isOver = false
    const attack = sendAtOnce(service, attacks).finally(() => {
      isOver = true
    })
    for (let index = 0; !isOver || index < REQUESTS_PER_MINUTE; index++) {
      const startedAt = performance.now()
      if (!(await requestHonest(service, index))) failed++
      latencies.push(performance.now() - startedAt)
    }
    await attack
  })
  return {
    'median ms': Math.round(median(latencies)),
    'p90 ms': Math.round(percentile(latencies, 0.9)),
    'worst ms': Math.round(Math.max(...latencies)),
    requests: latencies.length,
    failed,
    'peak heap MB': Math.round(peak.heapUsed / MEGABYTE),
    'peak RSS MB': Math.round(peak.rss / MEGABYTE),
  }
}

async function sendAtOnce(server: MeasuredServer, requests: readonly string[]): Promise<void> {
  if (requests.length === 0) return
  const verify = expectStatus(200, 502, 503, 504)
  await runHttpLoad({ servers: [server], requests, inFlight: requests.length, verify })
}

/** Every request comes from another caller. Returns whether there is a report. */
async function requestHonest(server: MeasuredServer, index: number): Promise<boolean> {
  const text = checkText(
    attackDomain(ORDINARY_ZONE, index % ATTACK_COPIES),
    `203.0.${index >> 8}.${index & 255}`,
  )
  const verify = expectStatus(200, 502, 503, 504)
  const { status } = await requestOnce({ server, requests: repeatRequest(text), verify })
  return status === 200
}

function checkText(domain: string, caller: string): string {
  return getRequestText(`/v1/check?domain=${domain}`, { 'X-Forwarded-For': caller })
}
