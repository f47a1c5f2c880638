/**
 * A DoH server that keeps every answer back for a while, as the way to a resolver does, and any
 * number of them at once. Each question is worked out once, so that it has time for the rest.
 */
import { readFileSync } from 'node:fs'
import { createSecureServer, type ServerHttp2Stream } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { decode, type Answer as PacketAnswer } from 'dns-packet'
import type { Answer, RecordType } from '../src/dns/dns.js'
import { createZoneDns } from '../src/dns/zone/zone-dns.js'
import { cname, opt, response, soa } from '../test/support/dns-message.js'
import { DELAY_MS } from './check-aims.js'
import { worldText } from './check-zones.js'

const RCODES = { records: 0, nodata: 0, nxdomain: 3, failed: 2 }

const folder = process.env.BENCH_FOLDER ?? ''
const dns = createZoneDns('bench', worldText())
const packets = new Map<string, Promise<Buffer>>()

function packetFor(path: string): Promise<Buffer> {
  const known = packets.get(path)
  if (known) return known
  const packet = answer(path.slice(path.indexOf('=') + 1))
  packets.set(path, packet)
  return packet
}

async function answer(query: string): Promise<Buffer> {
  const [asked] = decode(Buffer.from(query, 'base64url')).questions ?? []
  const { name = '.', type = 'A' } = asked ?? {}
  return encode(name, type as RecordType, await dns.ask(name, type as RecordType))
}

/** With what resolvers send along: an OPT record, and the SOA of what is not there (RFC 2308 §2). */
function encode(name: string, type: RecordType, answer: Answer): Buffer {
  const owners = [name, ...answer.cnames]
  const owner = owners.at(-1) ?? name
  const aliases = answer.cnames.map((target, index) => cname(owners[index] ?? '', target))
  const found = answer.kind === 'records' ? answer.records : []
  const records = found.map((data) => ({ type, name: owner, ttl: 300, data: packetData(data) }))
  const apex = owner.split('.').slice(-2).join('.')
  return response(`${type} ${name}`, {
    rcode: RCODES[answer.kind],
    answers: [...aliases, ...(records as PacketAnswer[])],
    authorities: records.length > 0 ? [] : [soa(apex, 300, 300)],
    additionals: [opt(0)],
  })
}

function packetData(data: unknown): unknown {
  return Array.isArray(data) ? data.map((text: string) => Buffer.from(text, 'latin1')) : data
}

function send(stream: ServerHttp2Stream, body: Buffer): void {
  // Whoever asked may have given up meanwhile.
  if (stream.destroyed || stream.closed) return
  stream.respond({
    ':status': 200,
    'content-type': 'application/dns-message',
    'content-length': body.length,
  })
  stream.end(body)
}

const server = createSecureServer({
  cert: readFileSync(join(folder, 'cert.pem')),
  key: readFileSync(join(folder, 'key.pem')),
})
server.on('stream', (stream, headers) => {
  stream.on('error', () => {})
  const packet = packetFor(headers[':path'] ?? '')
  setTimeout(async () => send(stream, await packet), DELAY_MS)
})
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
process.on('disconnect', () => process.exit())
