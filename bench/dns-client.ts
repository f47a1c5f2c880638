/** Sends the same queries with each client in turn and prints the cost per query. */
import { connect } from 'node:http2'
import { createDohDns } from '@mailgrade/doh'
import { openConnection } from '../packages/doh/src/open-connection.js'
import type { EncodedQuery } from '../packages/doh/src/wire/encode-query.js'
import { BENCH_QUERIES, dohPath } from './dns-queries.js'

const QUERIES_PER_ROUND = 4_000
/** The best round counts: noise on a shared machine only ever adds cost. */
const ROUNDS = 9
const IN_FLIGHT = [1, 10, 50]

type SendQuery = (query: EncodedQuery) => Promise<unknown>

const origin = `https://localhost:${process.env.BENCH_PORT}`
const urls = [new URL(`${origin}/dns-query`)]
const session = connect(origin)
const dns = createDohDns({ urls })
const transport = await openConnection(
  new URL(origin),
  { timeoutMs: 5_000, tls: {} },
  new AbortController().signal,
)

const CLIENTS: Record<string, SendQuery> = {
  createDohDns: ({ name }) => dns.query(name, 'TXT'),
  // The others only download the message. They do not decode it.
  'transport only': (query) =>
    new Promise((resolve) => transport.get(dohPath(query), { onResult: resolve })),
  'bare node:http2': (query) =>
    new Promise((resolve, reject) => {
      const stream = session.request({
        ':path': dohPath(query),
        accept: 'application/dns-message',
      })
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => resolve(Buffer.concat(chunks)))
      stream.on('error', reject)
    }),
  fetch: async (query) => {
    const response = await fetch(origin + dohPath(query), {
      headers: { accept: 'application/dns-message' },
    })
    return response.arrayBuffer()
  },
}

interface Cost {
  readonly perSecond: number
  readonly cpuMicroseconds: number
}

async function measure(sendQuery: SendQuery, inFlight: number): Promise<Cost> {
  let sent = 0
  const worker = async () => {
    while (sent < QUERIES_PER_ROUND) {
      const query = BENCH_QUERIES[sent++ % BENCH_QUERIES.length]
      if (query) await sendQuery(query)
    }
  }
  const startedAt = performance.now()
  const cpuBefore = process.cpuUsage()
  await Promise.all(Array.from({ length: inFlight }, worker))
  const { user, system } = process.cpuUsage(cpuBefore)
  return {
    perSecond: (QUERIES_PER_ROUND / (performance.now() - startedAt)) * 1_000,
    cpuMicroseconds: (user + system) / QUERIES_PER_ROUND,
  }
}

for (const { name } of BENCH_QUERIES) {
  const answer = await dns.query(name, 'TXT')
  if (answer.kind !== 'records') throw new Error(`${name}: ${JSON.stringify(answer)}`)
}

console.log(
  `\nDNS over HTTPS, ${QUERIES_PER_ROUND} queries × ${ROUNDS} rounds in turn, the best of each`,
)
for (const inFlight of IN_FLIGHT) {
  const costs = Object.fromEntries(Object.keys(CLIENTS).map((name) => [name, [] as Cost[]]))
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [name, sendQuery] of Object.entries(CLIENTS)) {
      const cost = await measure(sendQuery, inFlight)
      // The first round is a warm-up.
      if (round > 0) costs[name]?.push(cost)
    }
  }
  const perSecond = (name: string) => Math.max(...(costs[name] ?? []).map((cost) => cost.perSecond))
  const cpu = (name: string) => Math.min(...(costs[name] ?? []).map((cost) => cost.cpuMicroseconds))
  console.log(`\n${inFlight} in flight`)
  console.table(
    Object.fromEntries(
      Object.keys(CLIENTS).map((name) => [
        name,
        {
          'queries/s': Math.round(perSecond(name)),
          '× fetch': (perSecond(name) / perSecond('fetch')).toFixed(2),
          'CPU µs/query': cpu(name).toFixed(1),
          '× bare node:http2': (cpu(name) / cpu('bare node:http2')).toFixed(2),
        },
      ]),
    ),
  )
}
console.log(
  'Target for our client at 10 in flight: at least 2.5 × the throughput of fetch, at most 1.3 × the CPU time of bare node:http2',
)
session.close()
transport.close()
dns.close()
