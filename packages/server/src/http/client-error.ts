/** Answers to what never becomes a request: the same problems, without a context to put them in. */
import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { createProblemDetails } from '../operations/problem-details.js'
import { PROBLEM_TYPES, REJECTED_REQUEST_DETAILS } from '../operations/problem-types.js'
import { commonHeaders } from './common-headers.js'

export interface ClientErrorOptions {
  readonly baseUrl: string
  readonly newRequestId: () => string
  readonly onClientError: (requestId: string, code: RefusalCode, status: number) => void
}

type RefusalCode = keyof typeof REJECTED_REQUEST_DETAILS

const CODES: Record<string, RefusalCode> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

/** The parser gave up: nothing of the request can be relied on, not even its end. */
export function writeClientErrorToSocket(
  error: NodeJS.ErrnoException & { readonly rawPacket?: Buffer },
  socket: Duplex,
  refusal: ClientErrorOptions,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const { status, headers, body } = refuse(CODES[error.code ?? ''] ?? 'malformed_request', refusal)
  const head = Object.entries({
    ...headers,
    Connection: 'close',
    'Content-Length': Buffer.byteLength(body),
  })
  const lines = head.map(([name, value]) => `${name}: ${value}\r\n`)
  // What can be read of it says whether a body may follow (RFC 9110 §9.3.2).
  const isHead = error.rawPacket?.toString('latin1', 0, 5) === 'HEAD '
  const start = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n`
  socket.end(isHead ? start : start + body)
}

/** The request was parsed, and lacks what makes it one. */
export function writeClientErrorToResponse(
  response: ServerResponse,
  refusal: ClientErrorOptions,
): void {
  const { status, headers, body } = refuse('malformed_request', refusal)
  const length = Buffer.byteLength(body)
  response.writeHead(status, { ...headers, 'Content-Length': length }).end(body)
}

/** The request was parsed, but its target or host makes no address. */
export function clientErrorResponse(refusal: ClientErrorOptions): Response {
  const { status, headers, body } = refuse('malformed_request', refusal)
  return new Response(body, { status, headers })
}

function refuse(code: RefusalCode, { baseUrl, newRequestId, onClientError }: ClientErrorOptions) {
  const requestId = newRequestId()
  const { status } = PROBLEM_TYPES[code]
  onClientError(requestId, code, status)
  return {
    status,
    headers: {
      ...commonHeaders(baseUrl),
      'Content-Type': 'application/problem+json',
      'X-Request-Id': requestId,
    },
    body: JSON.stringify(
      createProblemDetails(
        code,
        { detail: REJECTED_REQUEST_DETAILS[code] },
        { baseUrl, requestId },
      ),
    ),
  }
}
