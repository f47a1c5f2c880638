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
} from './bench-service.js'
import {
  CHECKS_IN_FLIGHT,
  COMPARE_ROUNDS,
  COMPARE_TARGETS,
  RESOLVER_DELAY_MS,
} from './bench-targets.js'
import { BENCH_DOMAINS } from './bench-zones.js'
import { requestCheck } from './check-contestants.js'
import { median, medianRatio, printTarget, roundTo, runInterleaved } from './measure.js'

const CHECKS_PER_ROUND = 800
const WARM_UP_CHECKS = 1_600

/** Where a build has its entry file, today and before the split into packages. */
const ENTRY_FILES = ['packages/server/dist/main.js', 'dist/main.js']

export async function benchCompare(checkout: string | undefined): Promise<void> {
  if (!checkout) throw new Error('usage: npm run bench -- compare <path of a built checkout>')
  const folder = resolve(checkout)
  const otherMain = ENTRY_FILES.map((file) => join(folder, file)).find(existsSync)
  if (!otherMain) throw new Error(`${folder} has no build; run "npm run build" there first`)
  console.log(
    `\nThis build and ${folder}, both on one core, resolver ${RESOLVER_DELAY_MS} ms away, medians of ${COMPARE_ROUNDS} interleaved rounds`,
  )
  const environment = await openBenchEnvironment(RESOLVER_DELAY_MS)
  try {
    const ours = await startBuild(environment, SERVICE_MAIN)
    const other = await startBuild(environment, otherMain)
    const rows = {
      ...(await checkRows(ours, other)),
      '402 per CPU second': await rateRow(ours, other, PAID_PATH, 402),
      // The limit allows one request per minute.
      '429 per CPU second': await rateRow(ours, other, FREE_PATH, 429, 200),
    }
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

interface Build {
  readonly service: MeasuredServer
  /** Allows one free request per minute. */
  readonly limited: MeasuredServer
}

async function startBuild(environment: BenchEnvironment, main: string): Promise<Build> {
  const service = await environment.startService(RAISED_LIMITS, main)
  const limited = await environment.startService({ RATE_LIMIT_PER_MINUTE: '1' }, main)
  await loadChecks([service], WARM_UP_CHECKS, CHECKS_IN_FLIGHT)
  return { service, limited }
}

async function checkRows(ours: Build, other: Build) {
  const load = ({ service }: Build) => loadChecks([service], CHECKS_PER_ROUND, CHECKS_IN_FLIGHT)
  const samples = await runInterleaved(
    { ours: () => load(ours), other: () => load(other) },
    COMPARE_ROUNDS,
  )
  const cpu = {
    ours: samples.ours.map(({ cpuMs }) => cpuMs),
    other: samples.other.map(({ cpuMs }) => cpuMs),
  }
  const queries = {
    ours: await queriesPerCheck(ours.service),
    other: await queriesPerCheck(other.service),
  }
  const perQuery = {
    ours: cpu.ours.map((ms) => (ms / queries.ours) * 1_000),
    other: cpu.other.map((ms) => (ms / queries.other) * 1_000),
  }
  return {
    'CPU per /v1/check, ms': cpuRow(cpu.ours, cpu.other, 3),
    'CPU per DNS query, µs': cpuRow(perQuery.ours, perQuery.other, 1),
  }
}

async function queriesPerCheck(service: MeasuredServer): Promise<number> {
  let queries = 0
  for (const domain of BENCH_DOMAINS.slice(0, 8)) {
    queries += (await requestCheck(service, domain)).meta.dnsQueries
  }
  return queries / 8
}

async function rateRow(ours: Build, other: Build, path: string, ...statuses: number[]) {
  const load = ({ limited }: Build) => shortResponsesPerCpuSecond(limited, path, ...statuses)
  const rates = await runInterleaved(
    { ours: () => load(ours), other: () => load(other) },
    COMPARE_ROUNDS,
  )
  const { minThroughputRatio } = COMPARE_TARGETS
  const ratio = roundTo(medianRatio(rates.ours, rates.other), 3)
  return {
    ...medians(rates.ours, rates.other, 0),
    ratio,
    target: `≥ ${minThroughputRatio}`,
    met: ratio >= minThroughputRatio,
  }
}

function cpuRow(ours: readonly number[], other: readonly number[], digits: number) {
  const { maxCpuRatio } = COMPARE_TARGETS
  const ratio = roundTo(medianRatio(ours, other), 3)
  return {
    ...medians(ours, other, digits),
    ratio,
    target: `≤ ${maxCpuRatio}`,
    met: ratio <= maxCpuRatio,
  }
}

function medians(ours: readonly number[], other: readonly number[], digits: number) {
  return {
    'this build': roundTo(median(ours), digits),
    'other build': roundTo(median(other), digits),
  }
}
