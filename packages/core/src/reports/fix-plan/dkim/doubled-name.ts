/** Keys at a doubled name: many panels append the zone to a name that was entered in full. */
import type { Dns } from '@mailgrade/doh/dns'
import { hasPlaceholder } from '../../../catalog/record-template.js'
import {
  isAcceptable,
  isRsaShorterThan,
  parseKeyRecord,
  RECOMMENDED_RSA_BITS,
} from '../../../checks/dkim/key-record.js'
import { readTxtRecords } from '../../../checks/txt-records.js'
import { MAX_DOMAIN_LENGTH } from '../../../names/host-problem.js'
import { createPlannedRecord, idsOf, type PlannedRecord } from '../planned-record.js'
import { say } from '../say.js'
import type { RequiredKey } from './required-keys.js'

/** The same key at the right name, and not at the wrong one; empty without such a key. */
export async function moveDoubledKey(
  dns: Dns,
  { service, setUpAt, template, owner, value, onlyIf }: RequiredKey,
  domain: string,
): Promise<PlannedRecord[]> {
  const isTried = template.type === 'TXT' && service.kind === 'mailbox' && hasPlaceholder(value)
  if (!isTried) return []
  // Where the customer chooses the selector, most keep what the service suggests.
  const names = hasPlaceholder(owner)
    ? service.selectors.slice(0, MAX_SELECTORS).map((each) => `${each}._domainkey.${domain}`)
    : [owner]
  for (const name of names) {
    const doubled = `${name}.${domain}`
    const record = doubled.length > MAX_DOMAIN_LENGTH ? null : await findOnlyKey(dns, doubled)
    if (record === null) continue
    const ids = idsOf({ service, setUpAt })
    const moved = { ...createPlannedRecord('dkim', name, record), ...ids, onlyIf }
    const misplaced = { ...createPlannedRecord('dkim', doubled, record), ...ids, onlyIf }
    return [
      { ...moved, isMoved: true, why: [say('dkim.moved', { name: [doubled] })] },
      { ...misplaced, action: 'delete', why: [say('dkim.misplaced', { name: [name] })] },
    ]
  }
  return []
}

const MAX_SELECTORS = 3

async function findOnlyKey(dns: Dns, name: string): Promise<string | null> {
  const answer = await dns.query(name, 'TXT')
  if (answer.kind !== 'records' || answer.cnames.length > 0) return null
  const [record = '', ...others] = readTxtRecords(answer)
  const key = parseKeyRecord(record)
  const isGood = key !== null && isAcceptable(key) && !isRsaShorterThan(RECOMMENDED_RSA_BITS, key)
  return isGood && others.length === 0 ? record : null
}
