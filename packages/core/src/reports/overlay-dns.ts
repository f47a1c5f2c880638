/** A `Dns` that answers as if some records were published; other answers stay unchanged. */
import {
  type Dns,
  type DnsAnswer,
  failed,
  type Mx,
  type RecordData,
  type RecordType,
  toQueryMethod,
} from '@mailgrade/doh/dns'
import { splitCharacterStrings, toOctets } from './record-data.js'

interface OverlayRecord {
  readonly type: 'TXT' | 'MX' | 'CNAME'
  readonly name: string
  readonly value: string
  /** No other TXT record stays at the name, not even one from a wildcard. */
  readonly replacesAll?: boolean
  /** This TXT record is deleted instead of published. */
  readonly isDeleted?: boolean
}

/** Seconds. */
const TTL = 3_600

/**
 * Publishes the records together. A record replaces existing ones of its kind: SPF replaces SPF,
 * DMARC replaces DMARC, MX replaces all MX. A CNAME replaces everything at its name, and every
 * record replaces a CNAME (RFC 1034 §3.6.2). To publish records one after the other, nest overlays.
 */
export function createOverlayDns(dns: Dns, records: readonly OverlayRecord[]): Dns {
  const all = records.map((record) => ({ ...record, name: canonical(record.name) }))
  const published = all.filter(({ isDeleted }) => !isDeleted)
  const deletedTexts = (name: string) =>
    all.filter((record) => record.isDeleted && record.name === name).map(({ value }) => value)
  const at = (name: string, type: OverlayRecord['type']) =>
    published.filter((record) => record.name === name && record.type === type)
  const hasRecord = (name: string) => published.some((record) => record.name === name)

  async function answer(
    name: string,
    type: RecordType,
    path: readonly string[],
  ): Promise<DnsAnswer> {
    if (path.includes(name)) return failed('cname-loop', 'its CNAMEs form a loop')
    const [alias] = at(name, 'CNAME')
    if (alias) {
      const target = canonical(alias.value)
      return type === 'CNAME'
        ? recordsAnswer<'CNAME'>([target])
        : withCnames([target], await answer(target, type, [...path, name]))
    }
    return hasRecord(name) ? answerAtRecord(name, type) : answerElsewhere(name, type, path)
  }

  async function answerAtRecord(name: string, type: RecordType): Promise<DnsAnswer> {
    const mxRecords = type === 'MX' ? at(name, 'MX') : []
    if (mxRecords.length > 0) return recordsAnswer<'MX'>(mxRecords.map(({ value }) => toMx(value)))
    if (type !== 'TXT') return toExisting(withoutAlias(await dns.query(name, type), type))
    const txtRecords = at(name, 'TXT')
    const current = txtRecords.some(({ replacesAll }) => replacesAll)
      ? NODATA
      : withoutTexts(withoutAlias(await dns.query(name, 'TXT'), 'TXT'), deletedTexts(name))
    if (txtRecords.length === 0) return toExisting(current)
    return withTexts(
      current,
      txtRecords.map(({ value }) => value),
    )
  }

  /** The current answer, unless it leads to or is above a name with an overlay record. */
  async function answerElsewhere(name: string, type: RecordType, path: readonly string[]) {
    const answered = await dns.query(name, type)
    const current =
      type === 'TXT' ? withoutTexts(answered as DnsAnswer<'TXT'>, deletedTexts(name)) : answered
    const index = current.cnames.findIndex(hasRecord)
    const target = current.cnames[index]
    if (target !== undefined) {
      const before = current.cnames.slice(0, index)
      return withCnames([...before, target], await answer(target, type, [...path, name, ...before]))
    }
    // RFC 8020: a name exists if a name below it does.
    const last = current.cnames.at(-1) ?? name
    const isAbove = published.some((record) => record.name.endsWith(`.${last}`))
    return isAbove ? toExisting(current) : current
  }

  const answers = new Map<string, Promise<DnsAnswer>>()

  /** The same answer for the same query, so what is read of it can be kept. */
  function query(name: string, type: RecordType): Promise<DnsAnswer> {
    const key = `${type} ${canonical(name)}`
    const known = answers.get(key) ?? answer(canonical(name), type, [])
    answers.set(key, known)
    return known
  }

  return { query: toQueryMethod(query) }
}

function canonical(name: string): string {
  return name === '.' ? name : name.toLowerCase().replace(/\.$/, '')
}

function toMx(value: string): Mx {
  const [preference, exchange = '.'] = value.trim().split(/\s+/)
  return { preference: Number(preference), exchange: canonical(exchange) }
}

const NO_RESOLVER = { cnames: [], extendedError: null, resolver: null, authenticated: false }

const NODATA: DnsAnswer<never> = { ...NO_RESOLVER, kind: 'nodata', ttl: null }

function recordsAnswer<Type extends RecordType>(
  records: readonly RecordData[Type][],
  ttl = TTL,
): DnsAnswer<Type> {
  return { ...NO_RESOLVER, kind: 'records', records, ttl }
}

function withCnames(cnames: readonly string[], answer: DnsAnswer): DnsAnswer {
  return { ...answer, cnames: [...cnames, ...answer.cnames] }
}

/** The answers behind a replaced CNAME disappear with it. */
function withoutAlias<Type extends RecordType>(
  current: DnsAnswer<Type>,
  type: RecordType,
): DnsAnswer<Type> {
  const isAlias = current.cnames.length > 0 || (type === 'CNAME' && current.kind === 'records')
  return isAlias ? NODATA : current
}

function toExisting(current: DnsAnswer): DnsAnswer {
  return current.kind === 'nxdomain' ? { ...current, kind: 'nodata' } : current
}

/** Deleting the last record of a name leaves the name without data. */
function withoutTexts(current: DnsAnswer<'TXT'>, deleted: readonly string[]): DnsAnswer<'TXT'> {
  if (deleted.length === 0 || current.kind !== 'records' || current.cnames.length > 0)
    return current
  const texts = new Set(deleted.map(toPortText))
  const records = current.records.filter((strings) => !texts.has(strings.join('')))
  return records.length === 0 ? NODATA : { ...current, records }
}

function withTexts(current: DnsAnswer<'TXT'>, texts: readonly string[]): DnsAnswer {
  if (current.kind === 'failed') return current
  const kinds = new Set(texts.flatMap((text) => kindOf(text) ?? []))
  const published = texts.map(toPortText)
  const isKept = (text: string) => !kinds.has(kindOf(text) ?? '') && !published.includes(text)
  const others = current.kind === 'records' ? current.records : []
  const kept = others.filter((strings) => isKept(strings.join('')))
  return recordsAnswer<'TXT'>(
    [...kept, ...texts.map((text) => splitCharacterStrings(text).map(toPortText))],
    current.ttl ?? TTL,
  )
}

/** The version tag, whether the text is valid (`v=spf1 -all`) or not (`V=SPF1; -all`). */
function kindOf(text: string): string | null {
  const [, version] = /^\s*"?v\s*=\s*(spf1|[a-z]+\d*)/i.exec(text) ?? []
  return version?.toLowerCase() ?? null
}

/** The `Dns` port has one character per octet. */
function toPortText(text: string): string {
  return toOctets(text).toString('latin1')
}
