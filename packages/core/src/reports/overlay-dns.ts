/**
 * The DNS as it would be with some records published: today's answers, but for the names that the
 * records stand at and what leads to those.
 */
import { type Dns, type DnsAnswer, failed, type Mx, type RecordType } from '@mailgrade/doh/dns'
import { splitCharacterStrings } from './character-strings.js'

interface Published {
  readonly type: 'TXT' | 'MX' | 'CNAME'
  readonly name: string
  readonly value: string
  /** Nothing is left beside it, not even what a wildcard answers until a name exists. */
  readonly isAlone?: boolean
}

/** What a new record is answered with until somebody says otherwise. */
const TTL = 3_600

/**
 * The records are published together, in place of what stands there of their kind: SPF in place of
 * SPF, DMARC of DMARC, MX of all MX, and a CNAME, or what a CNAME stands in the way of, of whatever
 * is there (RFC 1034 §3.6.2). Records to be published one after the other are overlays of overlays.
 */
export function createOverlayDns(dns: Dns, records: readonly Published[]): Dns {
  const published = records.map((record) => ({ ...record, name: canonical(record.name) }))
  const at = (name: string, type: Published['type']) =>
    published.filter((record) => record.name === name && record.type === type)
  const isTouched = (name: string) => published.some((record) => record.name === name)

  async function answer(
    name: string,
    type: RecordType,
    path: readonly string[],
  ): Promise<DnsAnswer> {
    if (path.includes(name)) return failed('cname-loop', 'the CNAME records form a loop')
    const [alias] = at(name, 'CNAME')
    if (alias) {
      const target = canonical(alias.value)
      return type === 'CNAME'
        ? found([target])
        : behind([target], await answer(target, type, [...path, name]))
    }
    return isTouched(name) ? touched(name, type) : untouched(name, type, path)
  }

  async function touched(name: string, type: RecordType): Promise<DnsAnswer> {
    const servers = type === 'MX' ? at(name, 'MX') : []
    if (servers.length > 0) return found(servers.map(({ value }) => mxOf(value)))
    const texts = type === 'TXT' ? at(name, 'TXT').map(({ value }) => value) : []
    const isAlone = at(name, 'TXT').some((record) => record.isAlone)
    const isGone = isAlone && type === 'TXT'
    const today = isGone ? NONE : withoutAlias(await dns.query(name, type), type)
    return texts.length > 0 ? withTexts(today as DnsAnswer<'TXT'>, texts) : existing(today)
  }

  /** As today, but that it may lead to, or stand above, a name that is not. */
  async function untouched(name: string, type: RecordType, path: readonly string[]) {
    const today = await dns.query(name, type)
    const index = today.cnames.findIndex(isTouched)
    const target = today.cnames[index]
    if (target !== undefined) {
      const way = today.cnames.slice(0, index)
      return behind([...way, target], await answer(target, type, [...path, name, ...way]))
    }
    // RFC 8020: a name exists if one below it does.
    const last = today.cnames.at(-1) ?? name
    const isAbove = published.some((record) => record.name.endsWith(`.${last}`))
    return isAbove ? existing(today) : today
  }

  const ask = (name: string, type: RecordType) => answer(canonical(name), type, [])
  return { query: ask as Dns['query'] }
}

function canonical(name: string): string {
  return name === '.' ? name : name.toLowerCase().replace(/\.$/, '')
}

function mxOf(value: string): Mx {
  const [preference, exchange = '.'] = value.trim().split(/\s+/)
  return { preference: Number(preference), exchange: canonical(exchange) }
}

const NOBODY = { cnames: [], extendedError: null, resolver: null, authenticated: false }

const NONE: DnsAnswer = { ...NOBODY, kind: 'nodata', ttl: null }

function found(records: readonly unknown[], ttl = TTL): DnsAnswer {
  return { ...NOBODY, kind: 'records', records, ttl } as DnsAnswer
}

function behind(cnames: readonly string[], answer: DnsAnswer): DnsAnswer {
  return { ...answer, cnames: [...cnames, ...answer.cnames] }
}

/** What a CNAME led to is gone with it. */
function withoutAlias(today: DnsAnswer, type: RecordType): DnsAnswer {
  const isAlias = today.cnames.length > 0 || (type === 'CNAME' && today.kind === 'records')
  return isAlias ? NONE : today
}

function existing(today: DnsAnswer): DnsAnswer {
  return today.kind === 'nxdomain' ? { ...today, kind: 'nodata' } : today
}

function withTexts(today: DnsAnswer<'TXT'>, texts: readonly string[]): DnsAnswer {
  if (today.kind === 'failed') return today
  const kinds = new Set(texts.flatMap((text) => kindOf(text) ?? []))
  const published = texts.map(octetsOf)
  const isKept = (text: string) => !kinds.has(kindOf(text) ?? '') && !published.includes(text)
  const others = today.kind === 'records' ? today.records : []
  const kept = others.filter((strings) => isKept(strings.join('')))
  return found(
    [...kept, ...texts.map((text) => splitCharacterStrings(text).map(octetsOf))],
    today.ttl ?? TTL,
  )
}

/** What a text is meant to be, be it written well (`v=spf1 -all`) or not (`V=SPF1; -all`). */
function kindOf(text: string): string | null {
  const [, version] = /^\s*"?v\s*=\s*(spf1|[a-z]+\d*)/i.exec(text) ?? []
  return version?.toLowerCase() ?? null
}

/** As the port has a text: one character per octet. */
function octetsOf(text: string): string {
  return Buffer.from(text).toString('latin1')
}
