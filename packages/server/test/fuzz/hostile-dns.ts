/** A resolver that lies, breaks off, says nothing, or tells what nobody should publish. */

import {
  compressionPointer,
  encodeRawMessage,
  encodeRawQuestion,
  encodeRawRecord,
  encodeResponse,
  WIRE_TYPES,
} from '@mailgrade/testing/dns-message'
import { type DohExchange, type DohServer, startDohServer } from '@mailgrade/testing/doh-server'
import type { TestCertificate } from '@mailgrade/testing/test-certificate'
import { createFuzzRandom, type FuzzRandom } from './fuzz-random.js'
import { hostileRecords } from './hostile-records.js'

const ROOT = encodeResponse('NS .', {
  answers: [{ type: 'NS', name: '.', data: 'a.root.test', ttl: 60 }],
})

type Reply = (exchange: DohExchange, dice: FuzzRandom) => void

const MAX_TEXT = Buffer.concat([Buffer.of(255), Buffer.alloc(255, 'v=spf1 include:bomb.test ')])

function plausible({ query }: DohExchange, dice: FuzzRandom): Buffer {
  const [type = 'A', name = '.'] = query.split(' ')
  const answers = hostileRecords(name, type, dice)
  const isFailure = isInTrouble(query) && dice.integerBelow(4) === 0
  const rcode = isFailure ? dice.pick([2, 5]) : answers.length > 0 ? 0 : dice.pick([0, 3])
  try {
    return encodeResponse(query, { rcode, answers })
  } catch {
    // Not even the encoder would have it.
    return encodeResponse(query)
  }
}

/** The answer's head and question are right; what follows is not. */
function crooked({ query }: DohExchange, dice: FuzzRandom): Buffer {
  const [type = 'A', name = '.'] = query.split(' ')
  const code = WIRE_TYPES[type as keyof typeof WIRE_TYPES] ?? WIRE_TYPES.TXT
  const loop = encodeRawRecord({
    owner: compressionPointer(12),
    type: WIRE_TYPES.CNAME,
    data: compressionPointer(12),
  })
  const huge = Array.from({ length: 230 }, () => encodeRawRecord({ type: code, data: MAX_TEXT }))
  const random = Buffer.from(
    Array.from({ length: dice.integerBelow(60) }, () => dice.integerBelow(256)),
  )
  return encodeRawMessage({
    question: encodeRawQuestion(name.split('.'), code),
    answers: dice.pick([
      [loop, loop],
      huge,
      [encodeRawRecord({ type: code, data: random })],
      [encodeRawRecord({ type: code, data: random, length: dice.integerBelow(65_536) })],
      [random],
    ]),
    ...(dice.integerBelow(3) === 0 && {
      counts: [1, dice.integerBelow(65_536), dice.integerBelow(9), 0],
    }),
  })
}

function mangled(exchange: DohExchange, dice: FuzzRandom): Buffer {
  const packet = Buffer.from(plausible(exchange, dice))
  for (let left = 1 + dice.integerBelow(8); left > 0; left--)
    packet[dice.integerBelow(packet.length)] = dice.integerBelow(256)
  return packet.subarray(
    0,
    dice.integerBelow(4) === 0 ? dice.integerBelow(packet.length) : packet.length,
  )
}

function refuse({ response }: DohExchange, dice: FuzzRandom): void {
  // Rarely, for after it nobody is asked anything for a while.
  const status = dice.integerBelow(20) === 0 ? 429 : dice.pick([204, 301, 400, 500, 501])
  response.writeHead(status, { 'retry-after': '1' }).end('<fz>')
}

const plainly: Reply = (exchange, dice) => exchange.send(plausible(exchange, dice))
const TROUBLE: readonly Reply[] = [
  ...Array.from({ length: 20 }, () => plainly),
  (exchange, dice) => exchange.send(mangled(exchange, dice)),
  (exchange, dice) => exchange.send(mangled(exchange, dice)),
  (exchange, dice) => exchange.send(crooked(exchange, dice)),
  (exchange, dice) => exchange.send(crooked(exchange, dice)),
  refuse,
  ({ request }) => request.socket.destroy(),
  // Begins and never ends.
  (exchange) => void exchange.startResponse().write(exchange.packet.subarray(0, 5)),
  (exchange) => exchange.send(Buffer.alloc(100_000, 0xc0)),
]

/** Where all others lead. */
const COMMON = ['bomb.test', 'other.test', 'loop.test']

/** Most domains are reached without trouble, so that somebody reads what they publish. */
function isInTrouble(question: string): boolean {
  const domain = question.replace(/^\w+ /, '').split('.').slice(-2).join('.')
  return !COMMON.includes(domain) && createFuzzRandom(domain).integerBelow(4) === 0
}

/**
 * Over HTTP/1.1, with TLS or without: the server of HTTP/2 that comes with Node 20 does not survive
 * a minute of this, and takes the whole process with it.
 */
export async function startHostileDns(certificate?: TestCertificate): Promise<DohServer> {
  const protocol = certificate ? 'http/1.1 over TLS' : 'http/1.1'
  const server = await startDohServer('', protocol, certificate)
  server.respond = (exchange) => {
    // By which the service finds out whether a resolver is alive.
    if (exchange.query === 'NS .') return exchange.send(ROOT)
    const dice = createFuzzRandom(exchange.query)
    const reply = isInTrouble(exchange.query) ? dice.pick(TROUBLE) : plainly
    reply(exchange, dice)
  }
  return server
}
