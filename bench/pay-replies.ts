/** Answers, and whether they are what was asked for. */
import { ok, strictEqual } from 'node:assert'
import type { PaymentRequired } from '@x402/core/types'
import { openLine, type Reply } from './pay-line.js'
import type { Contestant } from './pay-load.js'

/** One answer, outside of any measurement. */
export async function ask({ server, requests, verify }: Contestant): Promise<Reply> {
  const [request = ''] = await requests(1)
  const line = await openLine(server.port)
  const reply = await line.send(request)
  line.close()
  verify(reply)
  return reply
}

export function verifyAnswer(expected: number, part: string) {
  return ({ status, body }: Reply): void => {
    strictEqual(status, expected, body)
    ok(body.includes(part), body)
  }
}

export function jsonOf({ header, body }: Reply) {
  const bytes = header('transfer-encoding') === 'chunked' ? withoutLengths(body) : body
  return JSON.parse(Buffer.from(bytes, 'latin1').toString())
}

export function offerOf(reply: Reply): PaymentRequired {
  return inHeader(reply, 'payment-required')
}

export function receiptOf(reply: Reply) {
  return inHeader(reply, 'payment-response')
}

function inHeader({ header }: Reply, name: string) {
  return JSON.parse(Buffer.from(header(name) ?? '', 'base64').toString())
}

function withoutLengths(chunks: string): string {
  const startsAt = chunks.indexOf('\r\n') + 2
  const length = Number.parseInt(chunks, 16)
  if (!length) return ''
  const endsAt = startsAt + length
  return chunks.slice(startsAt, endsAt) + withoutLengths(chunks.slice(endsAt + 2))
}
