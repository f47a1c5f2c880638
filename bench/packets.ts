/** The answers of the zones that are measured, as messages; each worked out once. */

import type { Answer, RecordType } from '@mailgrade/doh/dns'
import { createZoneDns } from '@mailgrade/doh/zone'
import { cname, opt, response, soa } from '@mailgrade/testing/dns-message'
import { decode, type Answer as PacketAnswer } from 'dns-packet'
import { worldText } from './check-zones.js'

const RCODES = { records: 0, nodata: 0, nxdomain: 3, failed: 2 }

const dns = createZoneDns('bench', worldText())
const packets = new Map<string, Promise<Buffer>>()

/** For the path of a request by GET (RFC 8484 §4.1). */
export function packetFor(path: string): Promise<Buffer> {
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
