/** Splits zone files into entries of tokens, and parses those into records (RFC 1035 §5). */
import { isIPv4, isIPv6, SocketAddress } from 'node:net'
import type { CharacterStrings, RecordData, RecordType } from '../dns.js'
import { canonicalName, splitLabels, unescapeOctets } from '../wire/wire-name.js'

/** One record of a zone file; its owner is a canonical name. */
export type ZoneRecord = {
  [T in RecordType]: { owner: string; ttl: number; type: T; data: RecordData[T] }
}[RecordType]

interface Scope {
  origin: string
  defaultTtl: number
  owner: string | null
}

const UNIT_SECONDS: Record<string, number> = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 }
const TTL = /^\d+(?:[smhdw]\d+)*[smhdw]?$/i

/** Parses a zone file. Throws a `ZoneError` with the line number when it is not valid. */
export function parseZone(text: string): ZoneRecord[] {
  const scope: Scope = { origin: '.', defaultTtl: 3_600, owner: null }
  const records: ZoneRecord[] = []
  for (const entry of tokenizeZone(text)) {
    if (entry.tokens[0]?.startsWith('$')) applyDirective(entry, scope)
    else records.push(parseRecord(entry, scope))
  }
  return records
}

function applyDirective({ line, tokens }: ZoneEntry, scope: Scope): void {
  const [directive, argument = ''] = tokens
  const origin = directive === '$ORIGIN' ? toAbsoluteName(argument, scope.origin) : null
  const defaultTtl = directive === '$TTL' ? parseSeconds(argument) : null
  if (origin === null && defaultTtl === null) {
    throw new ZoneError(line, `${tokens.join(' ')} is not a valid $ORIGIN or $TTL`)
  }
  scope.origin = origin ?? scope.origin
  scope.defaultTtl = defaultTtl ?? scope.defaultTtl
}

function parseRecord({ line, hasOwner, tokens }: ZoneEntry, scope: Scope): ZoneRecord {
  const rest = [...tokens]
  if (hasOwner) scope.owner = toAbsoluteName(rest.shift() ?? '', scope.origin)
  if (scope.owner === null) throw new ZoneError(line, 'the record has no valid owner')
  let ttl = scope.defaultTtl
  // TTL and class come before the type, in either order.
  for (let head = rest[0] ?? ''; TTL.test(head) || /^IN$/i.test(head); head = rest[0] ?? '') {
    ttl = parseSeconds(head) ?? ttl
    rest.shift()
  }
  const type = rest.shift()?.toUpperCase() ?? ''
  if (!isRecordType(type)) throw new ZoneError(line, `record type ${type} is not supported`)
  const data = parsers[type](rest, (name) => toAbsoluteName(name, scope.origin))
  if (data === null) throw new ZoneError(line, `the data is not a valid ${type} record`)
  return { owner: scope.owner, ttl, type, data } as ZoneRecord
}

type Parse<Data> = (
  tokens: readonly ZoneToken[],
  name: (text: string) => string | null,
) => Data | null

const parseName: Parse<string> = ([target = '', ...extra], name) =>
  extra.length === 0 ? name(target) : null

const parseStrings: Parse<CharacterStrings> = (tokens) => {
  const strings = tokens.flatMap((token) => unescapeOctets(token)?.toString('latin1') ?? [])
  const areAllValid = tokens.length > 0 && strings.length === tokens.length
  return areAllValid && strings.every((text) => text.length <= 255) ? strings : null
}

