/** Short answers, which callers can have for nothing: 402 and 429, beside bare Hono. */
import { AIMS } from './check-aims.js'
import { inTurns, median } from './check-turns.js'
import { drive } from './drive.js'
import { openLine } from './pay-line.js'
import { beside, type Row, row } from './service-row.js'
import type { Server, Stand } from './stand.js'

const FREE = '/v1/mx?domain=flat-0.test'
const PAID = '/v1/score?domain=flat-0.test'
const REQUESTS = 10_000
const IN_FLIGHT = 64
const ROUNDS = 3

/** What every server of Node sends by itself. */
const OWN_HEADERS = /^(date|connection|keep-alive|content-length|transfer-encoding)$/i

export async function answerRows(stand: Stand): Promise<Row[]> {
  const service = await stand.startService({ RATE_LIMIT_PER_MINUTE: '1' })
  await raw(service, FREE)
  const bare = await stand.startBare({
    '/402': constantOf(await raw(service, PAID)),
    '/429': constantOf(await raw(service, FREE)),
  })
  const ask =
    (server: Server, path: string, ...statuses: number[]) =>
    async () => {
      const paths = Array.from({ length: REQUESTS }, () => path)
      const { cpuMs } = await drive({ servers: [server], paths, inFlight: IN_FLIGHT, statuses })
      return 1_000 / cpuMs
    }
  const rates = await inTurns(
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
    beside(row('402, beside bare Hono with 15 octets', median(paid)), median(short)),
    beside(row('429, beside bare Hono with 15 octets', median(limited)), median(short)),
  ]
}

/** CPU time of the least that a server can do here: what machines can be told apart by. */
export async function shortAnswerMs(stand: Stand): Promise<number> {
  const bare = await stand.startBare({})
  const paths = Array.from({ length: REQUESTS }, () => '/short')
  const ask = () => drive({ servers: [bare], paths, inFlight: IN_FLIGHT, statuses: [200] })
  await ask()
  const { cpuMs } = await ask()
  await bare.stop()
  return cpuMs
}

function compared(what: string, ours: readonly number[], bare: readonly number[]): Row {
  const both = beside(row(what, median(ours)), median(bare))
  return { ...both, aim: `ratio ≥ ${AIMS.timesBare}`, met: both.ratio >= AIMS.timesBare }
}

async function raw({ port }: Server, path: string): Promise<string> {
  const line = await openLine(port)
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
