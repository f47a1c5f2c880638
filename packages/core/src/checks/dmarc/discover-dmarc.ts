/** Which policy applies to a domain, which record it comes from, and where reports go (RFC 9989 §4.10.1). */
import type { Dns, DnsAnswer } from '@mailgrade/doh/dns'
import type { DomainName } from '../../names/domain-name.js'
import {
  type Discovery,
  type DnsUnavailable,
  dnsUnavailable,
  isNonexistent,
  isUnavailable,
} from '../check-result.js'
import {
  canReceiveMail,
  discoverReportDestination,
  type ReportDestination,
} from './discover-report-destination.js'
import {
  type DmarcPolicies,
  findRfc7489Policy,
  parsePolicies,
  type Rfc7489Policy,
  rfc7489OrganizationalDomain,
} from './dmarc-policies.js'
import {
  type DmarcPolicy,
  parseDmarcRecord,
  REPORT_URI_TAGS,
  type ReportUriTag,
} from './dmarc-record.js'
import type { ReportUri } from './report-uri.js'
import { rewriteDmarcRecord } from './rewrite-dmarc-record.js'
import {
  emptyWalkStep,
  type FoundDmarcRecord,
  findApplicableRecord,
  findOrganizationalDomain,
  findOwnOrganization,
  isPublicSuffixRecord,
  type QueriedSteps,
  queryWalkSteps,
  type TreeWalk,
  treeWalkDomains,
  walkTree,
} from './tree-walk.js'
import {
  doubledDmarcName,
  findMovableRecord,
  findNearMiss,
  type MisplacedRecords,
  queryMisplacedRecords,
} from './unapplied-record.js'

/** More than any real record needs; a limit against abuse. */
const MAX_DESTINATIONS = 10

export interface ResolvedReportUri extends ReportUri {
  /** Null when there is no host, or it was not looked up. */
  readonly destination: ReportDestination | null
}

/** `policies` is null when receivers must not apply the record. */
export interface AppliedDmarcRecord extends FoundDmarcRecord {
  readonly policies: DmarcPolicies | null
}

/** By host. */
type Destinations = ReadonlyMap<string, ReportDestination>

export interface DmarcFacts {
  readonly domain: DomainName
  /** The names that a walk may reach, and the one where older receivers look. */
  readonly queried: QueriedSteps
  readonly walk: TreeWalk
  /** Null when the tree walk could not be finished. */
  readonly organizationalDomain: string | null
  /** The record that applies to the domain. */
  readonly applied: AppliedDmarcRecord | null
  readonly policy: DmarcPolicy | null
  /** The record that applies to names below the domain without their own. */
  readonly appliedToSubdomains: AppliedDmarcRecord | null
  readonly rfc7489: Rfc7489Policy | null
  readonly rua: readonly ResolvedReportUri[]
  readonly ruf: readonly ResolvedReportUri[]
  readonly misplaced: MisplacedRecords
  /** Where the applied record sends reports, or the one that was meant if none is in effect. */
  readonly destinations: Destinations
  /**
   * Whether the names at which a report mailbox may be proposed can receive mail; null when that
   * query failed. Empty when no mailbox is needed.
   */
  readonly receivesMail: ReadonlyMap<string, boolean | null>
}

export async function discoverDmarc(
  dns: Dns,
  domain: DomainName,
  parse = parseDmarcRecord,
): Promise<Discovery<DmarcFacts>> {
  // The MX query shows whether the domain exists; other checks need it and the TXT query as well.
  const [steps, mx, atDomain] = await Promise.all([
    queryWalkSteps(
      dns,
      [...new Set([...treeWalkDomains(domain), rfc7489OrganizationalDomain(domain)])],
      parse,
    ),
    dns.query(domain, 'MX'),
    queryMisplacedRecords(dns, domain),
  ])
  const walk = walkTree(domain, steps)
  const found = findApplicableRecord(walk)
  if (isUnavailable(found)) return found
  if (!found && mx.kind === 'failed') return dnsUnavailable(domain, 'MX', mx)
  if (!found && isNonexistent(mx)) return { kind: 'unknown-domain' }

  const applied = found && withPolicies(found)
  const policy = policyFor(domain, applied, mx)
  if (isUnavailable(policy)) return policy
  const isOwnUsable = applied?.step.domain === domain && policy !== null
  const [inUse, atDoubledName] = await Promise.all([
    applied?.policies ? lookUpDestinations(dns, applied, steps) : NO_DESTINATIONS,
    isOwnUsable ? [] : queryMisplacedRecords(dns, doubledDmarcName(domain)),
  ])
  const known: Omit<DmarcFacts, 'receivesMail'> = {
    domain,
    queried: steps,
    walk,
    organizationalDomain: findOrganizationalDomain(walk),
    applied,
    policy,
    appliedToSubdomains: findRecordBelow(domain, steps),
    rfc7489: findRfc7489Policy(domain, steps),
    rua: resolveUris(applied, 'rua', inUse),
    ruf: resolveUris(applied, 'ruf', inUse),
    misplaced: { atDomain, atDoubledName },
    destinations: inUse,
  }
  const meant = policy ? null : findMeantRecord(known)
  const [destinations, receivesMail] = await Promise.all([
    meant ? lookUpDestinations(dns, meant, steps) : inUse,
    lookUpMailboxDomains(dns, mailboxDomains(known, meant)),
  ])
  return { kind: 'facts', facts: { receivesMail, ...known, destinations } }
}

