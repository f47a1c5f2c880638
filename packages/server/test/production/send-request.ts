/** A caller with its own address on loopback. */
import http from 'node:http'
import { text } from 'node:stream/consumers'
import type { PaymentRequired } from '@x402/core/types'
import { decodeBase64Json } from '../support/test-payer.js'

export interface CallerRequest {
  /** An address in 127.0.0.0/8. */
  readonly localAddress?: string
  /** The default agent opens as many connections as it needs. */
  readonly agent?: http.Agent
  readonly payment?: string
  readonly headers?: http.OutgoingHttpHeaders
  /** Makes it a POST. */
  readonly body?: string
  readonly deadlineMs?: number
}

export interface CallerResponse {
  /** 0: there was no response. */
  readonly status: number
  /** The problem code, or the error code without a response; empty on success. */
  readonly code: string
  readonly headers: http.IncomingHttpHeaders
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: JSON
  readonly body: any
  readonly elapsedMs: number
}

const agents = new Map<string, http.Agent>()

function keepAliveAgent(localAddress: string): http.Agent {
  const known = agents.get(localAddress)
  if (known) return known
  const agent = new http.Agent({ keepAlive: true, localAddress } as http.AgentOptions)
  agents.set(localAddress, agent)
  return agent
}

/** Never rejects: a failed request is an outcome like any other. */
export async function sendRequest(
  url: string,
  request: CallerRequest = {},
): Promise<CallerResponse> {
  const startedAt = performance.now()
  const elapsed = () => performance.now() - startedAt
  try {
    const response = await send(url, request)
    const body = await text(response)
    return toCallerResponse(response, body, elapsed())
  } catch (error) {
    const { code, name } = error as NodeJS.ErrnoException
    return {
      status: 0,
      code: typeof code === 'string' ? code : name,
      headers: {},
      text: '',
      body: null,
      elapsedMs: elapsed(),
    }
  }
}

function send(url: string, request: CallerRequest): Promise<http.IncomingMessage> {
  const { localAddress = '127.0.0.1', payment, body, deadlineMs = 60_000 } = request
  const headers = {
    ...request.headers,
    ...(payment !== undefined && { 'payment-signature': payment }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
  }
  return new Promise((resolve, reject) => {
    http
      .request(url, {
        agent: request.agent ?? keepAliveAgent(localAddress),
        method: body === undefined ? 'GET' : 'POST',
        headers,
        signal: AbortSignal.timeout(deadlineMs),
      })
      .once('response', resolve)
      .once('error', reject)
      .end(body)
  })
}

function toCallerResponse(
  { statusCode, headers }: http.IncomingMessage,
  text: string,
  elapsedMs: number,
): CallerResponse {
  const isJson = headers['content-type']?.includes('json') ?? false
  const body = isJson ? JSON.parse(text) : null
  return { status: statusCode ?? 0, code: body?.code ?? '', headers, text, body, elapsedMs }
}

export function decodePaymentRequiredHeader({ headers }: CallerResponse): PaymentRequired {
  return decodeBase64Json(String(headers['payment-required']))
}
