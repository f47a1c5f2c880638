/** The DNS Tree Walk: which DMARC record holds for a name, and whose name it is (RFC 9989 §4.10). */
import type { Dns } from '@mailgrade/doh/dns'
import { MAX_DOMAIN_LENGTH } from '../../names/name-limits.js'
import { type DnsUnavailable, dnsUnavailable } from '../check-result.js'
import { readTxtRecords } from '../txt-records.js'
import { type DmarcRecord, isDmarcRecord, parseDmarcRecord } from './dmarc-record.js'

/** A name on the way up, and what is published there. */
export interface WalkStep {
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
export type QueriedSteps = ReadonlyMap<string, WalkStep | DnsUnavailable>

export interface TreeWalk {
  readonly start: string
  /** Those reached, from the start up. */
  readonly steps: readonly WalkStep[]
  /** The question that ended the walk before its time. */
  readonly failure: DnsUnavailable | null
}

/** A record that stands alone at its name; several cancel each other. */
export interface FoundDmarcRecord {
  readonly step: WalkStep
  readonly record: DmarcRecord
}

/** The walk takes eight steps at most: longer names are cut to seven labels after the first. */
const MAX_PARENT_LABELS = 7

/** The names that a walk may come to, in order. */
export function treeWalkDomains(start: string): string[] {
  const labels = start.split('.')
  const parents = labels.slice(1).slice(-MAX_PARENT_LABELS)
  return [start, ...parents.map((_, index) => parents.slice(index).join('.'))]
}

/** Looks at names all at once, since they do not depend on each other. */
export async function queryWalkSteps(dns: Dns, domains: readonly string[]): Promise<QueriedSteps> {
  const visited = await Promise.all(domains.map((domain) => visitOne(dns, domain)))
  return new Map(domains.map((domain, index) => [domain, visited[index] ?? emptyWalkStep(domain)]))
}

async function visitOne(dns: Dns, domain: string): Promise<WalkStep | DnsUnavailable> {
  const station = emptyWalkStep(domain)
  // A name that does not fit into the DNS holds no record.
  if (station.name.length > MAX_DOMAIN_LENGTH) return station
  const answer = await dns.query(station.name, 'TXT')
  if (answer.kind === 'failed') return dnsUnavailable(station.name, 'TXT', answer)
  const texts = readTxtRecords(answer)
  const records = texts.filter(isDmarcRecord).map(parseDmarcRecord)
  return { ...station, texts, records, cnames: answer.cnames }
}

export function emptyWalkStep(domain: string): WalkStep {
  return { domain, name: `_dmarc.${domain}`, texts: [], records: [], cnames: [] }
}

export function walkTree(start: string, visited: QueriedSteps): TreeWalk {
  const stations: WalkStep[] = []
  for (const domain of treeWalkDomains(start)) {
    const station = visited.get(domain) ?? emptyWalkStep(domain)
    if ('kind' in station) return { start, steps: stations, failure: station }
    stations.push(station)
    const found = soleRecord(station)
    if (found && (hasPsdTag(found, 'y') || hasPsdTag(found, 'n'))) break
  }
  return { start, steps: stations, failure: null }
}

/** The name of the organisation, or null when the walk failed before it could be known (§4.10.2). */
export function findOrganizationalDomain(walked: TreeWalk): string | null {
  if (walked.failure) return null
  const found = foundOn(walked)
  const marked = found.find((each) => hasPsdTag(each, 'n') || hasPsdTag(each, 'y'))
  if (!marked) return found.at(-1)?.step.domain ?? walked.start
  const { domain } = marked.step
  return hasPsdTag(marked, 'n') ? domain : oneLabelBelow(domain, walked.start)
}

/** The record to apply to the start of the walk; null when there is none (§4.10.1). */
export function findApplicableRecord(walked: TreeWalk): FoundDmarcRecord | DnsUnavailable | null {
  const found = foundOn(walked)
  const own = found.find(({ step }) => step.domain === walked.start)
  if (own) return own
  if (walked.failure) return walked.failure
  const organization = findOrganizationalDomain(walked)
  const organizations = found.find(({ step }) => step.domain === organization)
  const last = found.at(-1)
  return organizations ?? (last && hasPsdTag(last, 'y') ? last : null)
}

function soleRecord(station: WalkStep): FoundDmarcRecord | null {
  const [record, ...others] = station.records
  return record && others.length === 0 ? { step: station, record } : null
}

export function hasPsdTag({ record }: FoundDmarcRecord, value: 'y' | 'n'): boolean {
  return record.tags.get('psd')?.toLowerCase() === value
}

function foundOn({ steps }: TreeWalk): FoundDmarcRecord[] {
  return steps.flatMap((station) => soleRecord(station) ?? [])
}

/** The name itself, where that is the parent already. */
function oneLabelBelow(parent: string, descendant: string): string {
  const labels = descendant.split('.')
  return labels.slice(-(parent.split('.').length + 1)).join('.')
}