const parsers: { [T in RecordType]: Parse<RecordData[T]> } = {
  A: ([address = '', ...extra]) => (isIPv4(address) && extra.length === 0 ? address : null),
  AAAA: ([address = '', ...extra]) =>
    isIPv6(address) && extra.length === 0
      ? new SocketAddress({ address, family: 'ipv6' }).address
      : null,
  CNAME: parseName,
  NS: parseName,
  PTR: parseName,
  MX: ([preference = '', ...target], name) => {
    const exchange = parseName(target, name)
    return exchange !== null && /^\d{1,5}$/.test(preference) && Number(preference) <= 0xffff
      ? { preference: Number(preference), exchange }
      : null
  },
  SOA: ([first = '', second = '', ...tokens], name) => {
    const [primary, mailbox] = [name(first), name(second)]
    const numbers = tokens.flatMap((token) => parseSeconds(token) ?? [])
    const [serial, , , , minimum] = tokens.length === 5 ? numbers : []
    return primary !== null && mailbox !== null && serial !== undefined && minimum !== undefined
      ? { primary, mailbox, serial, minimum }
      : null
  },
  SPF: parseStrings,
  TLSA: ([usage = '', selector = '', matchingType = '', ...digits]) => {
    const [first, second, third] = [usage, selector, matchingType].map(parseOctet)
    const data = digits.join('').toLowerCase()
    return first != null && second != null && third != null && /^(?:[\da-f]{2})+$/.test(data)
      ? { usage: first, selector: second, matchingType: third, data }
      : null
  },
  TXT: parseStrings,
}

function parseOctet(text: string): number | null {
  return /^\d{1,3}$/.test(text) && Number(text) <= 0xff ? Number(text) : null
}

function isRecordType(type: string): type is RecordType {
  return Object.hasOwn(parsers, type)
}

/** Returns the canonical absolute name, or null when the name is not valid. */
function toAbsoluteName(text: string, origin: string): string | null {
  if (text === '@') return origin
  const isAbsolute = splitLabels(text).at(-1) === '' || origin === '.'
  return canonicalName(isAbsolute ? text : `${text}.${origin}`)
}

/** Parses seconds, plain or in units such as `1h30m`; null when the text is neither. */
function parseSeconds(text: string): number | null {
  if (!TTL.test(text)) return null
  return [...text.toLowerCase().matchAll(/(\d+)([smhdw]?)/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * (UNIT_SECONDS[unit || 's'] ?? 1),
    0,
  )
}

/** Escapes kept, quotes removed. */
type ZoneToken = string

/** One record or directive; parentheses may spread it over several lines. */
interface ZoneEntry {
  readonly line: number
  /** False when the entry starts with white space: it has the owner of the entry before it. */
  readonly hasOwner: boolean
  readonly tokens: readonly ZoneToken[]
}

/** The zone file is not valid. */
class ZoneError extends Error {
  constructor(line: number, problem: string) {
    super(`zone file, line ${line}: ${problem}`)
  }
}

const LEXEME =
  /"(?<quoted>(?:\\.|[^"\\])*)"|(?<newline>\n)|;[^\n]*|[^\S\n]+|[()]|(?<token>(?:\\.|[^\s"();\\])+)|(?<stray>.)/gsu

const DEPTH_CHANGE: Record<string, number> = { '(': 1, ')': -1 }

/** Returns the entries of a zone file without comments. */
export function tokenizeZone(text: string): ZoneEntry[] {
  const entries: ZoneEntry[] = []
  let line = 1
  let depth = 0
  let isAtLineStart = true
  let tokens: ZoneToken[] = []

  const addToken = (token: ZoneToken) => {
    if (tokens.length === 0) entries.push({ line, hasOwner: isAtLineStart, tokens })
    tokens.push(token)
  }

  for (const { groups = {}, 0: lexeme } of text.matchAll(LEXEME)) {
    const { token = groups.quoted, newline, stray } = groups
    if (stray) throw new ZoneError(line, `${stray} is not closed`)
    if (token !== undefined) addToken(token)
    depth += DEPTH_CHANGE[lexeme] ?? 0
    if (depth < 0) throw new ZoneError(line, 'a closing parenthesis has no opening one')
    if (newline && depth === 0) tokens = []
    isAtLineStart = newline !== undefined
    line += lexeme.split('\n').length - 1
  }
  if (depth > 0) throw new ZoneError(line, 'a parenthesis is not closed')
  return entries
}
