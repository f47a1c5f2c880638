/** The score with the plan carried out: its final records laid over today's DNS. */

import type { Dns } from '@mailgrade/doh/dns'
import type { CheckResult } from '../../checks/check-result.js'
import { parseKeyRecord } from '../../checks/dkim/key-record.js'
import type { Finding } from '../../checks/finding.js'
import { formatList } from '../../checks/format-list.js'
import { readTxtRecords } from '../../checks/txt-records.js'
import { isActionable } from '../check/check-reports.js'
import { type Random, runChecks } from '../check/run-checks.js'
import { createOverlayDns } from '../overlay-dns.js'
import { buildScoreReport } from '../score/build-score-report.js'
import type { DomainFacts } from './discover-domain.js'
import type { FixPlan } from './fix-plan-report.js'
import type { PlannedRecord } from './planned-record.js'

export interface ScoreProjection {
  readonly projected: Omit<FixPlan['projected'], 'assumes'>
  readonly assumptions: readonly string[]
  /** What is still wrong then. */
  readonly remainingFindings: readonly Finding[]
}

/** `final`: the records as they stand in the end, those that stay among them. */
export async function projectScore(
  { dns, domain }: DomainFacts,
  final: readonly PlannedRecord[],
  chance: Random,
): Promise<CheckResult<ScoreProjection>> {
  const changed = final.filter((record) => isLaid(record, final))
  const laid = await Promise.all(changed.map((record) => assumeRecord(dns, record, domain)))
  const records = new Map(
    laid
      .flatMap((each) => each.records)
      .map((each) => [`${each.type} ${each.name} ${each.value}`, each]),
  )
  const gathered = await runChecks(createOverlayDns(dns, [...records.values()]), domain, chance)
  if (gathered.kind !== 'report') return gathered
  const { score, grade, findings } = buildScoreReport(domain, gathered.report, [])
  return {
    kind: 'report',
    report: {
      projected: { score, grade },
      assumptions: laid.flatMap(({ assumption }) => assumption ?? []),
      remainingFindings: findings.filter(isActionable),
    },
  }
}

/** What stays need not be laid, but for mail servers: these are replaced together or not at all. */
function isLaid({ action, type }: PlannedRecord, final: readonly PlannedRecord[]): boolean {
  if (action === 'delete') return false
  const isChanging = final.some((each) => each.type === 'MX' && each.action !== 'keep')
  return action !== 'keep' || (type === 'MX' && isChanging)
}

type LaidRecord = Pick<PlannedRecord, 'type' | 'name' | 'value'> & {
  readonly replacesAll?: boolean
}

export interface AssumedRecords {
  readonly records: readonly LaidRecord[]
  /** A sentence, or null where the record is laid as it is. */
  readonly assumption: string | null
}

/** The name that a check looks at first, for a selector that only the provider knows. */
const VISIBLE_SELECTOR = 'default'
/** Of an organisation that agrees to take the reports; nobody can register it (RFC 6761 §6.4). */
const MAILBOX_HOST = 'mailbox.invalid'

export async function assumeRecord(
  dns: Dns,
  record: PlannedRecord,
  domain: string,
): Promise<AssumedRecords> {
  const { type, value, purpose, placeholders } = record
  if (purpose === 'dkim') {
    const isThere = placeholders.length === 0 && (type === 'TXT' || (await hasKey(dns, value)))
    return isThere ? asItIs(record) : withKey(record, domain)
  }
  if (placeholders.length > 0) {
    return purpose === 'spf' ? withSender(record) : withMailbox(record, domain)
  }
  const isElsewhere = record.name.includes('._report._dmarc.')
  return isElsewhere ? { ...asItIs(record), assumption: agreement(record) } : asItIs(record)
}

function asItIs(record: PlannedRecord): AssumedRecords {
  const { type, name, value, action, otherValues } = record
  // Below the domain there may be a wildcard, which says nothing any more.
  const replacesAll = type === 'TXT' && action === 'create' && otherValues.length === 0
  return { records: [{ type, name, value, replacesAll }], assumption: null }
}

function withKey({ name, value, placeholders }: PlannedRecord, domain: string): AssumedRecords {
  const seen = name.startsWith('{') ? `${VISIBLE_SELECTOR}._domainkey.${domain}` : name
  const tokens = formatList(placeholders.map(({ token }) => token))
  return {
    records: [{ type: 'TXT', name: seen, value: ASSUMED_KEY, replacesAll: true }],
    assumption:
      placeholders.length > 0
        ? `${tokens} at ${name} ${placeholders.length > 1 ? 'lead' : 'leads'} to a good key of 2048 bits.`
        : `${value} holds a good key of 2048 bits once the domain is set up there.`,
  }
}

/** An address stands for whatever the include lets send. */
function withSender({ type, name, value, placeholders }: PlannedRecord): AssumedRecords {
  const [{ token } = { token: '' }] = placeholders
  return {
    records: [{ type, name, value: value.replace(`include:${token}`, 'ip4:192.0.2.1') }],
    assumption: `${token} in the SPF record names a host whose record is sound and fits into the 10 lookups.`,
  }
}

function withMailbox(
  { type, name, value, placeholders }: PlannedRecord,
  domain: string,
): AssumedRecords {
  const [{ token } = { token: '' }] = placeholders
  return {
    records: [
      { type, name, value: value.replaceAll(token, `reports@${MAILBOX_HOST}`) },
      { type: 'MX', name: MAILBOX_HOST, value: `10 mx.${MAILBOX_HOST}` },
      { type: 'TXT', name: `${domain}._report._dmarc.${MAILBOX_HOST}`, value: 'v=DMARC1' },
    ],
    assumption: `${token} at ${name} is a mailbox that receives the reports.`,
  }
}

function agreement({ name }: PlannedRecord): string {
  return `${name.replace(/^.*\._report\._dmarc\./, '')} agrees to take the reports.`
}

async function hasKey(dns: Dns, target: string): Promise<boolean> {
  const answer = await dns.query(target, 'TXT')
  return (
    answer.kind === 'records' &&
    readTxtRecords(answer).some((text) => parseKeyRecord(text) !== null)
  )
}

/**
 * Stands in, when a plan is tried out, for a key that only the provider knows: any well-formed key
 * of 2048 bits scores the same. Nobody has its private half, and it is never handed out.
 */
export const ASSUMED_KEY =
  'v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAxmzGwpOw5E8QKgUis3zmDjapyJ2mVABfKG4T7+Bc5NgLNE+0KofbmpQFp6K733IL9z1OCGHmJGbANWkCmhlCvkpDexug9DBF/JXF1oLTgTUQwDrsbmsQ5HXuoRxVGxklQSY+YB6suFe/M3TRdc5bsViaBfkx+Avc04WQGVtrkpYzCH0QdA+jnSZ/oS3qO9+4DTEFnwTpIq4QK9o5YToglanVp1HA5uz808tyj71zwUiNrBT4btd9Dy9vl+gkeyagud21sbryKXYH86Gp219Fo2z3BGKlMk29VCqsn92y5AC7DsOxmr4JTkaTtQa+ERk7HGuK6U+ysKKZvSuH7o4vowIDAQAB'
