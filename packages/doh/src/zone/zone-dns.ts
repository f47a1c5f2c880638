/** A `Dns` that answers from zone files as an authoritative server would, for demos and tests. */
import {
  type AnswerContext,
  type Dns,
  type DnsAnswer,
  failed,
  type RecordType,
  toQueryMethod,
} from '../dns.js'
import { canonicalName, splitLabels } from '../wire/wire-name.js'
import { parseZone, type ZoneRecord } from './parse-zone.js'

/** A `Dns` over zone files. */
export interface ZoneDns extends Dns {
  /** Whether the name exists, also as an empty non-terminal or through a wildcard. */
  hasName(name: string): boolean
}

/** Creates a `Dns` from zone texts. `resolver` is the name in its answers; other names don't exist. */
export function createZoneDns(resolver: string, ...zones: string[]): ZoneDns {
  const byOwner = new Map<string, ZoneRecord[]>()
  for (const record of zones.flatMap(parseZone)) {
    const records = byOwner.get(record.owner)
    if (records) records.push(record)
    else byOwner.set(record.owner, [record])
  }
  const existing = new Set(['.', ...byOwner.keys()].flatMap(withAncestors))

  /** The records of a name or of the wildcard that applies to it (RFC 4592 §3.3.1). */
  function recordsAt(name: string): readonly ZoneRecord[] | null {
    if (existing.has(name)) return byOwner.get(name) ?? []
    const encloser = withAncestors(name).find((ancestor) => existing.has(ancestor))
    const wildcard = encloser === '.' ? '*' : `*.${encloser}`
    return existing.has(wildcard) ? (byOwner.get(wildcard) ?? []) : null
  }

  function resolve(name: string, type: RecordType): DnsAnswer {
    const cnames: string[] = []
    const aliases: ZoneRecord[] = []
    for (let at = name; ; ) {
      const records = recordsAt(at)
      const context = { cnames, extendedError: null, resolver }
      if (!records) return { kind: 'nxdomain', ttl: null, authenticated: false, ...context }
      const matching = records.filter((record) => record.type === type)
      if (matching.length > 0) return found(matching, aliases, context)
      const alias = records.find((record) => record.type === 'CNAME')
      if (!alias) return { kind: 'nodata', ttl: null, authenticated: false, ...context }
      at = alias.data
      if (at === name || cnames.includes(at)) {
        return failed('cname-loop', 'the CNAME records form a loop', { resolver })
      }
      cnames.push(at)
      aliases.push(alias)
    }
  }

  async function query(text: string, type: RecordType): Promise<DnsAnswer> {
    const name = canonicalName(text)
    return name === null ? failed('bad-name', 'not a valid DNS name') : resolve(name, type)
  }

  return {
    query: toQueryMethod(query),
    hasName(text) {
      const name = canonicalName(text)
      return name !== null && recordsAt(name) !== null
    },
  }
}

function found(
  records: readonly ZoneRecord[],
  aliases: readonly ZoneRecord[],
  context: AnswerContext,
): DnsAnswer {
  return {
    kind: 'records',
    records: records.map((record) => record.data),
    ttl: Math.min(...[...aliases, ...records].map((record) => record.ttl)),
    authenticated: false,
    ...context,
  }
}

/** The name and its ancestors, nearest first, the root last. */
function withAncestors(name: string): string[] {
  if (name === '.') return [name]
  const names: string[] = []
  let start = 0
  for (const label of splitLabels(name)) {
    names.push(name.slice(start))
    start += label.length + 1
  }
  return [...names, '.']
}
