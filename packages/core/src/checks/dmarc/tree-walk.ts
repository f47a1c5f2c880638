/** The DNS Tree Walk: which DMARC record holds for a name, and whose name it is (RFC 9989 §4.10). */
import type { Dns } from '@mailgrade/doh/dns'
import { MAX_NAME_OCTETS } from '../../names/name-limits.js'
import { type Unavailable, unavailable } from '../checked.js'
import { textsOf } from '../txt.js'
import { type DmarcRecord, isDmarcRecord, parseDmarcRecord } from './dmarc-record.js'

/** A name on the way up, and what is published there. */
export interface Station {
  readonly domain: string
  /** Where its DMARC record stands. */
  readonly name: string
  /** Every TXT record there. */
  readonly texts: readonly string[]
  /** Those of them that are DMARC records. */
  readonly records: readonly DmarcRecord[]
  readonly cnames: readonly string[]
}

/** What was asked about names, whether or not a walk gets there. */
export type Stations = ReadonlyMap<string, Station | Unavailable>

export interface Walk {
  readonly start: string
  /** Those reached, from the start up. */
  readonly stations: readonly Station[]
  /** The question that ended the walk before its time. */
  readonly failure: Unavailable | null
}

/** A record that stands alone at its name; several cancel each other. */
export interface Found {
  readonly station: Station
  readonly record: DmarcRecord
}

/** The walk takes eight steps at most: longer names are cut to seven labels after the first. */
const MAX_PARENT_LABELS = 7

/** The names that a walk may come to, in order. */
export function walkDomains(start: string): string[] {
  const labels = start.split('.')
  const parents = labels.slice(1).slice(-MAX_PARENT_LABELS)
  return [start, ...parents.map((_, index) => parents.slice(index).join('.'))]
}

/** Looks at names all at once, since they do not depend on each other. */
export async function visit(dns: Dns, domains: readonly string[]): Promise<Stations> {
  const visited = await Promise.all(domains.map((domain) => visitOne(dns, domain)))
  return new Map(domains.map((domain, index) => [domain, visited[index] ?? emptyStation(domain)]))
}

async function visitOne(dns: Dns, domain: string): Promise<Station | Unavailable> {
  const station = emptyStation(domain)
  // A name that does not fit into the DNS holds no record.
  if (station.name.length > MAX_NAME_OCTETS) return station
  const answer = await dns.ask(station.name, 'TXT')
  if (answer.kind === 'failed') return unavailable(station.name, 'TXT', answer)
  const texts = textsOf(answer)
  const records = texts.filter(isDmarcRecord).map(parseDmarcRecord)
  return { ...station, texts, records, cnames: answer.cnames }
}

export function emptyStation(domain: string): Station {
  return { domain, name: `_dmarc.${domain}`, texts: [], records: [], cnames: [] }
}

export function walk(start: string, visited: Stations): Walk {
  const stations: Station[] = []
  for (const domain of walkDomains(start)) {
    const station = visited.get(domain) ?? emptyStation(domain)
    if ('kind' in station) return { start, stations, failure: station }
    stations.push(station)
    const found = soleRecord(station)
    if (found && (hasPsd(found, 'y') || hasPsd(found, 'n'))) break
  }
  return { start, stations, failure: null }
}

/** The name of the organisation, or null when the walk failed before it could be known (§4.10.2). */
export function organizationalDomain(walked: Walk): string | null {
  if (walked.failure) return null
  const found = foundOn(walked)
  const marked = found.find((each) => hasPsd(each, 'n') || hasPsd(each, 'y'))
  if (!marked) return found.at(-1)?.station.domain ?? walked.start
  const { domain } = marked.station
  return hasPsd(marked, 'n') ? domain : oneLabelBelow(domain, walked.start)
}

/** The record to apply to the start of the walk; null when there is none (§4.10.1). */
export function applicableRecord(walked: Walk): Found | Unavailable | null {
  const found = foundOn(walked)
  const own = found.find(({ station }) => station.domain === walked.start)
  if (own) return own
  if (walked.failure) return walked.failure
  const organization = organizationalDomain(walked)
  const organizations = found.find(({ station }) => station.domain === organization)
  const last = found.at(-1)
  return organizations ?? (last && hasPsd(last, 'y') ? last : null)
}

function soleRecord(station: Station): Found | null {
  const [record, ...others] = station.records
  return record && others.length === 0 ? { station, record } : null
}

export function hasPsd({ record }: Found, value: 'y' | 'n'): boolean {
  return record.tags.get('psd')?.toLowerCase() === value
}

function foundOn({ stations }: Walk): Found[] {
  return stations.flatMap((station) => soleRecord(station) ?? [])
}

/** The name itself, where that is the parent already. */
function oneLabelBelow(parent: string, descendant: string): string {
  const labels = descendant.split('.')
  return labels.slice(-(parent.split('.').length + 1)).join('.')
}
