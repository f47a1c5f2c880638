/** Standard zone-file text into records (RFC 1035 §5). */
import { isIPv4, isIPv6, SocketAddress } from 'node:net'
import type { CharacterStrings, RecordData, RecordType } from '../dns.js'
import { octetsOf, splitLabels } from '../escaped-text.js'
import { type Entry, readEntries, type Token, ZoneError } from './tokens.js'

export type ZoneRecord = {
  [T in RecordType]: { owner: string; ttl: number; type: T; data: RecordData[T] }
}[RecordType]

interface Scope {
  origin: string
  defaultTtl: number
  owner: string | null
}

const UNIT_SECONDS: Record<string, number> = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 }
const TTL = /^(?:\d+[smhdw]?)+$/i

export function parseZone(text: string): ZoneRecord[] {
  const scope: Scope = { origin: '.', defaultTtl: 3_600, owner: null }
  const records: ZoneRecord[] = []
  for (const entry of readEntries(text)) {
    if (entry.tokens[0]?.startsWith('$')) applyDirective(entry, scope)
    else records.push(parseRecord(entry, scope))
  }
  return records
}

function applyDirective({ line, tokens }: Entry, scope: Scope): void {
  const [directive, argument] = tokens
  if (directive === '$ORIGIN' && argument) scope.origin = absolute(argument, scope.origin)
  else if (directive === '$TTL' && argument) scope.defaultTtl = seconds(argument)
  else throw new ZoneError(line, `${directive} is not supported; use $ORIGIN or $TTL`)
}

function parseRecord({ line, hasOwner, tokens }: Entry, scope: Scope): ZoneRecord {
  const rest = [...tokens]
  if (hasOwner) scope.owner = absolute(rest.shift() ?? '', scope.origin)
  if (scope.owner === null) throw new ZoneError(line, 'the first record has no owner')
  let ttl = scope.defaultTtl
  // TTL and class may stand in either order before the type.
  for (let head = rest[0] ?? ''; TTL.test(head) || /^IN$/i.test(head); head = rest[0] ?? '') {
    if (TTL.test(head)) ttl = seconds(head)
    rest.shift()
  }
  const type = rest.shift()?.toUpperCase() ?? ''
  if (!isRecordType(type)) throw new ZoneError(line, `record type ${type} is not supported`)
  const data = parsers[type](rest, (name) => absolute(name, scope.origin))
  if (data === null) throw new ZoneError(line, `the data is not a valid ${type} record`)
  return { owner: scope.owner, ttl, type, data } as ZoneRecord
}

type Parse<Data> = (tokens: readonly Token[], name: (text: string) => string) => Data | null

const parseName: Parse<string> = ([target, ...extra], name) =>
  target && extra.length === 0 ? name(target) : null

const parseStrings: Parse<CharacterStrings> = (tokens) => {
  const strings = tokens.map((token) => octetsOf(token).toString('latin1'))
  return strings.length > 0 && strings.every((text) => text.length <= 255) ? strings : null
}

const parsers: { [T in RecordType]: Parse<RecordData[T]> } = {
  A: ([address]) => (address && isIPv4(address) ? address : null),
  AAAA: ([address]) =>
    address && isIPv6(address)
      ? new SocketAddress({ address: address, family: 'ipv6' }).address
      : null,
  CNAME: parseName,
  NS: parseName,
  MX: ([preference, exchange], name) =>
    preference && exchange && /^\d{1,5}$/.test(preference)
      ? { preference: Number(preference), exchange: name(exchange) }
      : null,
  SOA: ([primary, mailbox, ...numbers], name) => {
    const [serial, , , , minimum] = numbers.map((token) => seconds(token))
    return primary && mailbox && serial !== undefined && minimum !== undefined
      ? { primary: name(primary), mailbox: name(mailbox), serial, minimum }
      : null
  },
  SPF: parseStrings,
  TXT: parseStrings,
}

function isRecordType(type: string): type is RecordType {
  return Object.hasOwn(parsers, type)
}

/** A name as the `Dns` port writes it: lower case, absolute, without the trailing dot. */
function absolute(text: string, origin: string): string {
  if (text === '@') return origin
  if (text === '.') return text
  const lower = text.toLowerCase()
  if (splitLabels(lower).at(-1) === '') return lower.slice(0, -1)
  return origin === '.' ? lower : `${lower}.${origin}`
}

function seconds(text: string): number {
  return [...text.toLowerCase().matchAll(/(\d+)([smhdw]?)/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * (UNIT_SECONDS[unit || 's'] ?? 1),
    0,
  )
}
