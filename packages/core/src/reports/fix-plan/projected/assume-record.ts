/** The records of a plan as they will stand, with what has to be assumed about them. */

import type { Dns } from '@mailgrade/doh/dns'
import { parseKeyRecord } from '../../../checks/dkim/key-record.js'
import { formatList } from '../../../checks/format-list.js'
import { readTxtRecords } from '../../../checks/txt-records.js'
import type { PlannedRecord } from '../planned-record.js'
import { ASSUMED_KEY } from './assumed-key.js'

type LaidRecord = Pick<PlannedRecord, 'type' | 'name' | 'value'> & {
  readonly isAlone?: boolean
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
  const isAlone = type === 'TXT' && action === 'create' && otherValues.length === 0
  return { records: [{ type, name, value, isAlone }], assumption: null }
}

function withKey({ name, value, placeholders }: PlannedRecord, domain: string): AssumedRecords {
  const seen = name.startsWith('{') ? `${VISIBLE_SELECTOR}._domainkey.${domain}` : name
  const tokens = formatList(placeholders.map(({ token }) => token))
  return {
    records: [{ type: 'TXT', name: seen, value: ASSUMED_KEY, isAlone: true }],
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
