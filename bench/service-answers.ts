/** Short answers, which callers can have for nothing: 402 and 429, beside bare Hono. */

import type { BenchEnvironment, MeasuredServer } from './bench-environment.js'
import { CHECK_TARGETS } from './bench-targets.js'
import { runHttpLoad } from './drive.js'
import { openBenchConnection } from './http-load.js'
import { median, runInterleaved } from './measure.js'
import { comparedWith, type ServiceRow, serviceRow } from './service-row.js'

const FREE = '/v1/mx?domain=flat-0.test'
const PAID = '/v1/score?domain=flat-0.test'
const REQUESTS = 10_000
const IN_FLIGHT = 64
const ROUNDS = 3

/** What every server of Node sends by itself. */
const OWN_HEADERS = /^(date|connection|keep-alive|content-length|transfer-encoding)$/i

export async function shortResponseRows(stand: BenchEnvironment): Promise<ServiceRow[]> {
  const service = await stand.startService({ RATE_LIMIT_PER_MINUTE: '1' })
  await raw(service, FREE)
  const bare = await stand.startBareHono({
    '/402': constantOf(await raw(service, PAID)),
    '/429': constantOf(await raw(service, FREE)),
  })
  const ask =
    (server: MeasuredServer, path: string, ...statuses: number[]) =>
    async () => {
      const paths = Array.from({ length: REQUESTS }, () => path)
      const { cpuMs } = await runHttpLoad({
        servers: [server],
        paths,
        inFlight: IN_FLIGHT,
        statuses,
      })
      return 1_000 / cpuMs
    }
  const rates = await runInterleaved(
    {
      paid: ask(service, PAID, 402),
      // Once a minute one is answered.
      limited: ask(service, FREE, 429, 200),
      bare402: ask(bare, '/402', 402),
      bare429: ask(bare, '/429', 429),
      short: ask(bare, '/short', 200),
    },
    ROUNDS,
  )
  const { paid, limited, bare402, bare429, short } = rates
  await service.stop()
  await bare.stop()
  return [
    compared('402 per second of CPU time, beside bare Hono with the same', paid, bare402),
    compared('429 per second of CPU time, beside bare Hono with the same', limited, bare429),
    comparedWith(serviceRow('402, beside bare Hono with 15 octets', median(paid)), median(short)),
    comparedWith(
      serviceRow('429, beside bare Hono with 15 octets', median(limited)),
      median(short),
    ),
  ]
}

/** CPU time of the least that a server can do here: what machines can be told apart by. */
export async function shortResponseCpuMs(stand: BenchEnvironment): Promise<number> {
  const bare = await stand.startBareHono({})
  const paths = Array.from({ length: REQUESTS }, () => '/short')
  const ask = () => runHttpLoad({ servers: [bare], paths, inFlight: IN_FLIGHT, statuses: [200] })
  await ask()
  const { cpuMs } = await ask()
  await bare.stop()
  return cpuMs
}

function compared(what: string, ours: readonly number[], bare: readonly number[]): ServiceRow {
  const both = comparedWith(serviceRow(what, median(ours)), median(bare))
  return {
    ...both,
    aim: `ratio ≥ ${CHECK_TARGETS.shareOfBareHono}`,
    met: both.ratio >= CHECK_TARGETS.shareOfBareHono,
  }
}

async function raw({ port }: MeasuredServer, path: string): Promise<string> {
  const line = await openBenchConnection(port)
  const { head, body } = await line.send(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`)
  line.close()
  return head + body
}

/** The same answer, to be given without a thought. */
function constantOf(answer: string) {
  const bodyAt = answer.indexOf('\r\n\r\n') + 4
  const [first = '', ...lines] = answer.slice(0, bodyAt - 4).split('\r\n')
  const headers = lines.map((line) => {
    const at = line.indexOf(':')
    return [line.slice(0, at), line.slice(at + 1).trim()] as const
  })
  return {
    status: Number(first.slice(9, 12)),
    headers: Object.fromEntries(headers.filter(([name]) => !OWN_HEADERS.test(name))),
    body: Buffer.from(answer.slice(bodyAt), 'latin1').toString(),
  }
}
