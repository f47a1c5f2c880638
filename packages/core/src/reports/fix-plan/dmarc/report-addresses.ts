/** Plans the report addresses: keeps the current ones and adds a mailbox if none works. */
import { isFreeProvider } from '../../../catalog/address-lists.js'
import { type DnsUnavailable, dnsUnavailable } from '../../../checks/check-result.js'
import {
  discoverDmarc,
  mayReceiveReports,
  type ResolvedReportUri,
} from '../../../checks/dmarc/discover-dmarc.js'
import type { DmarcRecord } from '../../../checks/dmarc/dmarc-record.js'
import {
  findReportUris,
  repairReportUris,
  rewriteDmarcRecord,
} from '../../../checks/dmarc/rewrite-dmarc-record.js'
import { MAX_DOMAIN_LENGTH } from '../../../names/host-problem.js'
import { registrableDomain } from '../../../names/registrable-domain.js'
import { createOverlayDns } from '../../overlay-dns.js'
import type { DomainFacts } from '../discover-domain.js'
import type { MailUse, PlanContext } from '../plan-context.js'
import { createPlannedRecord, type Placeholder, type PlannedRecord } from '../planned-record.js'
import { type Said, say, writeSaid } from '../say.js'

export interface ReportAddresses {
  readonly kind: 'planned'
  /** The value of `rua`; null if there is none. */
  readonly rua: string | null
  /** The value of `ruf`; null if there is none. */
  readonly ruf: string | null
  readonly placeholders: readonly Placeholder[]
  /** Reports are delivered without a new address. */
  readonly areDelivered: boolean
  /** Hosts of other organizations that have not agreed to receive reports. */
  readonly unauthorizedHosts: readonly string[]
  /** A mail address in it that may not exist yet. */
  readonly newMailbox: string | null
  /** Which published addresses are left out, and why. */
  readonly notes: readonly Said[]
  readonly wish: ReportWish
}

/** The address that the owner wants reports at, if it is not published yet. */
interface ReportWish {
  /** Null without a wish, or if it was refused. */
  readonly uri: string | null
  /** Why the address is not used. */
  readonly refusal: Said | null
}

const MAILBOX_TOKEN = '{report-mailbox}'

export async function planReportAddresses(
  { facts, mailUse, reportAddress }: PlanContext,
  base: DmarcRecord,
): Promise<ReportAddresses | DnsUnavailable> {
  const { receives } = mailUse
  const published = publishedUris(base)
  const wished = reportAddress === null ? null : toMailtoUri(reportAddress)
  const newWish = wished === null || published.includes(wished) ? null : wished
  const candidates = (newWish ? [...published, newWish] : published).filter(
    (uri) => findObjection(uri) === null,
  )
  const today = await checkDestinations(facts, base, { uris: candidates, receives })
  if (today.kind === 'unavailable') return today
  const { areDelivered, unauthorizedHosts, deadUris, unreachableUris } = today
  const kept = published.filter((uri) => findObjection(uri, deadUris) === null)
  const wish = judgeWish(newWish, unreachableUris)
  const rua = joinUris(wish.uri ? [...kept, wish.uri] : kept)
  const isUnchanged = rua === joinUris(published)
  const failure = repairReportUris(base, 'ruf')
  const current: ReportAddresses = {
    kind: 'planned',
    rua,
    ruf: joinUris(failure.filter((uri) => !deadUris.includes(uri))),
    placeholders: [],
    areDelivered: areDelivered && isUnchanged,
    unauthorizedHosts,
    newMailbox: null,
    notes: describeRemoved(
      [...published, ...failure.filter((uri) => deadUris.includes(uri))],
      deadUris,
    ),
    wish,
  }
  if (areDelivered || wish.uri) return current
  const fallback = await findFallbackMailbox(facts, receives)
  if (fallback.kind === 'unavailable') return fallback
  // Stages need reports; a domain without mail does not need a placeholder.
  if (fallback.address === null) {
    if (!mailUse.sends && !mailUse.sendsBelow) return { ...current, areDelivered: isUnchanged }
    const whereToFind = writeSaid([say('dmarc.report-mailbox', { domain: facts.domain })])
    return {
      ...current,
      rua: joinUris([...kept, `mailto:${MAILBOX_TOKEN}`]),
      placeholders: [{ token: MAILBOX_TOKEN, whereToFind }],
    }
  }
  const uris = [...new Set([...kept, `mailto:${fallback.address}`])]
  const added = await checkDestinations(facts, base, { uris, receives })
  if (added.kind === 'unavailable') return added
  return {
    ...current,
    rua: joinUris(uris),
    unauthorizedHosts: added.unauthorizedHosts,
    newMailbox: fallback.address,
  }
}

