/** Whether reports can go where a record sends them (RFC 9990 §4, RFC 9991 §5). */
import type { Dns } from '@mailgrade/doh/dns'
import { MAX_DOMAIN_LENGTH } from '../../names/name-limits.js'
import { type DnsUnavailable, dnsUnavailable } from '../check-result.js'
import { readTxtRecords } from '../txt-records.js'
import { isDmarcRecord } from './dmarc-record.js'
import {
  findOrganizationalDomain,
  type QueriedSteps,
  queryWalkSteps,
  treeWalkDomains,
  walkTree,
} from './tree-walk.js'

export interface ReportDestination {
  readonly host: string
  /** Whether it belongs to another organisation; null when the domain's own is not known. */
  readonly external: boolean | null
  /** Whether receivers may send reports there; null when that depends on what is not known. */
  readonly authorized: boolean | null
  /** Where the other organisation says that it takes them. */
  readonly authorizationName: string
  readonly acceptsMail: boolean
}

/** Whom the policy belongs to, and what has been asked so far. */
export interface PolicyOwner {
  readonly domain: string
  readonly steps: QueriedSteps
}

export async function discoverReportDestination(
  dns: Dns,
  host: string,
  owner: PolicyOwner,
): Promise<ReportDestination | DnsUnavailable> {
  const authorizationName = `${owner.domain}._report._dmarc.${host}`
  const [acceptsMail, relation] = await Promise.all([
    canReceive(dns, host),
    relate(dns, host, owner, authorizationName),
  ])
  if (typeof acceptsMail !== 'boolean') return acceptsMail
  if ('kind' in relation) return relation
  return { host, authorizationName, acceptsMail, ...relation }
}

type Relation = Pick<ReportDestination, 'external' | 'authorized'>

async function relate(
  dns: Dns,
  host: string,
  owner: PolicyOwner,
  authorizationName: string,
): Promise<Relation | DnsUnavailable> {
  const external = await isExternal(dns, host, owner)
  if (external === null) return { external, authorized: null }
  if (external === false) return { external, authorized: true }
  if (external !== true) return external
  const authorized = await isAuthorized(dns, authorizationName)
  return typeof authorized === 'boolean' ? { external, authorized } : authorized
}

/**
 * An organisational domain is the name itself or stands above it, so only a host at or below that
 * of the policy can share it: just for those another walk is needed, and not from the domain itself.
 */
async function isExternal(
  dns: Dns,
  host: string,
  { domain, steps }: PolicyOwner,
): Promise<boolean | DnsUnavailable | null> {
  if (host === domain) return false
  const organization = findOrganizationalDomain(walkTree(domain, steps))
  if (organization === null) return sharesTopLevel(host, domain) ? null : true
  if (host === organization) return false
  if (!host.endsWith(`.${organization}`)) return true
  const unvisited = treeWalkDomains(host).filter((each) => !steps.has(each))
  const walked = walkTree(host, new Map([...steps, ...(await queryWalkSteps(dns, unvisited))]))
  return walked.failure ?? findOrganizationalDomain(walked) !== organization
}

function sharesTopLevel(one: string, other: string): boolean {
  return one.split('.').at(-1) === other.split('.').at(-1)
}

async function isAuthorized(dns: Dns, name: string): Promise<boolean | DnsUnavailable> {
  // RFC 9990 §4 step 4: a name that the DNS cannot hold authorises nothing.
  if (name.length > MAX_DOMAIN_LENGTH) return false
  const answer = await dns.query(name, 'TXT')
  if (answer.kind === 'failed') return dnsUnavailable(name, 'TXT', answer)
  return readTxtRecords(answer).some(isDmarcRecord)
}

/** Whether there is anywhere to deliver to: a mail server or, failing that, an address (RFC 5321 §5.1). */
async function canReceive(dns: Dns, host: string): Promise<boolean | DnsUnavailable> {
  const mx = await dns.query(host, 'MX')
  if (mx.kind === 'failed') return dnsUnavailable(host, 'MX', mx)
  if (mx.kind === 'records') return mx.records.some(({ exchange }) => exchange !== '.')
  if (mx.kind === 'nxdomain') return false
  const [ipv4, ipv6] = await Promise.all([dns.query(host, 'A'), dns.query(host, 'AAAA')])
  if (ipv4.kind === 'records' || ipv6.kind === 'records') return true
  if (ipv4.kind === 'failed') return dnsUnavailable(host, 'A', ipv4)
  return ipv6.kind === 'failed' ? dnsUnavailable(host, 'AAAA', ipv6) : false
}
