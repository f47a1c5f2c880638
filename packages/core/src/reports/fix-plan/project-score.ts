/** Projects the score: checks the domain with the final records of the plan published. */

import type { Dns } from '@mailgrade/doh/dns'
import { findServiceById } from '../../catalog/mail-services.js'
import { hasPlaceholder } from '../../catalog/record-template.js'
import type { CheckResult } from '../../checks/check-result.js'
import { parseKeyRecord } from '../../checks/dkim/key-record.js'
import type { Finding } from '../../checks/finding.js'
import { readTxtRecords } from '../../checks/txt-records.js'
import { isActionable } from '../check/check-reports.js'
import { type CheckOptions, type Random, runChecks } from '../check/run-checks.js'
import { createOverlayDns } from '../overlay-dns.js'
import { gradeReports } from '../score/build-score-report.js'
import type { DomainFacts } from './discover-domain.js'
import type { KeyStep } from './dkim/key-steps.js'
import type { FixPlan } from './fix-plan-report.js'
import type { RecordsPlan } from './plan-records.js'
import type { PlannedRecord } from './planned-record.js'

interface ScoreProjection {
  readonly projected: Omit<FixPlan['projected'], 'assumes'>
  readonly assumptions: readonly string[]
  /** Findings that the plan does not fix. */
  readonly remainingFindings: readonly Finding[]
}

export async function projectScore(
  { dns, domain }: DomainFacts,
  { final, dkim }: Pick<RecordsPlan, 'final' | 'dkim'>,
  random: Random,
  options: CheckOptions,
): Promise<CheckResult<ScoreProjection>> {
  const changed = final.filter((record) => isOverlaid(record, final))
  const assumed = await Promise.all(changed.map((record) => assumeRecord(dns, record, domain)))
  const rotated = dkim.keySteps.flatMap(assumeRotation)
  const records = uniqueRecords(assumed)
  const overlay = createOverlayDns(dns, [...records, ...rotated.flatMap((each) => each.records)])
  const withKeys = withPlannedSelectors(options, records, domain)
  const checked = await runChecks(overlay, domain, random, withKeys)
  if (checked.kind !== 'report') return checked
  const { score, grade, findings } = gradeReports(checked.report)
  return {
    kind: 'report',
    report: {
      projected: { score, grade },
      assumptions: [...assumed, ...rotated].flatMap(({ assumption }) => assumption ?? []),
      remainingFindings: findings.filter(isActionable),
    },
  }
}

/** Keys that the plan publishes count, whatever their selector is. */
export function withPlannedSelectors(
  options: CheckOptions,
  records: readonly AssumedRecord[],
  domain: string,
): CheckOptions {
  const suffix = `._domainkey.${domain}`
  const planned = records
    .filter(({ name, isDeleted }) => name.endsWith(suffix) && !isDeleted)
    .map(({ name }) => name.slice(0, -suffix.length))
  return { ...options, selectors: [...(options.selectors ?? []), ...planned] }
}

/** The records as published, with assumed values for what only a provider knows. */
export async function assumeRecords(
  { dns, domain }: Pick<DomainFacts, 'dns' | 'domain'>,
  planned: readonly PlannedRecord[],
): Promise<AssumedRecord[]> {
  return uniqueRecords(
    await Promise.all(planned.map((record) => assumeRecord(dns, record, domain))),
  )
}

function uniqueRecords(assumed: readonly AssumedRecords[]): AssumedRecord[] {
  const records = assumed.flatMap((each) => each.records)
  return [
    ...new Map(records.map((each) => [`${each.type} ${each.name} ${each.value}`, each])).values(),
  ]
}

/** Longer keys behind the CNAMEs, which stay as they are. */
export function assumeRotation(step: KeyStep): AssumedRecords {
  if (step.kind !== 'rotate') return NOTHING
  const targets = new Set(step.keys.map(({ cnames }) => cnames.at(-1) ?? ''))
  return {
    records: [...targets].map((name) => ({
      type: 'TXT',
      name,
      value: ASSUMED_KEY,
      replacesAll: true,
    })),
    assumption: `${step.service.name} signs with 2048-bit keys.`,
  }
}

/** Kept records need no overlay, except MX: an overlay replaces all MX records of a name. */
function isOverlaid(
  { action, type, purpose, onlyIf, isWaiting }: PlannedRecord,
  final: readonly PlannedRecord[],
): boolean {
  // The key of a server that may not send.
  const conditions = typeof onlyIf === 'object' ? (onlyIf ?? []) : []
  if (purpose === 'dkim' && conditions.some(({ key }) => key === 'when.server-unsigned'))
    return false
  if (isWaiting) return true
  if (action === 'delete') return type === 'TXT'
  const isChanging = final.some((each) => each.type === 'MX' && each.action !== 'keep')
  return action !== 'keep' || (type === 'MX' && isChanging)
}

export type AssumedRecord = Pick<PlannedRecord, 'type' | 'name' | 'value'> & {
  readonly replacesAll?: boolean
  readonly isDeleted?: boolean
}

interface AssumedRecords {
  readonly records: readonly AssumedRecord[]
  /** A sentence, or null if the record is used unchanged. */
  readonly assumption: string | null
}

