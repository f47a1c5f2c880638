/**
 * One instance at 80 % of what it can do, for minutes: whatever it remembers of callers, payments and
 * connections must come to an end. SOAK_SECONDS says for how long.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { formatSampleWindow, lowestSample, startMetricsSampler } from './metrics-sampler.js'
import { printCounts, unexpectedOutcomes } from './outcome-counts.js'
import { openSoakEnvironment, type SoakEnvironment } from './soak-environment.js'
import { createSoakTraffic, NOT_SENT } from './soak-traffic.js'

const SECONDS = Number(process.env.SOAK_SECONDS ?? 300)
const STRETCHES = 10
const AT_ONCE = 32
const MB = 1_000_000
const STARVED_MS = 500

const KINDS = ['check', 'one part', 'MCP', 'paid'].map((kind) => kind.padEnd(8))
const USUAL = [...KINDS.map((kind) => `${kind}  200`), 'unpaid    402 payment_required']
/** What comes of it when others on this machine keep the resolver from its core. */
const STARVED = KINDS.flatMap((kind) => [
  `${kind}  504 dns_timeout`,
  `${kind}  504 dns_timeout, charged no`,
  `${kind}  502 dns_unavailable`,
  `${kind}  502 dns_unavailable, charged no`,
])

let place: SoakEnvironment
beforeAll(async () => {
  place = await openSoakEnvironment()
}, 60_000)
afterAll(() => place?.stop(), 60_000)

const say = (line: string) => process.stdout.write(`${line}\n`)

const sumOf = (counts: Record<string, number>, outcomes = Object.keys(counts)) =>
  outcomes.reduce((sum, outcome) => sum + (counts[outcome] ?? 0), 0)

const shareOf = (latencies: readonly number[], share: number) => {
  const sorted = [...latencies].sort((one, other) => one - other)
  return `${Math.round(sorted[Math.floor(sorted.length * share)] ?? 0)} ms`
}

const title = `${SECONDS} seconds at 80 % of capacity: memory and handles stay as they are`

test(title, { timeout: (SECONDS + 120) * 1_000 }, async () => {
  const traffic = createSoakTraffic(place)
  await traffic.runClosedLoop(AT_ONCE, 5)
  const most = await traffic.runClosedLoop(AT_ONCE, 10)
  printCounts(`${AT_ONCE} at once for 10 seconds`, most.counts)
  const rate = (sumOf(most.counts, USUAL) / 10) * 0.8
  const where = place.core === null ? 'not pinned' : `on core ${place.core}`
  say(`\n${Math.round(rate)} requests a second are 80 % of that, ${where}`)

  const sampling = startMetricsSampler(place, SECONDS / STRETCHES, (stretch) =>
    say(formatSampleWindow(stretch)),
  )
  // On the core of the resolver.
  const delays = monitorEventLoopDelay({ resolution: 20 })
  delays.enable()
  const { counts, latencies } = await traffic.runAtRate(rate, SECONDS)
  const heldUpMs = delays.max / 1_000_000
  const stretches = await sampling.stop()

  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => shareOf(latencies, share))
  printCounts(`${title}\nfull checks: p50 ${p50}, p95 ${p95}, p99 ${p99}`, counts)
  say(`we were held up for ${Math.round(heldUpMs)} ms at most`)
  expect(place.isAlive()).toBe(true)
  const wasStarved = heldUpMs > STARVED_MS
  expect(unexpectedOutcomes(wasStarved ? [...USUAL, ...STARVED, NOT_SENT] : USUAL, counts)).toEqual(
    [],
  )
  // More would mean that it has become slower than it was.
  expect(sumOf(counts, USUAL)).toBeGreaterThan(0.8 * sumOf(counts))

  // The first two stretches are for warming up.
  const early = stretches.slice(2, 4).flat()
  const late = stretches.slice(STRETCHES - 2).flat()
  expect(lowestSample(late, 'heap')).toBeLessThan(lowestSample(early, 'heap') * 1.15 + 5 * MB)
  expect(lowestSample(late, 'rss')).toBeLessThan(lowestSample(early, 'rss') * 1.25 + 20 * MB)
  expect(lowestSample(late, 'handles')).toBeLessThan(lowestSample(early, 'handles') * 1.1 + 5)
  // One is sold every second, and a payment is valid for two minutes.
  expect(lowestSample(late, 'ledger')).toBeLessThan(180)
})
