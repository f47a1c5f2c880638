/** Answers, and whether they are what was asked for. */
import { ok, strictEqual } from 'node:assert'
import type { PaymentRequired } from '@x402/core/types'
import { type BenchResponse, openBenchConnection } from './http-load.js'
import type { Contestant } from './pay-load.js'

/** One answer, outside of any measurement. */
export async function requestOnce({
  server,
  requests,
  verify,
}: Contestant): Promise<BenchResponse> {
  const [request = ''] = await requests(1)
  const line = await openBenchConnection(server.port)
  const reply = await line.send(request)
  line.close()
  verify(reply)
  return reply
}

export function expectResponse(expected: number, part: string) {
  return ({ status, body }: BenchResponse): void => {
    strictEqual(status, expected, body)
    ok(body.includes(part), body)
  }
}

export function parseResponseJson({ header, body }: BenchResponse) {
  const bytes = header('transfer-encoding') === 'chunked' ? withoutLengths(body) : body
  return JSON.parse(Buffer.from(bytes, 'latin1').toString())
}

export function paymentRequiredHeader(reply: BenchResponse): PaymentRequired {
  return inHeader(reply, 'payment-required')
}

export function settlementResponseHeader(reply: BenchResponse) {
  return inHeader(reply, 'payment-response')
}

function inHeader({ header }: BenchResponse, name: string) {
  return JSON.parse(Buffer.from(header(name) ?? '', 'base64').toString())
}

function withoutLengths(chunks: string): string {
  const startsAt = chunks.indexOf('\r\n') + 2
  const length = Number.parseInt(chunks, 16)
  if (!length) return ''
  const endsAt = startsAt + length
  return chunks.slice(startsAt, endsAt) + withoutLengths(chunks.slice(endsAt + 2))
}