function joinUris(uris: readonly string[]): string | null {
  return uris.join(',') || null
}

/** RFC 9989 §4.8: some characters have a meaning in the record or in the URI (RFC 6068 §2). */
function toMailtoUri(address: string): string {
  return `mailto:${address.replace(/[^\w.@+=~*'$-]/gu, encodeURIComponent).replaceAll('!', '%21')}`
}

/** Addresses that DNS hosts put into the records they create, whose reports the owner never sees. */
const HOST_DEFAULTS = /@(?:[a-z\d-]+\.)*onsecureserver\.net(?:!|$)/i

type Objection = 'host-default' | 'free-provider' | 'no-mail'

/** Why the owner gets no reports at the address; null if nothing is known against it. */
function findObjection(uri: string, unreachableUris: readonly string[] = []): Objection | null {
  if (HOST_DEFAULTS.test(uri)) return 'host-default'
  const host = /@([^!?]+)/.exec(uri)?.[1]?.toLowerCase()
  // RFC 9990 §4: it never agrees to receive the reports of other domains.
  if (host !== undefined && isFreeProvider(host)) return 'free-provider'
  return unreachableUris.includes(uri) ? 'no-mail' : null
}

function describeRemoved(uris: readonly string[], deadUris: readonly string[]): Said[] {
  return [...new Set(uris)].flatMap((uri) => {
    const objection = findObjection(uri, deadUris)
    return objection ? [say(`dmarc.removed.${objection}`, { uri })] : []
  })
}

function judgeWish(uri: string | null, unreachableUris: readonly string[]): ReportWish {
  const objection = uri && findObjection(uri, unreachableUris)
  if (!uri || !objection) return { uri, refusal: null }
  const address = uri.replace(/^mailto:/, '')
  return { uri: null, refusal: say(`dmarc.refused.${objection}`, { address }) }
}

/** As written if the record has more URIs than receivers must read, so none is lost. */
function publishedUris(base: DmarcRecord): string[] {
  const { unreadCount } = base.reportUris('rua')
  const value = base.tags.get('rua') ?? ''
  if (unreadCount > 0) return value.split(',').map((uri) => uri.trim())
  const usable = repairReportUris(base, 'rua')
  return usable.length > 0 ? usable : findReportUris(base.text)
}

interface Destinations extends Pick<ReportAddresses, 'areDelivered' | 'unauthorizedHosts'> {
  readonly kind: 'checked'
  /** At hosts that receive no mail. */
  readonly deadUris: readonly string[]
  /** The same with the domain itself, if it has no mail server with the plan. */
  readonly unreachableUris: readonly string[]
}

/** Checks the addresses as if they were published in the domain's own record. */
async function checkDestinations(
  { dns, domain }: DomainFacts,
  base: DmarcRecord,
  { uris, receives }: { readonly uris: readonly string[] } & Pick<MailUse, 'receives'>,
): Promise<Destinations | DnsUnavailable> {
  const value = rewriteDmarcRecord(base, { p: 'none', rua: joinUris(uris) })
  const published = createOverlayDns(dns, [{ type: 'TXT', name: `_dmarc.${domain}`, value }])
  const discovered = await discoverDmarc(published, domain)
  if (discovered.kind === 'unavailable') return discovered
  const facts = discovered.kind === 'facts' && discovered.facts.applied ? discovered.facts : null
  // Whether the domain itself receives mail depends on the plan.
  const isDead = ({ host, destination }: ResolvedReportUri) =>
    destination?.acceptsMail === false && !(host === domain && receives)
  const isReachable = (uri: ResolvedReportUri) => (uri.host === domain ? receives : !isDead(uri))
  const all = facts ? [...facts.rua, ...facts.ruf] : []
  const unauthorizedHosts = all.flatMap(({ destination }) =>
    destination?.authorized === false && destination.acceptsMail !== false
      ? [destination.host]
      : [],
  )
  return {
    kind: 'checked',
    areDelivered: facts?.applied
      ? mayReceiveReports({ ...facts, rua: facts.rua.filter(isReachable) }, facts.applied)
      : false,
    unauthorizedHosts: [...new Set(unauthorizedHosts)],
    deadUris: all.filter(isDead).map(({ uri }) => uri),
    unreachableUris: all.filter((uri) => !isReachable(uri)).map(({ uri }) => uri),
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
  return hosts.flatMap((host) => {
    const name = `${domain}._report._dmarc.${host}`
    const why = [say('dmarc.authorization', { host })]
    return name.length <= MAX_DOMAIN_LENGTH
      ? [createPlannedRecord('dmarc', name, 'v=DMARC1', { why })]
      : []
  })
}
