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
import { discoverReportDestination, type ReportDestination } from './discover-report-destination.js'
import {
  type DmarcPolicies,
  findRfc7489Policy,
  parsePolicies,
  type Rfc7489Policy,
  rfc7489OrganizationalDomain,
} from './dmarc-policies.js'
import type { DmarcPolicy } from './dmarc-record.js'
import type { ReportUri } from './report-uri.js'
import {
  emptyWalkStep,
  type FoundDmarcRecord,
  findApplicableRecord,
  findOrganizationalDomain,
  type QueriedSteps,
  queryWalkSteps,
  type TreeWalk,
  treeWalkDomains,
  walkTree,
} from './tree-walk.js'

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

export interface DmarcFacts {
  readonly domain: DomainName
  /** From its MX alone: a domain without MX may still receive mail at its address. */
  readonly hasNullMx: boolean
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
}

export async function discoverDmarc(dns: Dns, domain: DomainName): Promise<Discovery<DmarcFacts>> {
  // The MX query shows whether the domain exists; other checks need it as well.
  const [steps, mx] = await Promise.all([
    queryWalkSteps(dns, [
      ...new Set([...treeWalkDomains(domain), rfc7489OrganizationalDomain(domain)]),
    ]),
    dns.query(domain, 'MX'),
  ])
  const walk = walkTree(domain, steps)
  const found = findApplicableRecord(walk)
  if (isUnavailable(found)) return found
  if (!found && mx.kind === 'failed') return dnsUnavailable(domain, 'MX', mx)
  if (!found && isNonexistent(mx)) return { kind: 'unknown-domain' }

  const applied = found && withPolicies(found)
  const policy = policyFor(domain, applied, mx)
  if (isUnavailable(policy)) return policy
  const targets = await discoverTargets(dns, applied, steps)
  if (isUnavailable(targets)) return targets
  return {
    kind: 'facts',
    facts: {
      domain,
      hasNullMx: isNullMx(mx),
      walk,
      organizationalDomain: findOrganizationalDomain(walk),
      applied,
      policy,
      appliedToSubdomains: findRecordBelow(domain, steps),
      rfc7489: findRfc7489Policy(domain, steps),
      ...targets,
    },
  }
}

/** RFC 7505 §3. */
function isNullMx(mx: DnsAnswer<'MX'>): boolean {
  return mx.kind === 'records' && mx.records.every(({ exchange }) => exchange === '.')
}

function withPolicies(found: FoundDmarcRecord): AppliedDmarcRecord {
  return { ...found, policies: parsePolicies(found.record) }
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

type Targets = Pick<DmarcFacts, 'rua' | 'ruf'>

async function discoverTargets(
  dns: Dns,
  applied: AppliedDmarcRecord | null,
  steps: QueriedSteps,
): Promise<Targets | DnsUnavailable> {
  const rua = applied?.record.reportUris('rua').uris ?? []
  const ruf = applied?.record.reportUris('ruf').uris ?? []
  const destinations = new Map<string, ReportDestination>()
  if (applied?.policies) {
    const hosts = new Set([...rua, ...ruf].flatMap(({ host }) => host ?? []))
    const owner = { domain: applied.step.domain, steps }
    const found = await Promise.all(
      [...hosts]
        .slice(0, MAX_DESTINATIONS)
        .map((host) => discoverReportDestination(dns, host, owner)),
    )
    for (const destination of found) {
      if (isUnavailable(destination)) return destination
      destinations.set(destination.host, destination)
    }
  }
  const withDestination = (uri: ReportUri): ResolvedReportUri => ({
    ...uri,
    destination: destinations.get(uri.host ?? '') ?? null,
  })
  return { rua: rua.map(withDestination), ruf: ruf.map(withDestination) }
}
