/** The answers of the zones that are measured, as messages; each worked out once. */

import type { DnsAnswer, RecordType } from '@mailgrade/doh/dns'
import { createZoneDns } from '@mailgrade/doh/zone'
import { cnameRecord, encodeResponse, optRecord, soaRecord } from '@mailgrade/testing/dns-message'
import { decode, type Answer as PacketAnswer } from 'dns-packet'
import { benchZoneText } from './bench-zones.js'

const RCODES = { records: 0, nodata: 0, nxdomain: 3, failed: 2 }

const dns = createZoneDns('bench', benchZoneText())
const packets = new Map<string, Promise<Buffer>>()

/** For the path of a request by GET (RFC 8484 §4.1). */
export function encodeAnswerForPath(path: string): Promise<Buffer> {
  const known = packets.get(path)
  if (known) return known
  const packet = answer(path.slice(path.indexOf('=') + 1))
  packets.set(path, packet)
  return packet
}

async function answer(query: string): Promise<Buffer> {
  const [asked] = decode(Buffer.from(query, 'base64url')).questions ?? []
  const { name = '.', type = 'A' } = asked ?? {}
  return encode(name, type as RecordType, await dns.query(name, type as RecordType))
}

/** With what resolvers send along: an OPT record, and the SOA of what is not there (RFC 2308 §2). */
function encode(name: string, type: RecordType, answer: DnsAnswer): Buffer {
  const owners = [name, ...answer.cnames]
  const owner = owners.at(-1) ?? name
  const aliases = answer.cnames.map((target, index) => cnameRecord(owners[index] ?? '', target))
  const found = answer.kind === 'records' ? answer.records : []
  const records = found.map((data) => ({ type, name: owner, ttl: 300, data: packetData(data) }))
  const apex = owner.split('.').slice(-2).join('.')
  return encodeResponse(`${type} ${name}`, {
    rcode: RCODES[answer.kind],
    answers: [...aliases, ...(records as PacketAnswer[])],
    authorities: records.length > 0 ? [] : [soaRecord(apex, 300, 300)],
    additionals: [optRecord(0)],
  })
}

function packetData(data: unknown): unknown {
  return Array.isArray(data) ? data.map((text: string) => Buffer.from(text, 'latin1')) : data
}
