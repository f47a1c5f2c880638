/** Plans MTA-STS and TLS-RPT records. */

import { findProviderByMx } from '../../catalog/mail-services.js'
import { fillTemplate } from '../../catalog/record-template.js'
import { parseDmarcRecord } from '../../checks/dmarc/dmarc-record.js'
import type { TransportRecord, TransportReport } from '../../checks/transport/transport-report.js'
import { mtaSts, type TxtRecordFormat, tlsRpt } from '../../checks/transport/txt-record-formats.js'
import { readTxtRecords } from '../../checks/txt-records.js'
import { registrableDomain } from '../../names/registrable-domain.js'
import { toExactText, toShownText } from '../record-data.js'
import type { DomainFacts } from './discover-domain.js'
import type { PlanContext } from './plan-context.js'
import { createPlannedRecord, type PlannedRecord } from './planned-record.js'

export interface PublishedTransport {
  readonly transport: TransportReport
  readonly now: Date
}

/**
 * MTA-STS needs a policy on a web server (RFC 8461 §3.2), which no record can provide: it is planned
 * only if the mailbox provider hosts that policy. TLS-RPT reports on it (RFC 8460 §1).
 */
export async function planTransport(
  context: PlanContext,
  { transport, now }: PublishedTransport,
  dmarc: string,
): Promise<readonly PlannedRecord[]> {
  const { facts } = context
  const { domain } = facts
  const { receives } = context.mailUse
  const current = await planCurrentTextRecord(facts, MTA_STS, transport.mtaSts, now)
  const policy = current ? [current] : await planHostedPolicy(context, transport)
  const currentReports = await planCurrentTextRecord(facts, TLS_RPT, transport.tlsRpt, now)
  const isSupported = policy.length > 0 || supportsMtaSts(context)
  const isNeeded = isSupported && receives && (await isUnused(facts, transport.tlsRpt))
  const mailbox = findReportMailbox(domain, dmarc)
  const reports = currentReports ?? (isNeeded && mailbox ? planTlsReports(domain, mailbox) : null)
  return [...policy, ...(reports ? [reports] : [])]
}

/** Mailbox providers whose mail servers have certificates for their names, as MTA-STS requires. */
const WITH_MTA_STS: ReadonlySet<string> = new Set(['google', 'microsoft365', 'godaddy-m365'])

/** A policy that names the mail servers of today would keep mail from those that follow. */
export function supportsMtaSts({
  services: { mailboxProviders },
  leaving,
}: Pick<PlanContext, 'services' | 'leaving'>): boolean {
  return (
    leaving.length === 0 &&
    mailboxProviders.length > 0 &&
    mailboxProviders.every(({ entry }) => WITH_MTA_STS.has(entry.id))
  )
}

/** Neither a record of this kind nor a CNAME exists at the name, as far as DNS answers. */
async function isUnused(
  { dns }: DomainFacts,
  { name, present }: TransportRecord,
): Promise<boolean> {
  return present === false && (await dns.query(name, 'TXT')).cnames.length === 0
}

/** Planned only for a sole provider: senders refuse servers that the policy does not name (RFC 8461 §5). */
async function planHostedPolicy(
  { facts: { dns, domain, mx }, services, mailUse: { receives }, leaving }: PlanContext,
  { mtaSts: published }: TransportReport,
): Promise<readonly PlannedRecord[]> {
  const [sole, ...others] = services.mailboxProviders
  const isSole = mx.targets.every(
    ({ exchange }) => findProviderByMx(exchange)?.id === sole?.entry.id,
  )
  // An unknown record may exist, so nothing is planned beside it.
  const isFree = published.present === false
  if (!isFree || !receives || !sole || others.length > 0 || !isSole) return []
  if (leaving.length > 0) return []
  const answers = await Promise.all(
    (sole.entry.setup.mtaSts ?? []).map(async ({ label, target }) => {
      const name = `${label}.${domain}`
      const value = fillTemplate(target, domain, sole.entry.id)
      return { name, value, answer: await dns.query(name, 'CNAME') }
    }),
  )
  const exists = ({ value, answer }: (typeof answers)[number]) =>
    answer.kind === 'records' && answer.records[0] === value
  // A CNAME cannot exist beside other records (RFC 1034 §3.6.2), and only the full set works.
  // A name that could not be looked up may hold one of them.
  if (answers.some((each) => !exists(each) && each.answer.kind !== 'nxdomain')) return []
  return answers.map((each) =>
    createPlannedRecord('mta-sts', each.name, each.value, {
      type: 'CNAME',
      action: exists(each) ? 'keep' : 'create',
      service: sole.entry.id,
      why: `${sole.entry.name} hosts MTA-STS for its customers’ domains.`,
      isOptional: true,
    }),
  )
}

