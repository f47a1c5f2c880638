/**
 * One instance at 80 % of its capacity for minutes: what it keeps about callers, payments and
 * connections must stop growing. SOAK_SECONDS sets the duration.
 */
import { existsSync, readFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { percentile } from '../../../../bench/measure.js'
import { formatSampleWindow, lowestSample, startMetricsSampler } from './metrics-sampler.js'
import { printCounts, unexpectedOutcomes } from './outcome-counts.js'
import { openSoakEnvironment, type SoakEnvironment } from './soak-environment.js'
import { CONNECTIONS, createSoakTraffic, formatOutcome, NOT_SENT } from './soak-traffic.js'

const SECONDS = Number(process.env.SOAK_SECONDS ?? 300)
const WINDOWS = 10
const CALLERS = 32
const MB = 1_000_000
const STARVED_MS = 500
/** Above this share of a core, other machines decide how much the instance answers. */
const STOLEN_SHARE = 0.1

const REPORT_KINDS = ['check', 'single check', 'MCP', 'paid']
const PAID = formatOutcome('paid', '200')
const NORMAL = [
  ...REPORT_KINDS.map((kind) => formatOutcome(kind, '200')),
  formatOutcome('unpaid', '402 payment_required'),
]
/** Accepted while others keep the resolver from its core. */
const STARVED = REPORT_KINDS.flatMap((kind) =>
  ['504 dns_timeout', '502 dns_unavailable'].flatMap((outcome) => [
    formatOutcome(kind, outcome),
    formatOutcome(kind, `${outcome}, charged no`),
  ]),
)

let environment: SoakEnvironment
beforeAll(async () => {
  environment = await openSoakEnvironment()
}, 60_000)
afterAll(() => environment?.stop(), 60_000)

const print = (line: string) => process.stdout.write(`${line}\n`)

const megabytes = (bytes: number) => `${(bytes / MB).toFixed(1)} MB`

const sumCounts = (counts: Record<string, number>, outcomes = Object.keys(counts)) =>
  outcomes.reduce((sum, outcome) => sum + (counts[outcome] ?? 0), 0)

/** CPU seconds that the hypervisor gave to other machines, on all cores; 0 where none is reported. */
function stolenSeconds(): number {
  if (!existsSync('/proc/stat')) return 0
  // proc_stat(5): user, nice, system, idle, iowait, irq, softirq and steal, in hundredths.
  const [, ...times] = readFileSync('/proc/stat', 'utf8').split('\n', 1).join().split(/\s+/)
  return Number(times[7] ?? 0) / 100
}

const title = `memory and handles stop growing in ${SECONDS} seconds at 80 % of capacity`

test(title, { timeout: (SECONDS + 120) * 1_000 }, async () => {
  const traffic = createSoakTraffic(environment)
  // Opens every connection, so that busy moments later do not add any.
  await traffic.runClosedLoop(CONNECTIONS, 5)
  const capacity = await traffic.runClosedLoop(CALLERS, 10)
  printCounts(`${CALLERS} callers for 10 seconds`, capacity.counts)
  const rate = (sumCounts(capacity.counts, NORMAL) / 10) * 0.8
  const place = environment.core === null ? 'not pinned' : `on core ${environment.core}`
  print(`\n80 % of that is ${Math.round(rate)} requests per second, ${place}`)

  const sampler = startMetricsSampler(environment, SECONDS / WINDOWS, (window) =>
    print(formatSampleWindow(window)),
  )
  // This process shares a core with the resolver.
  const delays = monitorEventLoopDelay({ resolution: 20 })
  delays.enable()
  const stolenBefore = stolenSeconds()
  // Until payments expire as fast as they come.
  const warmUp = await traffic.runAtRate(rate, 0.4 * SECONDS)
  const heapBefore = await environment.keptHeap()
  const { counts, latencies } = await traffic.runAtRate(rate, 0.6 * SECONDS)
  const heapAfter = await environment.keptHeap()
  const longestDelayMs = delays.max / 1_000_000
  const stolen = stolenSeconds() - stolenBefore
  const windows = await sampler.stop()

  const [p50, p95, p99] = [0.5, 0.95, 0.99].map(
    (share) => `${Math.round(percentile(latencies, share))} ms`,
  )
  printCounts(`${title}\nfull checks: p50 ${p50}, p95 ${p95}, p99 ${p99}`, counts)
  print(`heap kept: ${megabytes(heapBefore)} after warming up, ${megabytes(heapAfter)} at the end`)
  print(`longest event loop delay of the test itself: ${Math.round(longestDelayMs)} ms`)
  const notSent = sumCounts(warmUp.counts, [NOT_SENT]) + sumCounts(counts, [NOT_SENT])
  print(`${notSent} requests not sent; other machines took ${stolen.toFixed(1)} CPU seconds`)
  expect(environment.isAlive()).toBe(true)
  const wasStarved = longestDelayMs > STARVED_MS || stolen > STOLEN_SHARE * SECONDS
  const expected = [...NORMAL, NOT_SENT, ...(wasStarved ? STARVED : [])]
  for (const run of [warmUp.counts, counts]) {
    expect(unexpectedOutcomes(expected, run)).toEqual([])
    for (const outcome of NORMAL) expect(run[outcome], outcome).toBeGreaterThan(0)
    if (wasStarved) continue
    // Fewer would mean that the instance became slower.
    expect(sumCounts(run, NORMAL)).toBeGreaterThan(0.8 * sumCounts(run))
  }
  // As many as the instance could have answered in the time that other machines took.
  if (!wasStarved) expect(notSent).toBeLessThanOrEqual((stolen * rate) / 0.8)

  // After the first window, and before the collection above, which also shrinks the RSS.
  const early = windows.slice(1, 3).flat()
  const late = windows.slice(WINDOWS - 2).flat()
  expect(heapAfter).toBeLessThan(heapBefore * 1.15 + 5 * MB)
  expect(lowestSample(late, 'rss')).toBeLessThan(lowestSample(early, 'rss') * 1.25 + 20 * MB)
  expect(lowestSample(late, 'handles')).toBeLessThan(lowestSample(early, 'handles') * 1.1 + 5)
  // Payments are kept for a day; what did not end in a sale is not kept.
  const sold = sumCounts(warmUp.counts, [PAID]) + sumCounts(counts, [PAID])
  expect(lowestSample(late, 'ledger')).toBeLessThanOrEqual(sold)
})