const NOTHING: AssumedRecords = { records: [], assumption: null }

/** A selector that the DKIM check always queries, for one that only the provider knows. */
const VISIBLE_SELECTOR = 'default'
/** Hosts that no one can register (RFC 6761 §6.4, §6.5); an address at `.invalid` gets no reports. */
const MAILBOX_HOST = 'mailbox.example'
const SENDER_HOST = 'sender.invalid'

async function assumeRecord(
  dns: Dns,
  record: PlannedRecord,
  domain: string,
): Promise<AssumedRecords> {
  const { type, name, value, purpose, placeholders } = record
  if (record.action === 'delete') {
    return { records: [{ type, name, value, isDeleted: true }], assumption: null }
  }
  const isAtDomain = name.endsWith(`._domainkey.${domain}`)
  if (purpose === 'dkim' && isAtDomain) {
    const hasFinalKey = placeholders.length === 0 && (type === 'TXT' || (await hasKey(dns, value)))
    return hasFinalKey ? unchangedRecord(record) : withKey(record, domain)
  }
  if (placeholders.length > 0) {
    // What a service uses below the domain does not change the score.
    if (purpose === 'dkim' || (name !== domain && purpose === 'spf')) return NOTHING
    return purpose === 'spf' ? withSender(record) : withMailbox(record, domain)
  }
  return unchangedRecord(record)
}

function unchangedRecord(record: PlannedRecord): AssumedRecords {
  const { type, name, value, action, otherValues, replaces } = record
  // A wildcard does not apply to a name that exists.
  const replacesAll = type === 'TXT' && action === 'create' && otherValues.length === 0
  const replaced = type === 'TXT' ? replaces.filter((each) => each !== value) : []
  const [, destination] = /^.*\._report\._dmarc\.(.*)$/.exec(name) ?? []
  return {
    records: [
      { type, name, value, replacesAll },
      ...replaced.map((each) => ({ type, name, value: each, isDeleted: true })),
    ],
    assumption: destination ? `${destination} agrees to receive the reports.` : null,
  }
}

function withKey(record: PlannedRecord, domain: string): AssumedRecords {
  const { name, type, value, placeholders, service } = record
  const owner = findServiceById(service ?? '')
  const [usual = VISIBLE_SELECTOR] = owner?.selectors ?? []
  const visibleName = hasPlaceholder(name) ? `${usual}._domainkey.${domain}` : name
  const [host = ''] = owner?.dkimTargets ?? []
  const target = hasPlaceholder(value) ? `assumed.${host.replaceAll('*', 'assumed')}` : value
  const keyName = type === 'CNAME' ? target : visibleName
  const key = { type: 'TXT', name: keyName, value: ASSUMED_KEY, replacesAll: true } as const
  return {
    // Only its CNAME shows whose key it is.
    records:
      type === 'CNAME' && keyName !== 'assumed.'
        ? [{ type: 'CNAME', name: visibleName, value: target }, key]
        : [{ ...key, name: visibleName }],
    assumption:
      placeholders.length > 0
        ? `The record at ${name} has a valid 2048-bit key.`
        : `${owner?.name ?? 'The service'} publishes a valid 2048-bit key at ${value}.`,
  }
}

/** An include of an unknown sender takes the place of what only the owner knows. */
function withSender({ type, name, value, placeholders }: PlannedRecord): AssumedRecords {
  const [{ token } = { token: '' }] = placeholders
  const filled = value.replace(`include:${token}`, token).replace(token, `include:${SENDER_HOST}`)
  return {
    records: [
      { type, name, value: filled },
      { type: 'TXT', name: SENDER_HOST, value: 'v=spf1 ip4:192.0.2.1 -all' },
    ],
    assumption: `You replace ${token} with valid terms, and the SPF record stays within 10 lookups.`,
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

/** A failed query counts as no key: the projection then states the assumption. */
async function hasKey(dns: Dns, target: string): Promise<boolean> {
  const answer = await dns.query(target, 'TXT')
  return (
    answer.kind === 'records' &&
    readTxtRecords(answer).some((text) => parseKeyRecord(text) !== null)
  )
}

/**
 * Takes the place of a key that only the provider knows: every valid key of 2048 bits scores the
 * same. Its private key was discarded, and no plan contains it.
 */
const ASSUMED_KEY =
  'v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAxmzGwpOw5E8QKgUis3zmDjapyJ2mVABfKG4T7+Bc5NgLNE+0KofbmpQFp6K733IL9z1OCGHmJGbANWkCmhlCvkpDexug9DBF/JXF1oLTgTUQwDrsbmsQ5HXuoRxVGxklQSY+YB6suFe/M3TRdc5bsViaBfkx+Avc04WQGVtrkpYzCH0QdA+jnSZ/oS3qO9+4DTEFnwTpIq4QK9o5YToglanVp1HA5uz808tyj71zwUiNrBT4btd9Dy9vl+gkeyagud21sbryKXYH86Gp219Fo2z3BGKlMk29VCqsn92y5AC7DsOxmr4JTkaTtQa+ERk7HGuK6U+ysKKZvSuH7o4vowIDAQAB'
