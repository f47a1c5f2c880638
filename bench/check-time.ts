/** How long a check takes, one domain at a time. */
import type { AbortableDns } from '@mailgrade/doh/dns'
import { AIMS, aimMs, DELAY_MS, limitMs } from './check-aims.js'
import { askInSequence, askService, checkSpfAndDmarc, domainName } from './check-contestants.js'
import { askMailauth } from './check-mailauth.js'
import { inTurns, median, rounded, tellAim } from './check-turns.js'
import type { VerifiedZone } from './check-verify.js'
import { copyOf, ZONES } from './check-zones.js'
import type { Server } from './stand.js'

const ROUNDS = 9
/** A service in use runs compiled code; the first few hundred checks do not. */
const WARM_UP_COPIES = 40

export async function benchTime(
  zones: readonly VerifiedZone[],
  service: Server,
  dns: AbortableDns,
): Promise<void> {
  console.log(
    `\nA check with ${DELAY_MS} ms per question, medians of ${ROUNDS} rounds in turns, in ms`,
  )
  await warmUp(service, dns)
  const rows: Record<string, TimeRow> = {}
  for (const zone of zones) rows[zone.name] = await timeOf(zone, service, dns)
  console.table(rows)
  console.log(`A question by itself takes ${rounded(await oneQuestion(dns))} ms`)
  for (const { name, depth, rounds } of zones) {
    if (rounds > depth) console.warn(`${name} waits ${rounds} times where ${depth} would do`)
  }
  tellAims(Object.entries(rows))
}

async function warmUp(service: Server, dns: AbortableDns): Promise<void> {
  for (let index = 0; index < WARM_UP_COPIES; index++) {
    const subjects = ZONES.map((zone) => copyOf(zone, index).subject)
    await Promise.all(subjects.map((subject) => askService(service, subject)))
    await Promise.all(subjects.map((subject) => checkSpfAndDmarc(dns, domainName(subject))))
    await Promise.all(subjects.map((subject) => askMailauth(dns, subject)))
  }
}

type TimeRow = Awaited<ReturnType<typeof timeOf>>

async function timeOf(zone: VerifiedZone, service: Server, dns: AbortableDns) {
  const { subject, questions, depth, rounds } = zone
  const domain = domainName(subject)
  const times = await inTurns(
    {
      ours: () => elapsed(() => askService(service, subject)),
      sequence: () => elapsed(() => askInSequence(dns, questions)),
      spfAndDmarc: () => elapsed(() => checkSpfAndDmarc(dns, domain)),
      mailauth: () => elapsed(() => askMailauth(dns, subject)),
    },
    ROUNDS,
  )
  const ours = median(times.ours)
  const sequence = median(times.sequence)
  const spfAndDmarc = median(times.spfAndDmarc)
  const mailauth = median(times.mailauth)
  return {
    questions: questions.length,
    depth,
    rounds,
    limit: limitMs(depth),
    aim: aimMs(depth),
    ours: rounded(ours),
    // Noise only ever adds.
    best: rounded(Math.min(...times.ours)),
    '× limit': rounded(ours / limitMs(depth), 2),
    sequence: rounded(sequence),
    '× faster': rounded(sequence / ours),
    'SPF+DMARC': rounded(spfAndDmarc),
    mailauth: rounded(mailauth),
    '× mailauth': rounded(mailauth / spfAndDmarc),
  }
}

async function oneQuestion(dns: AbortableDns): Promise<number> {
  const { alone } = await inTurns({ alone: () => elapsed(() => dns.ask('.', 'NS')) }, ROUNDS)
  return median(alone)
}

async function elapsed(run: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await run()
  return performance.now() - startedAt
}

function tellAims(rows: [string, TimeRow][]): void {
  tellAim(
    'at most 1.25 × limit + 5 ms',
    rows.map(([name, { ours, aim }]) => [name, ours <= aim]),
  )
  tellAim(
    `at least ${AIMS.timesSequence} times faster than in sequence`,
    rows.map(([name, row]) => [name, row['× faster'] >= AIMS.timesSequence]),
  )
}
