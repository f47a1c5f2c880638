/** This build compared with the build of another checkout, by turns on the same core. */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import {
  type BenchEnvironment,
  type MeasuredServer,
  openBenchEnvironment,
  SERVICE_MAIN,
} from './bench-environment.js'
import {
  FREE_PATH,
  loadChecks,
  PAID_PATH,
  RAISED_LIMITS,
  shortResponsesPerCpuSecond,
  warmUpChecks,
} from './bench-service.js'
import {
  CHECKS_IN_FLIGHT,
  COMPARE_REQUESTS,
  COMPARE_ROUNDS,
  COMPARE_STARTS,
  COMPARE_TARGETS,
  RESOLVER_DELAY_MS,
} from './bench-targets.js'
import { BENCH_DOMAINS, BENCH_ZONES } from './bench-zones.js'
import { requestCheck } from './check-contestants.js'
import { median, percentile, printTarget, roundTo, runInterleaved } from './measure.js'

/** Where a build has its entry file, today and before the split into packages. */
const ENTRY_FILES = ['packages/server/dist/main.js', 'dist/main.js']

export async function benchCompare(checkout: string | undefined): Promise<void> {
  if (!checkout) throw new Error('usage: npm run bench -- compare <path of a built checkout>')
  const folder = resolve(checkout)
  const otherMain = ENTRY_FILES.map((file) => join(folder, file)).find(existsSync)
  if (!otherMain) throw new Error(`${folder} has no build; run "npm run build" there first`)
  console.log(
    `\nThis build and ${folder}, both on one core, resolver ${RESOLVER_DELAY_MS} ms away, medians of ${COMPARE_STARTS} starts with ${COMPARE_ROUNDS} interleaved rounds each`,
  )
  const environment = await openBenchEnvironment(RESOLVER_DELAY_MS)
  try {
    const samples: Samples[] = []
    for (let start = 0; start < COMPARE_STARTS; start++) {
      console.log(`… start ${start + 1} of ${COMPARE_STARTS}`)
      samples.push(await measureStart(environment, otherMain, start % 2 === 1))
    }
    const names = Object.keys(ROWS) as (keyof typeof ROWS)[]
    const rows = Object.fromEntries(names.map((name) => [name, toRow(name, samples)]))
    console.table(rows)
    const { maxCpuRatio, minThroughputRatio } = COMPARE_TARGETS
    printTarget(
      `CPU ≤ ${maxCpuRatio} ×, responses per CPU second ≥ ${minThroughputRatio} × the other build`,
      Object.entries(rows).map(([name, { met }]) => [name, met]),
    )
  } finally {
    await environment.stop()
  }
}

const ROWS = {
  'CPU per /v1/check, ms': { digits: 3, limit: 'max' },
  'CPU per DNS query, µs': { digits: 1, limit: 'max' },
  '402 per CPU second': { digits: 0, limit: 'min' },
  '429 per CPU second': { digits: 0, limit: 'min' },
} as const

type Samples = Record<keyof typeof ROWS, Values>

/** New processes, as two starts of the same build differ by more than the limit. */
async function measureStart(
  environment: BenchEnvironment,
  otherMain: string,
  isOtherFirst: boolean,
): Promise<Samples> {
  const mains = [SERVICE_MAIN, otherMain]
  const started: Build[] = []
  for (const main of isOtherFirst ? mains.toReversed() : mains) {
    started.push(await startBuild(environment, main))
  }
  const [ours, other] = (isOtherFirst ? started.toReversed() : started) as [Build, Build]
  const checkMs = await compare(ours, other, async ({ service }) => {
    const load = await loadChecks([service], COMPARE_REQUESTS.checks, CHECKS_IN_FLIGHT)
    return load.cpuMs
  })
  const ourQueries = await queriesPerCheck(ours.service)
  const otherQueries = await queriesPerCheck(other.service)
  const samples = {
    'CPU per /v1/check, ms': checkMs,
    'CPU per DNS query, µs': {
      ours: checkMs.ours.map((ms) => (ms / ourQueries) * 1_000),
      other: checkMs.other.map((ms) => (ms / otherQueries) * 1_000),
    },
    '402 per CPU second': await compareRates(ours, other, PAID_PATH, [402]),
    // The limit allows one request per minute.
    '429 per CPU second': await compareRates(ours, other, FREE_PATH, [429, 200]),
  }
  const servers = started.flatMap(({ service, limited }) => [service, limited])
  await Promise.all(servers.map((server) => server.stop()))
  return samples
}

interface Build {
  readonly service: MeasuredServer
  /** Allows one free request per minute. */
  readonly limited: MeasuredServer
}

async function startBuild(environment: BenchEnvironment, main: string): Promise<Build> {
  const service = await environment.startService(RAISED_LIMITS, main)
  const limited = await environment.startService({ RATE_LIMIT_PER_MINUTE: '1' }, main)
  await warmUpChecks(service, COMPARE_REQUESTS.warmUp)
  return { service, limited }
}

async function queriesPerCheck(service: MeasuredServer): Promise<number> {
  const domains = BENCH_DOMAINS.slice(0, BENCH_ZONES.length)
  const reports = await Promise.all(domains.map((domain) => requestCheck(service, domain)))
  return reports.reduce((sum, { meta }) => sum + meta.dnsQueries, 0) / domains.length
}

function compareRates(
  ours: Build,
  other: Build,
  path: string,
  statuses: readonly number[],
): Promise<Values> {
  return compare(ours, other, ({ limited }) =>
    shortResponsesPerCpuSecond(limited, path, statuses, COMPARE_REQUESTS.short),
  )
}

type Values = Record<'ours' | 'other', readonly number[]>

function compare(
  ours: Build,
  other: Build,
  measure: (build: Build) => Promise<number>,
): Promise<Values> {
  /** On a busy machine, a DNS timeout would otherwise end the run. */
  const measureAgain = (build: Build) =>
    measure(build).catch((error) => {
      console.warn(`Repeating a round: ${error}`)
      return measure(build)
    })
  return runInterleaved(
    { ours: () => measureAgain(ours), other: () => measureAgain(other) },
    COMPARE_ROUNDS,
  )
}

function toRow(name: keyof typeof ROWS, samples: readonly Samples[]) {
  const { digits, limit } = ROWS[name]
  const ours = samples.flatMap((sample) => sample[name].ours)
  const other = samples.flatMap((sample) => sample[name].other)
  const ratios = ours.map((value, round) => value / (other[round] ?? Number.NaN))
  const ratio = roundTo(median(ratios), 3)
  const [low, high] = [percentile(ratios, 0.25), percentile(ratios, 0.75)]
  const { maxCpuRatio, minThroughputRatio } = COMPARE_TARGETS
  return {
    'this build': roundTo(median(ours), digits),
    'other build': roundTo(median(other), digits),
    ratio,
    'p25 to p75': `${low.toFixed(2)} to ${high.toFixed(2)}`,
    target: limit === 'max' ? `≤ ${maxCpuRatio}` : `≥ ${minThroughputRatio}`,
    met: limit === 'max' ? ratio <= maxCpuRatio : ratio >= minThroughputRatio,
  }
}
