/** Plans the report addresses: keeps the current ones and adds a mailbox if none works. */
import { isFreeProvider } from '../../../catalog/free-providers.js'
import { type DnsUnavailable, dnsUnavailable } from '../../../checks/check-result.js'
import {
  discoverDmarc,
  mayReceiveReports,
  type ResolvedReportUri,
} from '../../../checks/dmarc/discover-dmarc.js'
import type { DmarcRecord } from '../../../checks/dmarc/dmarc-record.js'
import { repairReportUris, rewriteDmarcRecord } from '../../../checks/dmarc/rewrite-dmarc-record.js'
import { registrableDomain } from '../../../names/domain-name.js'
import { MAX_DOMAIN_LENGTH } from '../../../names/host-problem.js'
import { createOverlayDns } from '../../overlay-dns.js'
import type { DomainFacts } from '../discover-domain.js'
import type { MailUse, PlanContext } from '../plan-context.js'
import { createPlannedRecord, type Placeholder, type PlannedRecord } from '../planned-record.js'

export interface ReportAddresses {
  readonly kind: 'planned'
  /** The value of `rua`; null if there is none. */
  readonly rua: string | null
  readonly placeholders: readonly Placeholder[]
  /** Reports are delivered without a new address. */
  readonly areDelivered: boolean
  /** Hosts of other organizations that have not agreed to receive reports. */
  readonly unauthorizedHosts: readonly string[]
  /** A mail address in it that may not exist yet. */
  readonly newMailbox: string | null
  /** What the owner should know about the addresses. */
  readonly notes: readonly string[]
}

const MAILBOX_TOKEN = '{report-mailbox}'

export async function planReportAddresses(
  { facts, mailUse, reportAddress }: PlanContext,
  base: DmarcRecord,
): Promise<ReportAddresses | DnsUnavailable> {
  const { receives } = mailUse
  const published = keptUris(base)
  const kept = withoutUseless(published)
  const notes = kept === published ? [] : [describeUseless(published)]
  const wanted = withoutUseless(reportAddress === null ? null : toMailtoUri(reportAddress))
  const isWanted = wanted !== null && !kept?.split(',').includes(wanted)
  const rua = isWanted ? joinUris(kept, wanted) : kept
  const today = await checkDestinations(facts, base, { rua, receives })
  if (today.kind === 'unavailable') return today
  const { areDelivered, unauthorizedHosts } = today
  const current: ReportAddresses = {
    kind: 'planned',
    rua,
    placeholders: [],
    areDelivered: areDelivered && rua === published,
    unauthorizedHosts,
    newMailbox: null,
    notes,
  }
  if (areDelivered || isWanted) return current
  const fallback = await findFallbackMailbox(facts, receives)
  if (fallback.kind === 'unavailable') return fallback
  // Stages need reports; a domain without mail does not need a placeholder.
  if (fallback.address === null) {
    return mailUse.sends || mailUse.sendsBelow
      ? withPlaceholder(facts, current)
      : { ...current, areDelivered: rua === published }
  }
  const uri = `mailto:${fallback.address}`
  const all = kept?.split(',').includes(uri) ? kept : joinUris(kept, uri)
  const added = await checkDestinations(facts, base, { rua: all, receives })
  if (added.kind === 'unavailable') return added
  return {
    ...current,
    rua: all,
    unauthorizedHosts: added.unauthorizedHosts,
    newMailbox: fallback.address,
  }
}

/** RFC 9989 §4.8: some characters have a meaning in the record or in the URI (RFC 6068 §2). */
function toMailtoUri(address: string): string {
  return `mailto:${address.replace(/[^\w.@+=~*'$-]/gu, encodeURIComponent).replaceAll('!', '%21')}`
}

/** Addresses that DNS hosts put into the records they create, whose reports the owner never sees. */
const HOST_DEFAULTS = /@(?:[a-z\d-]+\.)*onsecureserver\.net(?:!|$)/i

/** Without addresses at which the owner gets no reports. */
function withoutUseless(uris: string | null): string | null {
  const kept = uris?.split(',').filter((uri) => !isHostDefault(uri) && !isAtFreeProvider(uri)) ?? []
  return kept.join(',') || null
}

function isHostDefault(uri: string): boolean {
  return HOST_DEFAULTS.test(uri.trim())
}

