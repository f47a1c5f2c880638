/** Where the reports go: where they go today, and where that leads nowhere, to the domain itself. */
import { type DnsUnavailable, dnsUnavailable } from '../../../checks/check-result.js'
import { mayReceiveReports } from '../../../checks/dmarc/asking-for-reports.js'
import { discoverDmarc, type ResolvedReportUri } from '../../../checks/dmarc/discover-dmarc.js'
import type { DmarcRecord } from '../../../checks/dmarc/dmarc-record.js'
import { repairReportUris, rewriteDmarcRecord } from '../../../checks/dmarc/rewrite-dmarc-record.js'
import { MAX_DOMAIN_LENGTH } from '../../../names/name-limits.js'
import { registrableDomain } from '../../../names/registrable-domain.js'
import { createOverlayDns } from '../../overlay-dns.js'
import type { DomainFacts } from '../discover-domain.js'
import type { MailUse } from '../plan-context.js'
import { createPlannedRecord, type Placeholder, type PlannedRecord } from '../planned-record.js'

export interface ReportAddresses {
  /** The value of `rua`; null for none. */
  readonly rua: string | null
  readonly placeholders: readonly Placeholder[]
  /** Nothing has to be added for reports to areDelivered. */
  readonly areDelivered: boolean
  /** Other organisations that would get them, but have not agreed. */
  readonly unauthorizedHosts: readonly string[]
}

const MAILBOX = '{report-mailbox}'

export async function planReportAddresses(
  facts: DomainFacts,
  base: DmarcRecord,
  { sends, receives }: MailUse,
): Promise<ReportAddresses | DnsUnavailable> {
  const kept = keptUris(base)
  const today = await followed(facts, base, { rua: kept, receives })
  if ('kind' in today) return today
  const as = { rua: kept, placeholders: [], ...today }
  if (today.areDelivered) return as
  const own = await ownMailbox(facts, receives)
  if (own !== null && typeof own !== 'string') return own
  if (own === null) return sends ? withGap(facts, as) : { ...as, areDelivered: true }
  const rua = kept?.split(',').includes(own) ? kept : joined(kept, own)
  const then = await followed(facts, base, { rua, receives })
  if ('kind' in then) return then
  return { rua, placeholders: [], unauthorizedHosts: then.unauthorizedHosts, areDelivered: false }
}

/** Who sends needs reports to go on; a domain without mail does without, rather than with a gap. */
function withGap({ domain }: DomainFacts, as: ReportAddresses): ReportAddresses {
  const whereToFind = `A mailbox that somebody reads, at a domain that receives mail. Where that is another organisation's, it has to publish ${domain}._report._dmarc.<its domain> TXT "v=DMARC1".`
  const rua = joined(as.rua, `mailto:${MAILBOX}`)
  return { ...as, rua, placeholders: [{ token: MAILBOX, whereToFind }] }
}

function joined(kept: string | null, added: string): string {
  return kept ? `${kept},${added}` : added
}

/** As written where there are more than were read: none is to be lost. */
function keptUris(base: DmarcRecord): string | null {
  const { unreadCount } = base.reportUris('rua')
  return (unreadCount > 0 ? base.tags.get('rua') : repairReportUris(base, 'rua').join(',')) || null
}

/** Looks where the addresses lead once they stand in a record of the domain's own. */
async function followed(
  { dns, domain }: DomainFacts,
  base: DmarcRecord,
  { rua, receives }: Pick<ReportAddresses, 'rua'> & Pick<MailUse, 'receives'>,
): Promise<Pick<ReportAddresses, 'areDelivered' | 'unauthorizedHosts'> | DnsUnavailable> {
  const value = rewriteDmarcRecord(base, { p: 'none', rua })
  const published = createOverlayDns(dns, [{ type: 'TXT', name: `_dmarc.${domain}`, value }])
  const discovered = await discoverDmarc(published, domain)
  if (discovered.kind === 'unavailable') return discovered
  if (discovered.kind !== 'report' || !discovered.report.applied) {
    return { areDelivered: false, unauthorizedHosts: [] }
  }
  const { applied, rua: aggregate, ruf: failure } = discovered.report
  // That the domain itself takes no mail is known better here than there.
  const isHeard = ({ host }: ResolvedReportUri) => receives || host !== domain
  const unauthorizedHosts = [...aggregate, ...failure].flatMap(({ destination }) =>
    destination?.authorized === false && destination.acceptsMail ? [destination.host] : [],
  )
  return {
    areDelivered: mayReceiveReports(
      { ...discovered.report, rua: aggregate.filter(isHeard) },
      applied,
    ),
    unauthorizedHosts: [...new Set(unauthorizedHosts)],
  }
}

/** Null where neither the domain nor the organisation above it receives mail. */
async function ownMailbox(
  { dns, domain }: DomainFacts,
  receives: boolean,
): Promise<string | DnsUnavailable | null> {
  if (receives) return `mailto:dmarc@${domain}`
  const organization = registrableDomain(domain)
  if (organization === domain) return null
  const answer = await dns.query(organization, 'MX')
  if (answer.kind === 'failed') return dnsUnavailable(organization, 'MX', answer)
  const isServed =
    answer.kind === 'records' && answer.records.some(({ exchange }) => exchange !== '.')
  return isServed ? `mailto:dmarc@${organization}` : null
}

/** RFC 9990 §4: without such a record receivers send them none. */
export function reportAuthorizationRecords(
  domain: string,
  hosts: readonly string[],
): PlannedRecord[] {
  return hosts
    .map((host) => ({ host, name: `${domain}._report._dmarc.${host}` }))
    .filter(({ name }) => name.length <= MAX_DOMAIN_LENGTH)
    .map(({ host, name }) => ({
      ...createPlannedRecord('dmarc', name, 'v=DMARC1'),
      why: `By what the DNS says, ${host} belongs to another organisation, and receivers send it reports only if it says here that it takes them (RFC 9990 §4). Whoever runs the DNS of ${host} has to publish this.`,
    }))
}
