/** Sends octets as they are and reads what comes back: no client in between that means well. */
import net from 'node:net'
import { gunzipSync } from 'node:zlib'

export interface RawResponse {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  /** Unpacked. */
  readonly body: string
}

export type RawExchange =
  | { readonly kind: 'replies'; readonly responses: readonly RawResponse[] }
  | { readonly kind: 'late' }
  | { readonly kind: 'garbled'; readonly reason: string }

interface Sending {
  readonly port: number
  readonly octets: Buffer
  /** Says that there is no more to come; a request that is no whole one would be waited for. */
  readonly isAll: boolean
  readonly deadlineMs: number
}

/** Resolves when the other side has closed, or at the deadline. */
export function exchangeRawHttp({
  port,
  octets,
  isAll,
  deadlineMs,
}: Sending): Promise<RawExchange> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    const socket = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    const timer = setTimeout(() => {
      resolve({ kind: 'late' })
      socket.destroy()
    }, deadlineMs)
    socket.on('connect', () => (isAll ? socket.end(octets) : socket.write(octets)))
    socket.on('data', (chunk) => chunks.push(chunk))
    // Whoever is refused in the middle of a request may find the door shut.
    socket.on('error', () => socket.destroy())
    socket.on('end', () => socket.destroy())
    socket.on('close', () => {
      clearTimeout(timer)
      resolve(heardIn(Buffer.concat(chunks), octets.subarray(0, 5).toString() === 'HEAD '))
    })
  })
}

function heardIn(received: Buffer, isHead: boolean): RawExchange {
  const replies: RawResponse[] = []
  try {
    let rest = received
    while (rest.length > 0) {
      const { reply, after } = readReply(rest, isHead)
      if (reply.status >= 200) replies.push(reply)
      rest = after
    }
    return { kind: 'replies', responses: replies }
  } catch (error) {
    return { kind: 'garbled', reason: `${error}: ${received.subarray(0, 300).toString('latin1')}` }
  }
}

function readReply(received: Buffer, isHead: boolean): { reply: RawResponse; after: Buffer } {
  const end = received.indexOf('\r\n\r\n')
  if (end < 0) throw new Error('no end of the head')
  const [statusLine = '', ...lines] = received.subarray(0, end).toString('latin1').split('\r\n')
  const [, code] = /^HTTP\/1\.1 (\d{3}) [\w -]+$/.exec(statusLine) ?? []
  if (code === undefined) throw new Error(`no status line: ${statusLine}`)
  const headers = headersIn(lines)
  const status = Number(code)
  const isBare = isHead || status < 200 || status === 204 || status === 304
  const { body, after } = isBare
    ? { body: Buffer.alloc(0), after: received.subarray(end + 4) }
    : readBody(received.subarray(end + 4), headers)
  const isPacked = headers.get('content-encoding') === 'gzip' && body.length > 0
  const text = (isPacked ? gunzipSync(body) : body).toString('utf8')
  return { reply: { status, headers, body: text }, after }
}

function headersIn(lines: readonly string[]): Map<string, string> {
  const headers = new Map<string, string>()
  for (const line of lines) {
    const [, name, value] = /^([\w-]+): ([\x20-\x7e]*)$/.exec(line) ?? []
    if (name === undefined || value === undefined) throw new Error(`no header: ${line}`)
    if (headers.has(name.toLowerCase())) throw new Error(`twice: ${line}`)
    headers.set(name.toLowerCase(), value)
  }
  return headers
}

function readBody(received: Buffer, headers: ReadonlyMap<string, string>) {
  if (headers.get('transfer-encoding') === 'chunked') return readChunks(received)
  const length = Number(headers.get('content-length') ?? received.length)
  if (received.length < length) throw new Error(`cut off after ${received.length} of ${length}`)
  return { body: received.subarray(0, length), after: received.subarray(length) }
}

function readChunks(received: Buffer): { body: Buffer; after: Buffer } {
  const parts: Buffer[] = []
  let rest = received
  for (;;) {
    const lineEnd = rest.indexOf('\r\n')
    const size = Number.parseInt(rest.subarray(0, lineEnd).toString('latin1'), 16)
    const next = lineEnd + 2 + size + 2
    if (lineEnd < 0 || Number.isNaN(size) || rest.length < next) throw new Error('cut off chunks')
    parts.push(rest.subarray(lineEnd + 2, lineEnd + 2 + size))
    rest = rest.subarray(next)
    if (size === 0) return { body: Buffer.concat(parts), after: rest }
  }
}