interface RepairableFormat {
  readonly purpose: 'mta-sts' | 'tls-rpt'
  readonly format: TxtRecordFormat
  /** What the broken records were meant to say. */
  repair(records: readonly string[], domain: string, now: Date): string
}

/** RFC 8461 §3.1: a new id lets senders fetch the policy again. */
const MTA_STS: RepairableFormat = {
  purpose: 'mta-sts',
  format: mtaSts,
  repair: (_, __, now) => `v=STSv1; id=${now.toISOString().slice(0, 10).replaceAll('-', '')}`,
}

const TLS_RPT: RepairableFormat = { purpose: 'tls-rpt', format: tlsRpt, repair: repairTlsReports }

/** Keeps or repairs the current record; null if there is none, or a CNAME to a broken one. */
async function planCurrentTextRecord(
  { dns, domain }: DomainFacts,
  { purpose, format, repair }: RepairableFormat,
  { name, record, present, valid }: TransportRecord,
  now: Date,
): Promise<PlannedRecord | null> {
  if (!present) return null
  const answer = await dns.query(name, 'TXT')
  const [target] = answer.cnames
  if (record !== null && valid) {
    return createPlannedRecord(purpose, name, target ?? record, {
      type: target ? 'CNAME' : 'TXT',
      action: 'keep',
      why: `It’s a valid ${format.title} record.`,
    })
  }
  const texts = answer.kind === 'records' ? readTxtRecords(answer).map(toExactText) : []
  const replaces = texts.filter((text) =>
    record === null ? format.hasVersion(text) : toShownText(text) === record,
  )
  if (target || replaces.length === 0) return null
  const why =
    replaces.length > 1
      ? `If there’s more than one ${format.title} record, senders ignore them all, so keep only this one.`
      : `The published ${format.title} record is invalid, so senders ignore it.`
  const onlyIf =
    purpose === 'mta-sts'
      ? `https://mta-sts.${domain}/.well-known/mta-sts.txt lists your current mail servers. Once the record is valid, senders will follow that file again.`
      : null
  const value = repair(replaces.map(toShownText), domain, now)
  const otherValues = texts.filter((text) => !replaces.includes(text))
  const action = 'replace'
  return createPlannedRecord(purpose, name, value, { action, replaces, otherValues, why, onlyIf })
}

/** Keeps the report addresses of the broken records. */
function repairTlsReports(records: readonly string[], domain: string): string {
  const uris = records.flatMap((record) => record.match(/(?:mailto|https):[^\s,;"]+/gi) ?? [])
  const repaired = `v=TLSRPTv1; rua=${[...new Set(uris)].join(',')}`
  return uris.length > 0 && tlsRpt.findProblem(repaired) === null
    ? repaired
    : tlsRpt.example(domain)
}

/** One mailbox is enough for both kinds of reports. A DMARC service may not read the other kind. */
function findReportMailbox(domain: string, dmarc: string): string | null {
  const { uris } = parseDmarcRecord(dmarc).reportUris('rua')
  const own = uris.find(
    ({ host }) => host !== null && registrableDomain(host) === registrableDomain(domain),
  )
  return own?.repaired ?? null
}

function planTlsReports(domain: string, mailbox: string): PlannedRecord {
  const why =
    'With it, senders tell you when they can’t deliver mail to you over an encrypted connection (RFC 8460 §3).'
  const value = `v=TLSRPTv1; rua=${mailbox}`
  return createPlannedRecord('tls-rpt', `_smtp._tls.${domain}`, value, { why, isOptional: true })
}
