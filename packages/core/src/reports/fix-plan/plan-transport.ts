/** MTA-STS and TLS-RPT, where they follow from what is there. */
import { findProviderByMx } from '../../catalog/mailbox-providers.js'
import { type DnsUnavailable, dnsUnavailable } from '../../checks/check-result.js'
import type { TransportRecord } from '../../checks/transport/transport-report.js'
import { mtaSts, type TxtRecordFormat, tlsRpt } from '../../checks/transport/txt-record-formats.js'
import type { DomainFacts } from './discover-domain.js'
import { createPlannedRecord, fillTemplate, type PlannedRecord } from './planned-record.js'
import type { ServicesInUse } from './services-in-use.js'

/**
 * MTA-STS needs a policy on a web server (RFC 8461 §3.2), which no record can give: only a provider
 * who runs it for the domain makes it follow. TLS-RPT reports on it (RFC 8460 §1), and is idle without.
 */
export async function planTransport(
  facts: DomainFacts,
  parties: ServicesInUse,
  receives: boolean,
): Promise<PlannedRecord[] | DnsUnavailable> {
  const { domain, transport } = facts
  const sts = await standing(facts, 'mta-sts', mtaSts, transport.mtaSts)
  const hosted = !transport.mtaSts.present && receives ? await hostedPolicy(facts, parties) : []
  if ('kind' in hosted) return hosted
  const policy = sts ? [sts] : hosted
  const rpt = await standing(facts, 'tls-rpt', tlsRpt, transport.tlsRpt)
  const isDue = policy.length > 0 && receives && (await isFree(facts, transport.tlsRpt))
  const reports = rpt ?? (isDue ? tlsReports(domain) : null)
  return [...policy, ...(reports ? [reports] : [])]
}

/** Neither such a record nor an alias stands there. */
async function isFree({ dns }: DomainFacts, { name, present }: TransportRecord): Promise<boolean> {
  return !present && (await dns.query(name, 'TXT')).cnames.length === 0
}

/** A policy that does not name all mail servers has senders refuse the others (RFC 8461 §5). */
async function hostedPolicy(
  { dns, domain, mx }: DomainFacts,
  { mailboxProviders }: ServicesInUse,
): Promise<PlannedRecord[] | DnsUnavailable> {
  const [sole, ...others] = mailboxProviders
  const isSole = mx.targets.every(
    ({ exchange }) => findProviderByMx(exchange)?.id === sole?.entry.id,
  )
  if (!sole || others.length > 0 || !isSole) return []
  const wanted = (sole.entry.setup.mtaSts ?? []).map(({ label, target }) =>
    createPlannedRecord('mta-sts', `${label}.${domain}`, fillTemplate(target, domain)),
  )
  const answers = await Promise.all(wanted.map(({ name }) => dns.query(name, 'CNAME')))
  const planned: PlannedRecord[] = []
  for (const [index, alias] of answers.entries()) {
    const record = wanted[index] as PlannedRecord
    if (alias.kind === 'failed') return dnsUnavailable(record.name, 'CNAME', alias)
    const isThere = alias.kind === 'records' && alias.records[0] === record.value
    // Beside anything else no CNAME can stand (RFC 1034 §3.6.2), and half of them are of no use.
    if (!isThere && alias.kind !== 'nxdomain') return []
    const why = `${sole.entry.name} runs MTA-STS for the domains of its customers.`
    planned.push({ ...record, type: 'CNAME', action: isThere ? 'keep' : 'create', why })
  }
  return planned
}

/** What is there, mended if need be; null where there is nothing, more than one, or an alias. */
async function standing(
  { dns, domain }: DomainFacts,
  purpose: 'mta-sts' | 'tls-rpt',
  { example, title }: TxtRecordFormat,
  { name, record, valid }: TransportRecord,
): Promise<PlannedRecord | null> {
  if (record === null) return null
  const [target] = (await dns.query(name, 'TXT')).cnames
  const planned = createPlannedRecord(purpose, name, target ?? record)
  if (valid) {
    const type = target ? ('CNAME' as const) : ('TXT' as const)
    return { ...planned, type, action: 'keep', why: `It leads to a valid ${title} record.` }
  }
  if (target) return null
  const why = `The ${title} record that stands there cannot be used, and is read as if it were not there.`
  const before =
    purpose === 'mta-sts'
      ? `First see that https://mta-sts.${domain}/.well-known/mta-sts.txt names the mail servers of today: senders will obey it again.`
      : undefined
  const value = purpose === 'tls-rpt' ? withAddresses(record, domain) : example(domain)
  const mended = { ...planned, value, replaces: [record], why }
  return { ...mended, action: 'replace', ...(before && { precondition: before }) }
}

/** Where the reports were to go, they still go. */
function withAddresses(record: string, domain: string): string {
  const uris = record.match(/(?:mailto|https):[^\s,;"]+/gi) ?? []
  const mended = `v=TLSRPTv1; rua=${uris.join(',')}`
  return uris.length > 0 && tlsRpt.findProblem(mended) === null ? mended : tlsRpt.example(domain)
}

function tlsReports(domain: string): PlannedRecord {
  const why =
    'Senders report when they could not deliver over TLS as the MTA-STS policy wants it (RFC 8460 §3).'
  const after = 'See that the mailbox in rua exists and that somebody reads it.'
  const planned = createPlannedRecord('tls-rpt', `_smtp._tls.${domain}`, tlsRpt.example(domain))
  return { ...planned, why, followUp: after }
}
