/** A fix plan of this build and of the build in another checkout, by turns in one process. */
import { resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import type { AbortableDns } from 'mailgrade'
import { PLAN_TARGETS, RESOLVER_DELAY_MS } from './bench-targets.js'
import { benchDomains, benchZoneText } from './bench-zones.js'
import { median, percentile, printTarget, roundTo, runInterleaved } from './measure.js'

type Library = typeof import('mailgrade')

/** Each round plans every setup this often. */
const COPIES = 3
const ROUNDS = 15

export async function benchPlan(checkout: string | undefined): Promise<void> {
  if (!checkout) throw new Error('usage: npm run bench -- plan <path of a built checkout>')
  const [ours, other] = await Promise.all(['.', checkout].map(loadLibrary))
  if (!ours || !other) throw new Error('a build is missing')
  console.log(`\nFix plans of eight mail setups, medians of ${ROUNDS} interleaved rounds`)
  const rows = {
    'CPU per plan, ms': await compare(ours, other, cpuPerPlan),
    [`latency per plan, ms (resolver ${RESOLVER_DELAY_MS} ms away)`]: await compare(
      ours,
      other,
      latencyPerPlan,
    ),
  }
  console.table(rows)
  printTarget(
    `≤ ${PLAN_TARGETS.maxRatio} × the other build`,
    Object.entries(rows).map(([name, { ratio }]) => [name, ratio <= PLAN_TARGETS.maxRatio]),
  )
}

function loadLibrary(folder: string): Promise<Library> {
  return import(pathToFileURL(resolve(folder, 'packages/cli/dist/index.js')).href)
}

async function compare(
  ours: Library,
  other: Library,
  measure: (library: Library) => Promise<number>,
) {
  const runs = { ours: () => measure(ours), other: () => measure(other) }
  const { ours: our, other: their } = await runInterleaved(runs, ROUNDS)
  const ratios = our.map((value, round) => value / (their[round] ?? Number.NaN))
  return {
    'this build': roundTo(median(our), 2),
    'other build': roundTo(median(their), 2),
    ratio: roundTo(median(ratios), 3),
    'p25 to p75': `${percentile(ratios, 0.25).toFixed(2)} to ${percentile(ratios, 0.75).toFixed(2)}`,
  }
}

const DOMAINS = benchDomains(COPIES)

async function cpuPerPlan(library: Library): Promise<number> {
  const dns = library.createZoneDns('zone', benchZoneText(COPIES))
  const before = process.cpuUsage()
  for (const domain of DOMAINS) await planOf(library, domain, dns)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000 / DOMAINS.length
}

async function latencyPerPlan(library: Library): Promise<number> {
  const zone = library.createZoneDns('zone', benchZoneText(COPIES))
  const query = library.toQueryMethod(async (name, type) => {
    await setTimeout(RESOLVER_DELAY_MS)
    return zone.query(name, type)
  })
  const dns = { query }
  const startedAt = performance.now()
  for (const domain of DOMAINS.slice(0, DOMAINS.length / COPIES)) {
    await planOf(library, domain, dns)
  }
  return (performance.now() - startedAt) / (DOMAINS.length / COPIES)
}

/** A plan that failed would be fast. */
async function planOf(library: Library, domain: string, dns: AbortableDns): Promise<void> {
  const { kind } = await library.planDomain(domain, { dns })
  if (kind !== 'report') throw new Error(`no plan for ${domain} but ${kind}`)
}