function withPolicies(found: FoundDmarcRecord): AppliedDmarcRecord {
  return { policies: parsePolicies(found.record), ...found }
}

function policyFor(
  domain: string,
  applied: AppliedDmarcRecord | null,
  mx: DnsAnswer<'MX'>,
): DmarcPolicy | DnsUnavailable | null {
  if (!applied?.policies) return null
  const { domain: own, subdomains, nonexistent } = applied.policies
  if (applied.step.domain === domain) return own
  if (subdomains === nonexistent) return subdomains
  if (mx.kind === 'failed') return dnsUnavailable(domain, 'MX', mx)
  return isNonexistent(mx) ? nonexistent : subdomains
}

/**
 * `sp` and `np` count only in the record of the organizational domain (RFC 9989 §4.7), so the
 * policy below a domain is found as receivers find it: with a walk from there.
 */
function findRecordBelow(domain: string, steps: QueriedSteps): AppliedDmarcRecord | null {
  const child = `*.${domain}`
  const found = findApplicableRecord(
    walkTree(child, new Map([...steps, [child, emptyWalkStep(child)]])),
  )
  return found && !isUnavailable(found) ? withPolicies(found) : null
}

/** As it would be published; null when nothing was meant, or it is unclear what. */
function findMeantRecord({
  walk,
  applied,
  misplaced,
}: Pick<DmarcFacts, 'walk' | 'applied' | 'misplaced'>): FoundDmarcRecord | null {
  const meant = applied ?? findNearMiss(walk) ?? findMovableRecord(walk, misplaced)
  return meant && { ...meant, record: parseDmarcRecord(rewriteDmarcRecord(meant.record)) }
}

const NO_DESTINATIONS: Destinations = new Map()

async function lookUpDestinations(
  dns: Dns,
  { step, record }: FoundDmarcRecord,
  steps: QueriedSteps,
): Promise<Destinations> {
  const uris = REPORT_URI_TAGS.flatMap((tag) => record.reportUris(tag).uris)
  const hosts = [...new Set(uris.flatMap(({ host }) => host ?? []))].slice(0, MAX_DESTINATIONS)
  const owner = { domain: step.domain, steps }
  const found = await Promise.all(hosts.map((host) => discoverReportDestination(dns, host, owner)))
  return new Map(found.map((destination) => [destination.host, destination]))
}

function resolveUris(
  applied: AppliedDmarcRecord | null,
  tag: ReportUriTag,
  destinations: Destinations,
): ResolvedReportUri[] {
  const uris = applied?.record.reportUris(tag).uris ?? []
  return uris.map((uri) => ({ destination: destinations.get(uri.host ?? '') ?? null, ...uri }))
}

/** Without reports, a stricter policy cannot be known to be safe. */
export function mayReceiveReports(
  { rua }: Pick<DmarcFacts, 'rua'>,
  { record, step }: FoundDmarcRecord,
): boolean {
  const hasUnreadUris = record.reportUris('rua').unreadCount > 0
  return hasUnreadUris || rua.some((target) => mayReceive(target, step.domain))
}

/**
 * A destination that was not looked up, or not completely, may work. The policy's own domain counts
 * even if it accepts no mail, because that has its own finding.
 */
function mayReceive({ host, destination }: ResolvedReportUri, owner: string): boolean {
  if (host === null || destination?.authorized === false) return false
  return host === owner || destination?.acceptsMail !== false
}

/** The names at which the advice may propose a mailbox for reports. */
function mailboxDomains(
  facts: Omit<DmarcFacts, 'receivesMail'>,
  meant: FoundDmarcRecord | null,
): string[] {
  const { domain, organizationalDomain, applied, appliedToSubdomains } = facts
  if (!applied) return [rfc7489OrganizationalDomain(domain), ...(meant ? [meant.step.domain] : [])]
  const isRegistry = (found: FoundDmarcRecord | null) =>
    found !== null && isPublicSuffixRecord(found, domain)
  const needsOwn = !isRegistry(applied) && !mayReceiveReports(facts, applied)
  return [
    ...(isRegistry(applied) || isRegistry(appliedToSubdomains)
      ? [findOwnOrganization(domain, organizationalDomain)]
      : []),
    ...(needsOwn ? [applied.step.domain] : []),
  ]
}

async function lookUpMailboxDomains(
  dns: Dns,
  domains: readonly string[],
): Promise<DmarcFacts['receivesMail']> {
  const found = await Promise.all(
    [...new Set(domains)].map(async (domain) => {
      const receives = await canReceiveMail(dns, domain)
      return [domain, isUnavailable(receives) ? null : receives] as const
    }),
  )
  return new Map(found)
}
