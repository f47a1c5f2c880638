/** A resolver that lies, breaks off, says nothing, or tells what nobody should publish. */

import type { TestCertificate } from '@mailgrade/testing/certificate'
import {
  pointerTo,
  rawMessage,
  rawQuestion,
  rawRecord,
  response,
  TYPES,
} from '@mailgrade/testing/dns-message'
import { type DohServer, type Exchange, startDohServer } from '@mailgrade/testing/doh-server'
import { type Dice, diceFor } from './dice.js'
import { recordsFor } from './hostile-records.js'

const ROOT = response('NS .', {
  answers: [{ type: 'NS', name: '.', data: 'a.root.test', ttl: 60 }],
})

type Reply = (exchange: Exchange, dice: Dice) => void

const MAX_TEXT = Buffer.concat([Buffer.of(255), Buffer.alloc(255, 'v=spf1 include:bomb.test ')])

function plausible({ question }: Exchange, dice: Dice): Buffer {
  const [type = 'A', name = '.'] = question.split(' ')
  const answers = recordsFor(name, type, dice)
  const isFailure = isInTrouble(question) && dice.roll(4) === 0
  const rcode = isFailure ? dice.pick([2, 5]) : answers.length > 0 ? 0 : dice.pick([0, 3])
  try {
    return response(question, { rcode, answers })
  } catch {
    // Not even the encoder would have it.
    return response(question)
  }
}

/** The answer's head and question are right; what follows is not. */
function crooked({ question }: Exchange, dice: Dice): Buffer {
  const [type = 'A', name = '.'] = question.split(' ')
  const code = TYPES[type as keyof typeof TYPES] ?? TYPES.TXT
  const loop = rawRecord({ owner: pointerTo(12), type: TYPES.CNAME, data: pointerTo(12) })
  const huge = Array.from({ length: 230 }, () => rawRecord({ type: code, data: MAX_TEXT }))
  const random = Buffer.from(Array.from({ length: dice.roll(60) }, () => dice.roll(256)))
  return rawMessage({
    question: rawQuestion(name.split('.'), code),
    answers: dice.pick([
      [loop, loop],
      huge,
      [rawRecord({ type: code, data: random })],
      [rawRecord({ type: code, data: random, length: dice.roll(65_536) })],
      [random],
    ]),
    ...(dice.roll(3) === 0 && { counts: [1, dice.roll(65_536), dice.roll(9), 0] }),
  })
}

function mangled(exchange: Exchange, dice: Dice): Buffer {
  const packet = Buffer.from(plausible(exchange, dice))
  for (let left = 1 + dice.roll(8); left > 0; left--)
    packet[dice.roll(packet.length)] = dice.roll(256)
  return packet.subarray(0, dice.roll(4) === 0 ? dice.roll(packet.length) : packet.length)
}

function refuse({ response }: Exchange, dice: Dice): void {
  // Rarely, for after it nobody is asked anything for a while.
  const status = dice.roll(20) === 0 ? 429 : dice.pick([204, 301, 400, 500, 501])
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
  (exchange) => void exchange.begin().write(exchange.packet.subarray(0, 5)),
  (exchange) => exchange.send(Buffer.alloc(100_000, 0xc0)),
]

/** Where all others lead. */
const COMMON = ['bomb.test', 'other.test', 'loop.test']

/** Most domains are reached without trouble, so that somebody reads what they publish. */
function isInTrouble(question: string): boolean {
  const domain = question.replace(/^\w+ /, '').split('.').slice(-2).join('.')
  return !COMMON.includes(domain) && diceFor(domain).roll(4) === 0
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
    if (exchange.question === 'NS .') return exchange.send(ROOT)
    const dice = diceFor(exchange.question)
    const reply = isInTrouble(exchange.question) ? dice.pick(TROUBLE) : plainly
    reply(exchange, dice)
  }
  return server
}
