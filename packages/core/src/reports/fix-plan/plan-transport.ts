/** MTA-STS and TLS-RPT, where they follow from what is there. */
import { providerOfMx } from '../../catalog/mailbox-providers.js'
import { type Unavailable, unavailable } from '../../checks/checked.js'
import { mtaSts, type TextStandard, tlsRpt } from '../../checks/transport/text-standards.js'
import type { Published } from '../../checks/transport/transport-report.js'
import type { DomainFacts } from './domain-facts.js'
import { filled } from './fill-template.js'
import type { Parties } from './parties.js'
import { type PlannedRecord, plannedRecord } from './planned-record.js'

/**
 * MTA-STS needs a policy on a web server (RFC 8461 §3.2), which no record can give: only a provider
 * who runs it for the domain makes it follow. TLS-RPT reports on it (RFC 8460 §1), and is idle without.
 */
export async function planTransport(
  facts: DomainFacts,
  parties: Parties,
  receives: boolean,
): Promise<PlannedRecord[] | Unavailable> {
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
async function isFree({ dns }: DomainFacts, { name, present }: Published): Promise<boolean> {
  return !present && (await dns.ask(name, 'TXT')).cnames.length === 0
}

/** A policy that does not name all mail servers has senders refuse the others (RFC 8461 §5). */
async function hostedPolicy(
  { dns, domain, mx }: DomainFacts,
  { mailboxes }: Parties,
): Promise<PlannedRecord[] | Unavailable> {
  const [sole, ...others] = mailboxes
  const isSole = mx.targets.every(({ exchange }) => providerOfMx(exchange)?.id === sole?.row.id)
  if (!sole || others.length > 0 || !isSole) return []
  const wanted = (sole.row.setup.mtaSts ?? []).map(({ label, target }) =>
    plannedRecord('mta-sts', `${label}.${domain}`, filled(target, domain)),
  )
  const answers = await Promise.all(wanted.map(({ name }) => dns.ask(name, 'CNAME')))
  const planned: PlannedRecord[] = []
  for (const [index, alias] of answers.entries()) {
    const record = wanted[index] as PlannedRecord
    if (alias.kind === 'failed') return unavailable(record.name, 'CNAME', alias)
    const isThere = alias.kind === 'records' && alias.records[0] === record.value
    // Beside anything else no CNAME can stand (RFC 1034 §3.6.2), and half of them are of no use.
    if (!isThere && alias.kind !== 'nxdomain') return []
    const why = `${sole.row.name} runs MTA-STS for the domains of its customers.`
    planned.push({ ...record, type: 'CNAME', action: isThere ? 'keep' : 'create', why })
  }
  return planned
}

/** What is there, mended if need be; null where there is nothing, more than one, or an alias. */
async function standing(
  { dns, domain }: DomainFacts,
  purpose: 'mta-sts' | 'tls-rpt',
  { example, title }: TextStandard,
  { name, record, valid }: Published,
): Promise<PlannedRecord | null> {
  if (record === null) return null
  const [target] = (await dns.ask(name, 'TXT')).cnames
  const planned = plannedRecord(purpose, name, target ?? record)
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
  return { ...mended, action: 'replace', ...(before && { before }) }
}

/** Where the reports were to go, they still go. */
function withAddresses(record: string, domain: string): string {
  const uris = record.match(/(?:mailto|https):[^\s,;"]+/gi) ?? []
  const mended = `v=TLSRPTv1; rua=${uris.join(',')}`
  return uris.length > 0 && tlsRpt.problemOf(mended) === null ? mended : tlsRpt.example(domain)
}

function tlsReports(domain: string): PlannedRecord {
  const why =
    'Senders report when they could not deliver over TLS as the MTA-STS policy wants it (RFC 8460 §3).'
  const after = 'See that the mailbox in rua exists and that somebody reads it.'
  const planned = plannedRecord('tls-rpt', `_smtp._tls.${domain}`, tlsRpt.example(domain))
  return { ...planned, why, after }
}
