/** How long a check takes, one domain at a time. */
import type { AbortableDns } from '@mailgrade/doh/dns'
import type { MeasuredServer } from './bench-environment.js'
import {
  CHECK_TARGETS,
  latencyFloorMs,
  latencyTargetMs,
  RESOLVER_DELAY_MS,
} from './bench-targets.js'
import { BENCH_ZONES, copyZone } from './bench-zones.js'
import {
  checkSpfAndDmarc,
  mustParseDomain,
  querySequentially,
  requestCheck,
} from './check-contestants.js'
import { runMailauth } from './check-mailauth.js'
import type { VerifiedZone } from './check-verify.js'
import { median, printTarget, roundTo, runInterleaved } from './measure.js'

const ROUNDS = 9
/** A service in use runs compiled code; the first few hundred checks do not. */
const WARM_UP_COPIES = 40

export async function benchCheckLatency(
  zones: readonly VerifiedZone[],
  service: MeasuredServer,
  dns: AbortableDns,
): Promise<void> {
  console.log(
    `\nA check with ${RESOLVER_DELAY_MS} ms per question, medians of ${ROUNDS} rounds in turns, in ms`,
  )
  await warmUp(service, dns)
  const rows: Record<string, TimeRow> = {}
  for (const zone of zones) rows[zone.name] = await timeOf(zone, service, dns)
  console.table(rows)
  console.log(`A question by itself takes ${roundTo(await oneQuestion(dns))} ms`)
  for (const { name, depth, rounds } of zones) {
    if (rounds > depth) console.warn(`${name} waits ${rounds} times where ${depth} would do`)
  }
  tellAims(Object.entries(rows))
}

async function warmUp(service: MeasuredServer, dns: AbortableDns): Promise<void> {
  for (let index = 0; index < WARM_UP_COPIES; index++) {
    const subjects = BENCH_ZONES.map((zone) => copyZone(zone, index).checkedDomain)
    await Promise.all(subjects.map((subject) => requestCheck(service, subject)))
    await Promise.all(subjects.map((subject) => checkSpfAndDmarc(dns, mustParseDomain(subject))))
    await Promise.all(subjects.map((subject) => runMailauth(dns, subject)))
  }
}

type TimeRow = Awaited<ReturnType<typeof timeOf>>

async function timeOf(zone: VerifiedZone, service: MeasuredServer, dns: AbortableDns) {
  const { checkedDomain, queries, depth, rounds } = zone
  const domain = mustParseDomain(checkedDomain)
  const times = await runInterleaved(
    {
      ours: () => elapsed(() => requestCheck(service, checkedDomain)),
      sequence: () => elapsed(() => querySequentially(dns, queries)),
      spfAndDmarc: () => elapsed(() => checkSpfAndDmarc(dns, domain)),
      mailauth: () => elapsed(() => runMailauth(dns, checkedDomain)),
    },
    ROUNDS,
  )
  const ours = median(times.ours)
  const sequence = median(times.sequence)
  const spfAndDmarc = median(times.spfAndDmarc)
  const mailauth = median(times.mailauth)
  return {
    questions: queries.length,
    depth,
    rounds,
    limit: latencyFloorMs(depth),
    aim: latencyTargetMs(depth),
    ours: roundTo(ours),
    // Noise only ever adds.
    best: roundTo(Math.min(...times.ours)),
    '× limit': roundTo(ours / latencyFloorMs(depth), 2),
    sequence: roundTo(sequence),
    '× faster': roundTo(sequence / ours),
    'SPF+DMARC': roundTo(spfAndDmarc),
    mailauth: roundTo(mailauth),
    '× mailauth': roundTo(mailauth / spfAndDmarc),
  }
}

async function oneQuestion(dns: AbortableDns): Promise<number> {
  const { alone } = await runInterleaved(
    { alone: () => elapsed(() => dns.query('.', 'NS')) },
    ROUNDS,
  )
  return median(alone)
}

async function elapsed(run: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await run()
  return performance.now() - startedAt
}

function tellAims(rows: [string, TimeRow][]): void {
  printTarget(
    'at most 1.25 × limit + 5 ms',
    rows.map(([name, { ours, aim }]) => [name, ours <= aim]),
  )
  printTarget(
    `at least ${CHECK_TARGETS.speedupOverSequential} times faster than in sequence`,
    rows.map(([name, row]) => [name, row['× faster'] >= CHECK_TARGETS.speedupOverSequential]),
  )
}
