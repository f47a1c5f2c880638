/** A resolver that sends hostile records, invalid messages, partial responses or none. */
import {
  compressionPointer,
  encodeRawMessage,
  encodeRawQuestion,
  encodeRawRecord,
  encodeResponse,
  WIRE_TYPES,
} from '@mailgrade/testing/dns-message'
import { type DohExchange, type DohServer, startDohServer } from '@mailgrade/testing/doh-server'
import type { TestCertificate } from '@mailgrade/testing/server-directory'
import { createFuzzRandom, type FuzzRandom } from './fuzz-random.js'
import { hostileRecords } from './hostile-records.js'

const ROOT = encodeResponse('NS .', {
  answers: [{ type: 'NS', name: '.', data: 'a.root.test', ttl: 60 }],
})

type Respond = (exchange: DohExchange, random: FuzzRandom) => void

const MAX_TEXT = Buffer.concat([Buffer.of(255), Buffer.alloc(255, 'v=spf1 include:bomb.test ')])

function plausibleAnswer({ query }: DohExchange, random: FuzzRandom): Buffer {
  const [type = 'A', name = '.'] = query.split(' ')
  const answers = hostileRecords(name, type, random)
  const isFailure = isFailing(query) && random.integerBelow(4) === 0
  const rcode = isFailure ? random.pick([2, 5]) : answers.length > 0 ? 0 : random.pick([0, 3])
  try {
    return encodeResponse(query, { rcode, answers })
  } catch {
    // The encoder rejects some of the records.
    return encodeResponse(query)
  }
}

/** A valid header and question, followed by invalid records. */
function malformedRecords({ query }: DohExchange, random: FuzzRandom): Buffer {
  const [type = 'A', name = '.'] = query.split(' ')
  const code = WIRE_TYPES[type as keyof typeof WIRE_TYPES] ?? WIRE_TYPES.TXT
  const cnameLoop = encodeRawRecord({
    owner: compressionPointer(12),
    type: WIRE_TYPES.CNAME,
    data: compressionPointer(12),
  })
  const oversized = Array.from({ length: 230 }, () =>
    encodeRawRecord({ type: code, data: MAX_TEXT }),
  )
  const noise = Buffer.from(
    Array.from({ length: random.integerBelow(60) }, () => random.integerBelow(256)),
  )
  return encodeRawMessage({
    question: encodeRawQuestion(name.split('.'), code),
    answers: random.pick([
      [cnameLoop, cnameLoop],
      oversized,
      [encodeRawRecord({ type: code, data: noise })],
      [encodeRawRecord({ type: code, data: noise, length: random.integerBelow(65_536) })],
      [noise],
    ]),
    ...(random.integerBelow(3) === 0 && {
      counts: [1, random.integerBelow(65_536), random.integerBelow(9), 0],
    }),
  })
}

function corruptedAnswer(exchange: DohExchange, random: FuzzRandom): Buffer {
  const packet = Buffer.from(plausibleAnswer(exchange, random))
  for (let left = 1 + random.integerBelow(8); left > 0; left--)
    packet[random.integerBelow(packet.length)] = random.integerBelow(256)
  return packet.subarray(
    0,
    random.integerBelow(4) === 0 ? random.integerBelow(packet.length) : packet.length,
  )
}

function sendHttpError({ response }: DohExchange, random: FuzzRandom): void {
  // Rarely 429, as the service then skips the resolver for a while.
  const status = random.integerBelow(20) === 0 ? 429 : random.pick([204, 301, 400, 500, 501])
  response.writeHead(status, { 'retry-after': '1' }).end('<fz>')
}

const sendPlausible: Respond = (exchange, random) =>
  exchange.send(plausibleAnswer(exchange, random))
const FAILURES: readonly Respond[] = [
  ...Array.from({ length: 20 }, () => sendPlausible),
  (exchange, random) => exchange.send(corruptedAnswer(exchange, random)),
  (exchange, random) => exchange.send(corruptedAnswer(exchange, random)),
  (exchange, random) => exchange.send(malformedRecords(exchange, random)),
  (exchange, random) => exchange.send(malformedRecords(exchange, random)),
  sendHttpError,
  ({ request }) => request.socket.destroy(),
  // Never ends.
  (exchange) => void exchange.startResponse().write(exchange.packet.subarray(0, 5)),
  (exchange) => exchange.send(Buffer.alloc(100_000, 0xc0)),
]

/** Targets of most hostile records. */
const SHARED_DOMAINS = ['bomb.test', 'other.test', 'loop.test']

/** A quarter of the domains. The others must work, so their records are evaluated. */
function isFailing(query: string): boolean {
  const domain = query.replace(/^\w+ /, '').split('.').slice(-2).join('.')
  return !SHARED_DOMAINS.includes(domain) && createFuzzRandom(domain).integerBelow(4) === 0
}

/** HTTP/1.1, with or without TLS: the HTTP/2 server of Node 20 crashes the process under this load. */
export async function startHostileDns(certificate?: TestCertificate): Promise<DohServer> {
  const protocol = certificate ? 'http/1.1 over TLS' : 'http/1.1'
  const server = await startDohServer('', protocol, certificate)
  server.respond = (exchange) => {
    // The health check of the service.
    if (exchange.query === 'NS .') return exchange.send(ROOT)
    const random = createFuzzRandom(exchange.query)
    const respond = isFailing(exchange.query) ? random.pick(FAILURES) : sendPlausible
    respond(exchange, random)
  }
  return server
}
