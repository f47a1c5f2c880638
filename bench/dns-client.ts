/** Asks the same questions in three ways, in turns, and prints what each one costs. */
import { connect } from 'node:http2'
import { createDohDns } from '@mailgrade/doh'
import type { EncodedQuery } from '../packages/doh/src/wire/encode-query.js'
import { BENCH_QUERIES, dohPath } from './dns-queries.js'

const QUESTIONS_PER_ROUND = 4_000
/** The machine is shared, and noise only ever adds: what each contestant can do shows in its best round. */
const ROUNDS = 9
const IN_FLIGHT = [1, 10, 50]

type Ask = (question: EncodedQuery) => Promise<unknown>

const origin = `https://localhost:${process.env.BENCH_PORT}`
const session = connect(origin)
const dns = createDohDns({ urls: [new URL(`${origin}/dns-query`)] })

const CONTESTANTS: Record<string, Ask> = {
  Mailgrade: ({ name }) => dns.query(name, 'TXT'),
  'node:http2': (question) =>
    new Promise((resolve, reject) => {
      const stream = session.request({
        ':path': dohPath(question),
        accept: 'application/dns-message',
      })
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => resolve(Buffer.concat(chunks)))
      stream.on('error', reject)
    }),
  fetch: async (question) => {
    const response = await fetch(origin + dohPath(question), {
      headers: { accept: 'application/dns-message' },
    })
    return response.arrayBuffer()
  },
}

interface Cost {
  perSecond: number
  cpuMicroseconds: number
}

async function measure(ask: Ask, inFlight: number): Promise<Cost> {
  let asked = 0
  const worker = async () => {
    while (asked < QUESTIONS_PER_ROUND) {
      const question = BENCH_QUERIES[asked++ % BENCH_QUERIES.length]
      if (question) await ask(question)
    }
  }
  const startedAt = performance.now()
  const cpuBefore = process.cpuUsage()
  await Promise.all(Array.from({ length: inFlight }, worker))
  const { user, system } = process.cpuUsage(cpuBefore)
  return {
    perSecond: (QUESTIONS_PER_ROUND / (performance.now() - startedAt)) * 1_000,
    cpuMicroseconds: (user + system) / QUESTIONS_PER_ROUND,
  }
}

for (const { name } of BENCH_QUERIES) {
  const answer = await dns.query(name, 'TXT')
  if (answer.kind !== 'records') throw new Error(`${name}: ${JSON.stringify(answer)}`)
}

console.log(
  `\nDNS over HTTPS, ${QUESTIONS_PER_ROUND} questions × ${ROUNDS} rounds in turns, the best of each`,
)
for (const inFlight of IN_FLIGHT) {
  const costs = Object.fromEntries(Object.keys(CONTESTANTS).map((name) => [name, [] as Cost[]]))
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [name, ask] of Object.entries(CONTESTANTS)) {
      const cost = await measure(ask, inFlight)
      // The first round only warms up.
      if (round > 0) costs[name]?.push(cost)
    }
  }
  const perSecond = (name: string) => Math.max(...(costs[name] ?? []).map((cost) => cost.perSecond))
  const cpu = (name: string) => Math.min(...(costs[name] ?? []).map((cost) => cost.cpuMicroseconds))
  console.log(`\n${inFlight} in flight`)
  console.table(
    Object.fromEntries(
      Object.keys(CONTESTANTS).map((name) => [
        name,
        {
          'questions/s': Math.round(perSecond(name)),
          '× fetch': (perSecond(name) / perSecond('fetch')).toFixed(2),
          'CPU µs': Math.round(cpu(name)),
          '× node:http2': (cpu(name) / cpu('node:http2')).toFixed(2),
        },
      ]),
    ),
  )
}
console.log(
  'Aim at 10 in flight: at least 2.5 × fetch’s throughput, at most 1.3 × node:http2’s CPU',
)
session.close()
dns.close()
