/**
 * A connection that carries one request after another. Node's own client would take more time for
 * a request than some of the servers do, and then it would be what is measured.
 */
import { once } from 'node:events'
import { connect } from 'node:net'

export interface BenchResponse {
  readonly status: number
  header(name: string): string | null
  /** The status line and the headers, with the line that ends them. */
  readonly head: string
  /** A character a byte, and chunks' lengths are left in. */
  readonly body: string
}

export interface BenchConnection {
  /** The text of a whole request. */
  send(request: string): Promise<BenchResponse>
  close(): void
}

export async function openBenchConnection(port: number): Promise<BenchConnection> {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true })
  await once(socket, 'connect')
  socket.setEncoding('latin1')
  let received = ''
  let waiting = { resolve: (_: string) => {}, reject: (_: Error) => {} }
  socket.on('data', (text: string) => {
    received += text
    if (isComplete(received)) waiting.resolve(received)
  })
  socket.on('error', (error) => waiting.reject(error))
  socket.on('close', () => waiting.reject(new Error('the server hung up')))
  return {
    async send(request) {
      received = ''
      const answer = new Promise<string>((resolve, reject) => {
        waiting = { resolve, reject }
      })
      socket.write(request)
      return replyOf(await answer)
    },
    close: () => socket.destroy(),
  }
}

function isComplete(text: string): boolean {
  const bodyAt = text.indexOf('\r\n\r\n') + 4
  if (bodyAt < 4) return false
  const length = headerOf(text.slice(0, bodyAt), 'content-length')
  return length === null ? text.endsWith('\r\n0\r\n\r\n') : text.length - bodyAt >= Number(length)
}

function replyOf(text: string): BenchResponse {
  const bodyAt = text.indexOf('\r\n\r\n') + 4
  const head = text.slice(0, bodyAt)
  return {
    status: Number(head.slice(9, 12)),
    header: (name) => headerOf(head, name),
    head,
    body: text.slice(bodyAt),
  }
}

function headerOf(head: string, name: string): string | null {
  return new RegExp(`\r\n${name}: *([^\r]*)`, 'i').exec(head)?.[1] ?? null
}
