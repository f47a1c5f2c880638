/** Full checks of many domains: how many, what they cost, how long they take. */
import { AIMS, aimMs, limitMs } from './check-aims.js'
import { COPIES, copyOf, ZONES } from './check-zones.js'
import { type Driven, drive } from './drive.js'
import { atLeast, atMost, beside, type Row, row } from './service-row.js'
import type { Server, Stand } from './stand.js'

const IN_FLIGHT = 50
const GROWTH = [1, 10, 50, 200, 500]
const MEMORY = [1, 50, 500]
/** More at once than an operator would allow, and time for all of them. */
export const WIDE_OPEN = { MAX_CONCURRENT_REPORTS: '1000', DNS_TIMEOUT_MS: '60000' }

const MEGABYTE = 1024 * 1024

/** Distinct, so that no two in flight share their questions. */
const DOMAINS = Array.from({ length: COPIES }, (_, index) =>
  ZONES.map((zone) => copyOf(zone, index).subject),
).flat()

function checks(count: number): string[] {
  return Array.from({ length: count }, (_, index) => {
    const domain = DOMAINS[index % DOMAINS.length]
    return `/v1/check?domain=${domain}`
  })
}

function check(servers: readonly Server[], count: number, inFlight: number): Promise<Driven> {
  return drive({ servers, paths: checks(count), inFlight, statuses: [200] })
}

export async function checkRows(service: Server, shortAnswerMs: number): Promise<Row[]> {
  await check([service], 1_200, IN_FLIGHT)
  const { perSecond, cpuMs } = await check([service], 2_000, IN_FLIGHT)
  return [
    atLeast(row('/v1/check per second, one core', perSecond), AIMS.checksPerSecond),
    atMost(row('CPU per check, ms', cpuMs, 2), AIMS.cpuMs),
    row('/v1/check per second of CPU time', 1_000 / cpuMs),
    row('CPU per check, in short answers of bare Hono', cpuMs / shortAnswerMs),
  ]
}

/** The domain, its provider's record, and the records that includes. */
const DEPTH = 3

/** One at a time, of the first zone: Google Workspace. */
export async function latencyRow(service: Server): Promise<Row> {
  const [zone] = ZONES
  if (!zone) throw new Error('there is no zone')
  const paths = Array.from({ length: COPIES }, (_, index) => copyOf(zone, index).subject).map(
    (domain) => `/v1/check?domain=${domain}`,
  )
  const { medianMs } = await drive({ servers: [service], paths, inFlight: 1, statuses: [200] })
  const compared = beside(
    row('latency of a check, ms, beside depth × RTT', medianMs),
    limitMs(DEPTH),
  )
  return { ...compared, aim: `≤ ${aimMs(DEPTH)}`, met: medianMs <= aimMs(DEPTH) }
}

export async function growthRows(service: Server): Promise<Row[]> {
  const costs: [number, number][] = []
  for (const inFlight of GROWTH) {
    const { cpuMs } = await check([service], inFlight === 1 ? 100 : 1_000, inFlight)
    costs.push([inFlight, cpuMs])
  }
  const base = costs.find(([inFlight]) => inFlight === IN_FLIGHT)?.[1] ?? 1
  return costs.map(([inFlight, cpuMs]) =>
    beside(row(`CPU per check, ms, ${inFlight} in flight`, cpuMs, 2), base, 2),
  )
}

/** Of a process that has done nothing else. */
export async function memoryRows(stand: Stand): Promise<Row[]> {
  const rows: Row[] = []
  for (const inFlight of MEMORY) {
    const service = await stand.startService(WIDE_OPEN)
    const { rss: idle } = await service.usage()
    const { peak } = await check([service], 1_000, inFlight)
    const memory = row(`memory, MB, ${inFlight} in flight, beside idle`, peak.rss / MEGABYTE)
    rows.push(beside(memory, idle / MEGABYTE))
    await service.stop()
  }
  return rows
}

/** Both on the one core that is measured: what is compared is what a check costs. */
export async function processRows(one: Server, other: Server): Promise<Row[]> {
  await check([other], 1_200, IN_FLIGHT)
  const alone = await check([one], 1_500, IN_FLIGHT)
  const both = await check([one, other], 3_000, IN_FLIGHT * 2)
  const rate = row('/v1/check per second of CPU time, two processes', 1_000 / both.cpuMs)
  const compared = beside(rate, 1_000 / alone.cpuMs)
  return [{ ...compared, aim: `ratio ≥ ${AIMS.linear}`, met: compared.ratio >= AIMS.linear }]
}
