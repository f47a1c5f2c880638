/** A DoH server with minimal cost: every response is encoded before the first query. */
import { readFileSync } from 'node:fs'
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { encode } from 'dns-packet'
import { BENCH_QUERIES, dohPath } from './dns-queries.js'

const folder = process.env.BENCH_FOLDER ?? ''
const text = Buffer.from('v=spf1 include:_spf.bench.test ip4:192.0.2.0/24 ~all')
/** As resolvers send it: the owner is a pointer to the question, then TXT, IN, the TTL and the data. */
const record = Buffer.concat([
  Buffer.from('c00c' + '0010' + '0001' + '0000012c', 'hex'),
  Buffer.of(0, text.length + 1, text.length),
  text,
])
const bodies = new Map(
  BENCH_QUERIES.map((query) => {
    const questions = [{ type: 'TXT' as const, name: query.name }]
    const message = encode({ type: 'response', id: 0, flags: 0x0180, questions })
    message.writeUInt16BE(1, 6)
    return [dohPath(query), Buffer.concat([message, record])]
  }),
)
const headersFor = (body: Buffer) => ({
  'content-type': 'application/dns-message',
  'content-length': body.length,
})

const server = createSecureServer({
  allowHTTP1: true,
  cert: readFileSync(join(folder, 'cert.pem')),
  key: readFileSync(join(folder, 'key.pem')),
})
server.on('stream', (stream, headers) => {
  const body = bodies.get(headers[':path'] ?? '') ?? Buffer.alloc(0)
  stream.respond({ ':status': 200, ...headersFor(body) })
  stream.end(body)
})
server.on('request', (request: Http2ServerRequest, response: Http2ServerResponse) => {
  if (request.httpVersionMajor === 2) return
  const body = bodies.get(request.url) ?? Buffer.alloc(0)
  response.writeHead(200, headersFor(body)).end(body)
})
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
