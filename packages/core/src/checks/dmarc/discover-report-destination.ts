/** Whether reports can reach the destinations of a record (RFC 9990 §4, RFC 9991 §5). */
import type { Dns } from '@mailgrade/doh/dns'
import { MAX_DOMAIN_LENGTH } from '../../names/host-problem.js'
import { type DnsUnavailable, dnsUnavailable, isUnavailable } from '../check-result.js'
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
  /** Whether it belongs to another organization; null when unknown. */
  readonly external: boolean | null
  /** Whether receivers may send reports there; null when unknown. */
  readonly authorized: boolean | null
  /** Where the other organization publishes its consent. */
  readonly authorizationName: string
  /** Null when unknown. */
  readonly acceptsMail: boolean | null
  /** The failed queries that leave something unknown. */
  readonly failures: readonly DnsUnavailable[]
}

/** The domain of the policy, and the names queried so far. */
interface PolicyOwner {
  readonly domain: string
  readonly steps: QueriedSteps
}

export async function discoverReportDestination(
  dns: Dns,
  host: string,
  owner: PolicyOwner,
): Promise<ReportDestination> {
  const authorizationName = `${owner.domain}._report._dmarc.${host}`
  const [acceptsMail, { external, authorized }] = await Promise.all([
    canReceiveMail(dns, host),
    checkAuthorization(dns, host, owner, authorizationName),
  ])
  return {
    host,
    authorizationName,
    external: valueOrNull(external),
    authorized: valueOrNull(authorized),
    acceptsMail: valueOrNull(acceptsMail),
    // Without `external`, `authorized` is unknown for the same reason.
    failures: [...new Set([acceptsMail, external, authorized])].filter(isUnavailable),
  }
}

function valueOrNull(result: boolean | DnsUnavailable): boolean | null {
  return isUnavailable(result) ? null : result
}

interface Authorization {
  readonly external: boolean | DnsUnavailable
  readonly authorized: boolean | DnsUnavailable
}

async function checkAuthorization(
  dns: Dns,
  host: string,
  owner: PolicyOwner,
  authorizationName: string,
): Promise<Authorization> {
  const external = await isExternal(dns, host, owner)
  if (isUnavailable(external)) return { external, authorized: external }
  return { external, authorized: !external || (await isAuthorized(dns, authorizationName)) }
}

/**
 * Only a host at or below the policy's organizational domain can share it, so only such a host
 * needs a tree walk.
 */
async function isExternal(
  dns: Dns,
  host: string,
  { domain, steps }: PolicyOwner,
): Promise<boolean | DnsUnavailable> {
  if (host === domain) return false
  const own = walkTree(domain, steps)
  if (own.failure) return sharesTopLevel(host, domain) ? own.failure : true
  const organization = findOrganizationalDomain(own) ?? domain
  if (host === organization) return false
  if (!host.endsWith(`.${organization}`)) return true
  const missing = treeWalkDomains(host).filter((name) => !steps.has(name))
  const walk = walkTree(host, new Map([...steps, ...(await queryWalkSteps(dns, missing))]))
  return walk.failure ?? findOrganizationalDomain(walk) !== organization
}

function sharesTopLevel(one: string, other: string): boolean {
  return one.split('.').at(-1) === other.split('.').at(-1)
}

async function isAuthorized(dns: Dns, name: string): Promise<boolean | DnsUnavailable> {
  // RFC 9990 §4 step 4: a name too long for the DNS authorizes nothing.
  if (name.length > MAX_DOMAIN_LENGTH) return false
  const answer = await dns.query(name, 'TXT')
  if (answer.kind === 'failed') return dnsUnavailable(name, 'TXT', answer)
  return readTxtRecords(answer).some(isDmarcRecord)
}

/** Whether mail can be delivered: to a mail server, or else to the host's own address (RFC 5321 §5.1). */
export async function canReceiveMail(dns: Dns, host: string): Promise<boolean | DnsUnavailable> {
  const mx = await dns.query(host, 'MX')
  if (mx.kind === 'failed') return dnsUnavailable(host, 'MX', mx)
  if (mx.kind === 'records') return mx.records.some(({ exchange }) => exchange !== '.')
  if (mx.kind === 'nxdomain') return false
  const [ipv4, ipv6] = await Promise.all([dns.query(host, 'A'), dns.query(host, 'AAAA')])
  if (ipv4.kind === 'records' || ipv6.kind === 'records') return true
  if (ipv4.kind === 'failed') return dnsUnavailable(host, 'A', ipv4)
  return ipv6.kind === 'failed' ? dnsUnavailable(host, 'AAAA', ipv6) : false
}
