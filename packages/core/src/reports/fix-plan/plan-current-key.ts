/** Plans the published DKIM keys: keeps, repairs, replaces or revokes them. */
import { describeSetup } from '../../catalog/service-setup.js'
import type { DkimFacts, DkimKey } from '../../checks/dkim/dkim-facts.js'
import {
  allowsOnlySha1,
  isForEmail,
  isRsaShorterThan,
  MIN_RSA_BITS,
  RECOMMENDED_RSA_BITS,
} from '../../checks/dkim/key-record.js'
import { parseTagList } from '../../checks/tag-list.js'
import { createPlannedRecord, findPlaceholders, type PlannedRecord } from './planned-record.js'
import { findSignerOfKey, type Signer } from './services-in-use.js'

/** For a signer without a template of its own. */
export const NEW_KEY_TEMPLATE = 'v=DKIM1; k=rsa; p={public-key}'
export const OWN_SERVER_INSTRUCTIONS =
  'Create a key pair of 2048 bits on your mail server and configure the private key there; enter the public key here, in one line.'

/** Selectors with several records are left to their owner. */
export function singleRecordKeys(keys: readonly DkimKey[]): DkimKey[] {
  return keys.filter(({ txtRecordCount }) => txtRecordCount === 1)
}

export function planCurrentKey(
  key: DkimKey,
  { keys, wildcardKeys }: DkimFacts,
  signers: readonly Signer[],
): PlannedRecord {
  if (key.cnames.length > 0) return keepAlias(key)
  if (key.forwarder && !findSignerOfKey(key, signers) && !isBreakable(key)) {
    return keepKey(key, `If you no longer use ${key.provider?.name}, you may delete the record.`)
  }
  // Rotation leaves revoked keys beside valid ones.
  const others = [...keys.filter(({ forwarder }) => !forwarder), ...wildcardKeys]
  const isOnlyRevoked = key.revoked && !others.some(({ valid }) => valid)
  if (needsNewKey(key) || isOnlyRevoked) return planNewKey(key, signers)
  const repaired = repairKeyRecord(key)
  if (repaired === key.record) {
    return keepKey(key, key.revoked ? 'It is revoked.' : 'The key is strong enough and valid.')
  }
  const why = 'The same key without the tags that stop receivers from using it.'
  return replaceKey(key, repaired, why)
}

/** For a non-sending domain: revokes a weak key (RFC 6376 §3.6.1) and keeps the others. */
export function planNonSendingKey(key: DkimKey): PlannedRecord {
  if (key.cnames.length > 0) return keepAlias(key)
  if (!isBreakable(key)) {
    return keepKey(key, 'If nothing is signed with this key any more, you may delete the record.')
  }
  const why = `A private key of ${key.keySize} bits can be computed and used to sign as this domain, which sends no mail.`
  return replaceKey(key, 'v=DKIM1; p=', why)
}

function keepAlias(key: DkimKey): PlannedRecord {
  const [target = ''] = key.cnames
  const why = `${key.provider?.name ?? target} manages and rotates this key.`
  return { ...createPlannedRecord('dkim', key.name, target), type: 'CNAME', action: 'keep', why }
}

function keepKey(key: DkimKey, why: string): PlannedRecord {
  return { ...createPlannedRecord('dkim', key.name, key.record), action: 'keep', why }
}

function planNewKey(key: DkimKey, signers: readonly Signer[]): PlannedRecord {
  const signer = findSignerOfKey(key, signers)
  const reason =
    key.keySize === null
      ? 'There is no usable key here.'
      : `${key.keySize} bits are too few (RFC 8301 §3.2).`
  const why = `${reason} A key of 2048 bits${signer ? ` from ${signer.name}` : ''} replaces it.`
  const placeholders = findPlaceholders(
    [NEW_KEY_TEMPLATE],
    signer ? describeSetup(signer.name, signer.dkim) : OWN_SERVER_INSTRUCTIONS,
  )
  return { ...replaceKey(key, NEW_KEY_TEMPLATE, why), placeholders, ...rotationNotes(key) }
}

/** Mail in transit is signed with the old key and still checked against it. */
function rotationNotes(key: DkimKey): Pick<PlannedRecord, 'precondition' | 'followUp'> {
  const followUp = 'Switch signing to the new key right after you publish it.'
  if (!key.valid || isBreakable(key)) return { followUp }
  const precondition = `If you can choose a new selector, publish the new key there instead, switch signing to it, and delete ${key.name} a week later. If you must reuse the selector, continue with this step.`
  return { precondition, followUp }
}

function replaceKey(key: DkimKey, value: string, why: string): PlannedRecord {
  const planned = createPlannedRecord('dkim', key.name, value)
  return { ...planned, action: 'replace', replaces: [key.record], why }
}

/** The private key can be computed from the public one. */
function isBreakable(key: DkimKey): boolean {
  return isRsaShorterThan(MIN_RSA_BITS, key)
}

/** Whether the record cannot be repaired. */
function needsNewKey(key: DkimKey): boolean {
  return isRsaShorterThan(RECOMMENDED_RSA_BITS, key) || key.faults.length > 0 || key.hasPrivateKey
}

/** The same key without the tags that stop receivers from using it. */
function repairKeyRecord(key: DkimKey): string {
  const harmful = new Set([
    ...(allowsOnlySha1(key) ? ['h'] : []),
    ...(isForEmail(key) ? [] : ['s']),
    ...(key.hasGranularity ? ['g'] : []),
  ])
  if (harmful.size === 0 && !key.testing) return key.record
  const tags = parseTagList(key.record)
    .tags.filter(({ name }) => name !== 'v' && !harmful.has(name))
    .map(({ name, value }) => ({ name, value: name === 't' ? withoutTesting(value) : value }))
    .filter(({ name, value }) => value !== '' || name === 'p')
  return ['v=DKIM1', ...tags.map(({ name, value }) => `${name}=${value}`)].join('; ')
}

function withoutTesting(flags: string): string {
  return flags
    .split(':')
    .map((flag) => flag.trim())
    .filter((flag) => flag.toLowerCase() !== 'y')
    .join(':')
}
