/**
 * A `Dns` that answers from zone files, as an authoritative server would: the sandbox's demo
 * domains, and the small worlds of the tests.
 */
import { type Dns, type DnsAnswer, failed, type RecordType } from '../dns.js'
import { splitLabels } from '../escaped-text.js'
import { canonicalName } from '../wire/wire-name.js'
import { parseZone, type ZoneRecord } from './parse-zone.js'

export interface ZoneDns extends Dns {
  /** Whether the zones know this name, be it only through a name below it or a wildcard above. */
  hasName(name: string): boolean
}

/** The whole world is what `texts` say: any other name does not exist. */
export function createZoneDns(resolver: string, ...texts: string[]): ZoneDns {
  const byOwner = new Map<string, ZoneRecord[]>()
  for (const record of texts.flatMap(parseZone)) {
    byOwner.set(record.owner, [...(byOwner.get(record.owner) ?? []), record])
  }
  const existing = new Set(['.', ...byOwner.keys()].flatMap(withAncestors))

  /** The records at a name, or at the wildcard that stands in for it (RFC 4592 §3.3.1). */
  function recordsAt(name: string): readonly ZoneRecord[] | null {
    if (existing.has(name)) return byOwner.get(name) ?? []
    const encloser = withAncestors(name).find((ancestor) => existing.has(ancestor))
    const wildcard = encloser === '.' ? '*' : `*.${encloser}`
    return existing.has(wildcard) ? (byOwner.get(wildcard) ?? []) : null
  }

  function answer(name: string, type: RecordType): DnsAnswer {
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
        return failed('cname-loop', 'its CNAMEs lead back to themselves', { resolver })
      }
      cnames.push(at)
      aliases.push(alias)
    }
  }

  async function ask(text: string, type: RecordType): Promise<DnsAnswer> {
    const name = canonicalName(text)
    return name === null
      ? failed('bad-name', 'no DNS name can be written like this')
      : answer(name, type)
  }

  return {
    query: ask as Dns['query'],
    hasName(text) {
      const name = canonicalName(text)
      return name !== null && recordsAt(name) !== null
    },
  }
}

function found(
  records: readonly ZoneRecord[],
  aliases: readonly ZoneRecord[],
  context: Pick<DnsAnswer, 'cnames' | 'extendedError' | 'resolver'>,
): DnsAnswer {
  return {
    kind: 'records',
    records: records.map((record) => record.data),
    ttl: Math.min(...[...aliases, ...records].map((record) => record.ttl)),
    authenticated: false,
    ...context,
  }
}

/** The name and everything above it, nearest first, the root last. */
function withAncestors(name: string): string[] {
  if (name === '.') return [name]
  const labels = splitLabels(name)
  return [...labels.map((_, index) => labels.slice(index).join('.')), '.']
}