/** RFC 9990 §4: a free provider never agrees to receive the reports of other domains. */
function isAtFreeProvider(uri: string): boolean {
  const host = /@([^!?]+)/.exec(uri)?.[1]?.trim().toLowerCase()
  return host !== undefined && isFreeProvider(host)
}

function describeUseless(uris: string | null): string {
  return uris?.split(',').some(isHostDefault)
    ? 'Your reports went to the DNS host, which does not show them to you.'
    : 'Receivers do not send your reports to a free mailbox, because its provider has not agreed to that (RFC 9990 §4).'
}

function withPlaceholder({ domain }: DomainFacts, current: ReportAddresses): ReportAddresses {
  const whereToFind = `An email address that you read, at a domain of your own. A free address, such as one at gmail.com, does not work. Another company must first publish a TXT record named ${domain}._report._dmarc.<its domain> with the value v=DMARC1.`
  const rua = joinUris(current.rua, `mailto:${MAILBOX_TOKEN}`)
  return { ...current, rua, placeholders: [{ token: MAILBOX_TOKEN, whereToFind }] }
}

function joinUris(kept: string | null, added: string): string {
  return kept ? `${kept},${added}` : added
}

/** Unchanged if the record has more URIs than receivers must read, so none is lost. */
function keptUris(base: DmarcRecord): string | null {
  const { unreadCount } = base.reportUris('rua')
  return (unreadCount > 0 ? base.tags.get('rua') : repairReportUris(base, 'rua').join(',')) || null
}

interface Destinations extends Pick<ReportAddresses, 'areDelivered' | 'unauthorizedHosts'> {
  readonly kind: 'checked'
}

/** Checks the addresses as if they were published in the domain's own record. */
async function checkDestinations(
  { dns, domain }: DomainFacts,
  base: DmarcRecord,
  { rua, receives }: Pick<ReportAddresses, 'rua'> & Pick<MailUse, 'receives'>,
): Promise<Destinations | DnsUnavailable> {
  const value = rewriteDmarcRecord(base, { p: 'none', rua })
  const published = createOverlayDns(dns, [{ type: 'TXT', name: `_dmarc.${domain}`, value }])
  const discovered = await discoverDmarc(published, domain)
  if (discovered.kind === 'unavailable') return discovered
  if (discovered.kind !== 'facts' || !discovered.facts.applied) {
    return { kind: 'checked', areDelivered: false, unauthorizedHosts: [] }
  }
  const { applied, rua: aggregate, ruf: failure } = discovered.facts
  // Whether the domain itself receives mail depends on the plan.
  const isReachable = ({ host }: ResolvedReportUri) => receives || host !== domain
  const unauthorizedHosts = [...aggregate, ...failure].flatMap(({ destination }) =>
    destination?.authorized === false && destination.acceptsMail !== false
      ? [destination.host]
      : [],
  )
  return {
    kind: 'checked',
    areDelivered: mayReceiveReports(
      { ...discovered.facts, rua: aggregate.filter(isReachable) },
      applied,
    ),
    unauthorizedHosts: [...new Set(unauthorizedHosts)],
  }
}

/** Null if neither the domain nor its organizational domain receives mail. */
async function findFallbackMailbox(
  { dns, domain }: DomainFacts,
  receives: boolean,
): Promise<{ readonly kind: 'found'; readonly address: string | null } | DnsUnavailable> {
  if (receives) return { kind: 'found', address: `dmarc@${domain}` }
  const organization = registrableDomain(domain)
  if (organization === domain) return { kind: 'found', address: null }
  const answer = await dns.query(organization, 'MX')
  if (answer.kind === 'failed') return dnsUnavailable(organization, 'MX', answer)
  const receivesMail =
    answer.kind === 'records' && answer.records.some(({ exchange }) => exchange !== '.')
  return { kind: 'found', address: receivesMail ? `dmarc@${organization}` : null }
}

/** RFC 9990 §4: receivers send reports to another organization only with such a record. */
export function reportAuthorizationRecords(
  domain: string,
  hosts: readonly string[],
): PlannedRecord[] {
  return hosts
    .map((host) => ({ host, name: `${domain}._report._dmarc.${host}` }))
    .filter(({ name }) => name.length <= MAX_DOMAIN_LENGTH)
    .map(({ host, name }) => ({
      ...createPlannedRecord('dmarc', name, 'v=DMARC1'),
      why: `${host} counts as another organization; receivers send your reports there only if it publishes this record (RFC 9990 §4).`,
    }))
}
