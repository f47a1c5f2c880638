/** The DNS Tree Walk: which DMARC record applies to a name, and its organizational domain (RFC 9989 §4.10). */
import { type Dns, type DnsAnswer, type DnsQuery, queryAll } from '@mailgrade/doh/dns'
import { MAX_DOMAIN_LENGTH } from '../../names/host-problem.js'
import { registrableDomain } from '../../names/registrable-domain.js'
import { type DnsUnavailable, dnsUnavailable, isUnavailable } from '../check-result.js'
import { readTxtRecords, selectRecords } from '../txt-records.js'
import { type DmarcRecord, isDmarcRecord, parseDmarcRecord } from './dmarc-record.js'

/** A name on the way up, and the records at it. */
export interface WalkStep {
  readonly domain: string
  /** The `_dmarc` name of the domain. */
  readonly name: string
  /** Every TXT record at it. */
  readonly texts: readonly string[]
  /** The DMARC records among them, or a few of very many. */
  readonly records: readonly DmarcRecord[]
  readonly recordCount: number
  readonly cnames: readonly string[]
}

export type QueriedStep = WalkStep | DnsUnavailable

/** By domain; also names that a walk does not reach. */
export type QueriedSteps = ReadonlyMap<string, QueriedStep>

export interface TreeWalk {
  readonly start: string
  /** The names reached, from the start up. */
  readonly steps: readonly WalkStep[]
  /** The failed query that ended the walk early. */
  readonly failure: DnsUnavailable | null
}

/** The only record at its name; several cancel each other out. */
export interface FoundDmarcRecord {
  readonly step: WalkStep
  readonly record: DmarcRecord
}

/** The walk has at most eight steps: after the first, longer names are cut to seven labels. */
const MAX_PARENT_LABELS = 7

/** The names that a walk may reach, in order. */
export function treeWalkDomains(start: string): string[] {
  const labels = start.split('.')
  const parents = labels.slice(1).slice(-MAX_PARENT_LABELS)
  return [start, ...parents.map((_, index) => parents.slice(index).join('.'))]
}

/** Queries all names at once, since they do not depend on each other. */
export async function queryWalkSteps(
  dns: Dns,
  domains: readonly string[],
  parse = parseDmarcRecord,
): Promise<QueriedSteps> {
  const steps = domains.map(emptyWalkStep)
  // A name too long for the DNS has no record.
  const existing = steps.filter(({ name }) => name.length <= MAX_DOMAIN_LENGTH)
  const queries = existing.map(({ name }): DnsQuery<'TXT'> => ({ name, type: 'TXT' }))
  const answers = await queryAll(dns, queries)
  const queried = new Map<string, QueriedStep>()
  for (const step of steps) queried.set(step.domain, step)
  for (const [index, step] of existing.entries()) {
    queried.set(step.domain, readWalkStep(step, answers[index] as DnsAnswer<'TXT'>, parse))
  }
  return queried
}

export async function queryWalkStep(dns: Dns, domain: string): Promise<QueriedStep> {
  const steps = await queryWalkSteps(dns, [domain])
  return steps.get(domain) ?? emptyWalkStep(domain)
}

function readWalkStep(
  step: WalkStep,
  answer: DnsAnswer<'TXT'>,
  parse: typeof parseDmarcRecord,
): QueriedStep {
  if (answer.kind === 'failed') return dnsUnavailable(step.name, 'TXT', answer)
  const texts = readTxtRecords(answer)
  const found = texts.filter(isDmarcRecord)
  const records = selectRecords(found, (text) => text).map(parse)
  return { ...step, texts, records, recordCount: found.length, cnames: answer.cnames }
}

export function emptyWalkStep(domain: string): WalkStep {
  return { domain, name: `_dmarc.${domain}`, texts: [], records: [], recordCount: 0, cnames: [] }
}

export function walkTree(start: string, queried: QueriedSteps): TreeWalk {
  const steps: WalkStep[] = []
  for (const domain of treeWalkDomains(start)) {
    const step = queried.get(domain) ?? emptyWalkStep(domain)
    if (isUnavailable(step)) return { start, steps, failure: step }
    steps.push(step)
    const found = soleRecord(step)
    if (found && (hasPsdTag(found, 'y') || hasPsdTag(found, 'n'))) break
  }
  return { start, steps, failure: null }
}

/** The organizational domain; null when the walk failed before reaching it (§4.10.2). */
export function findOrganizationalDomain(walk: TreeWalk): string | null {
  if (walk.failure) return null
  const found = foundRecords(walk)
  const marked = found.find((each) => hasPsdTag(each, 'n') || hasPsdTag(each, 'y'))
  if (!marked) return found.at(-1)?.step.domain ?? walk.start
  const { domain } = marked.step
  return hasPsdTag(marked, 'n') ? domain : oneLabelBelow(domain, walk.start)
}

/** The record that applies to the start of the walk; null when none does (§4.10.1). */
export function findApplicableRecord(walk: TreeWalk): FoundDmarcRecord | DnsUnavailable | null {
  const found = foundRecords(walk)
  const own = found.find(({ step }) => step.domain === walk.start)
  if (own) return own
  if (walk.failure) return walk.failure
  const organization = findOrganizationalDomain(walk)
  const inherited = found.find(({ step }) => step.domain === organization)
  const last = found.at(-1)
  return inherited ?? (last && hasPsdTag(last, 'y') ? last : null)
}

function soleRecord(step: WalkStep): FoundDmarcRecord | null {
  const [record, ...others] = step.records
  return record && others.length === 0 ? { step, record } : null
}

function hasPsdTag({ record }: FoundDmarcRecord, value: 'y' | 'n'): boolean {
  return record.tags.get('psd')?.toLowerCase() === value
}

/** A record that a public suffix operator publishes for domains without one (RFC 9989 §4.10.1). */
export function isPublicSuffixRecord(found: FoundDmarcRecord, domain: string): boolean {
  const owner = found.step.domain
  return owner !== domain && (hasPsdTag(found, 'y') || isPublicSuffixAbove(owner, domain))
}

/** Where the registry does not say `psd=y`, only the public suffix list shows it. */
export function isPublicSuffixAbove(name: string, domain: string): boolean {
  return registrableDomain(domain).endsWith(`.${name}`)
}

/** What the domain's owner can publish for: RFC 9989 §4.10.2 may find the registry's name. */
export function findOwnOrganization(domain: string, organizationalDomain: string | null): string {
  if (organizationalDomain === null) return domain
  return isPublicSuffixAbove(organizationalDomain, domain)
    ? registrableDomain(domain)
    : organizationalDomain
}

function foundRecords({ steps }: TreeWalk): FoundDmarcRecord[] {
  return steps.flatMap((step) => soleRecord(step) ?? [])
}

/** The descendant itself, if it is the parent. */
function oneLabelBelow(parent: string, descendant: string): string {
  const labels = descendant.split('.')
  return labels.slice(-(parent.split('.').length + 1)).join('.')
}
