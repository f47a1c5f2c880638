/** Sends bytes as they are and parses the responses strictly, without an HTTP client between. */
import net from 'node:net'
import { gunzipSync } from 'node:zlib'

export interface RawResponse {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  /** Decompressed. */
  readonly body: string
}

export type RawExchange =
  | { readonly kind: 'responses'; readonly responses: readonly RawResponse[] }
  | { readonly kind: 'timeout'; readonly responses: readonly [] }
  | { readonly kind: 'unparsable'; readonly responses: readonly []; readonly reason: string }

interface RawExchangeOptions {
  readonly port: number
  readonly bytes: Buffer
  /** Closes our side: the server would wait for the rest of an incomplete request. */
  readonly isComplete: boolean
  readonly deadlineMs: number
}

/** Resolves when the server closes the connection, or at the deadline. */
export function exchangeRawHttp({
  port,
  bytes,
  isComplete,
  deadlineMs,
}: RawExchangeOptions): Promise<RawExchange> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    const socket = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    const timer = setTimeout(() => {
      resolve({ kind: 'timeout', responses: [] })
      socket.destroy()
    }, deadlineMs)
    socket.on('connect', () => (isComplete ? socket.end(bytes) : socket.write(bytes)))
    socket.on('data', (chunk) => chunks.push(chunk))
    // The server may reset the connection when it rejects a request early.
    socket.on('error', () => socket.destroy())
    socket.on('end', () => socket.destroy())
    socket.on('close', () => {
      clearTimeout(timer)
      resolve(parseExchange(Buffer.concat(chunks), bytes.subarray(0, 5).toString() === 'HEAD '))
    })
  })
}

function parseExchange(received: Buffer, isHead: boolean): RawExchange {
  const responses: RawResponse[] = []
  try {
    let rest = received
    while (rest.length > 0) {
      const { response, rest: next } = readResponse(rest, isHead)
      if (response.status >= 200) responses.push(response)
      rest = next
    }
    return { kind: 'responses', responses }
  } catch (error) {
    const reason = `${error}: ${received.subarray(0, 300).toString('latin1')}`
    return { kind: 'unparsable', responses: [], reason }
  }
}

function readResponse(received: Buffer, isHead: boolean): { response: RawResponse; rest: Buffer } {
  const end = received.indexOf('\r\n\r\n')
  if (end < 0) throw new Error('no end of the headers')
  const [statusLine = '', ...lines] = received.subarray(0, end).toString('latin1').split('\r\n')
  const [, code] = /^HTTP\/1\.1 (\d{3}) [\w -]+$/.exec(statusLine) ?? []
  if (code === undefined) throw new Error(`invalid status line: ${statusLine}`)
  const headers = parseHeaders(lines)
  const status = Number(code)
  const hasNoBody = isHead || status < 200 || status === 204 || status === 304
  const { body, rest } = hasNoBody
    ? { body: Buffer.alloc(0), rest: received.subarray(end + 4) }
    : readBody(received.subarray(end + 4), headers)
  const isCompressed = headers.get('content-encoding') === 'gzip' && body.length > 0
  const text = (isCompressed ? gunzipSync(body) : body).toString('utf8')
  return { response: { status, headers, body: text }, rest }
}

function parseHeaders(lines: readonly string[]): Map<string, string> {
  const headers = new Map<string, string>()
  for (const line of lines) {
    const [, name, value] = /^([\w-]+): ([\x20-\x7e]*)$/.exec(line) ?? []
    if (name === undefined || value === undefined) throw new Error(`invalid header: ${line}`)
    if (headers.has(name.toLowerCase())) throw new Error(`repeated header: ${line}`)
    headers.set(name.toLowerCase(), value)
  }
  return headers
}

function readBody(received: Buffer, headers: ReadonlyMap<string, string>) {
  if (headers.get('transfer-encoding') === 'chunked') return readChunks(received)
  const length = Number(headers.get('content-length') ?? received.length)
  if (received.length < length) throw new Error(`${received.length} bytes of ${length}`)
  return { body: received.subarray(0, length), rest: received.subarray(length) }
}

function readChunks(received: Buffer): { body: Buffer; rest: Buffer } {
  const parts: Buffer[] = []
  let rest = received
  for (;;) {
    const lineEnd = rest.indexOf('\r\n')
    const size = Number.parseInt(rest.subarray(0, lineEnd).toString('latin1'), 16)
    const next = lineEnd + 2 + size + 2
    if (lineEnd < 0 || Number.isNaN(size) || rest.length < next)
      throw new Error('incomplete chunks')
    parts.push(rest.subarray(lineEnd + 2, lineEnd + 2 + size))
    rest = rest.subarray(next)
    if (size === 0) return { body: Buffer.concat(parts), rest }
  }
}
