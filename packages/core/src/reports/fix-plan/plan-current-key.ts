/** What becomes of the keys that stand there. */
import type { DkimFacts, DkimKey } from '../../checks/dkim/dkim-facts.js'
import { isForEmail } from '../../checks/dkim/key-record.js'
import {
  allowsOnlySha1,
  isRsaShorterThan,
  MIN_RSA_BITS,
  RECOMMENDED_RSA_BITS,
} from '../../checks/dkim/key-strength.js'
import { parseTagList } from '../../checks/tag-list.js'
import { createPlannedRecord, findPlaceholders, type PlannedRecord } from './planned-record.js'
import { findSignerOfKey, type Signer } from './services-in-use.js'

/** For a service of which no more is known. */
export const NEW_KEY_TEMPLATE = 'v=DKIM1; k=rsa; p={public-key}'
export const OWN_SERVER_INSTRUCTIONS =
  'Make a key pair of 2048 bits on your mail server and give it the private key; the public key, in one line, goes here.'

/** Several records under one selector are for their owner to sort out. */
export function singleRecordKeys(keys: readonly DkimKey[]): DkimKey[] {
  return keys.filter(({ txtRecordCount }) => txtRecordCount === 1)
}

export function planCurrentKey(
  key: DkimKey,
  { keys, wildcardKeys }: DkimFacts,
  signers: readonly Signer[],
): PlannedRecord {
  if (key.cnames.length > 0) return keptAlias(key)
  // A revoked key beside good ones is what rotation leaves behind.
  const isMissed = key.revoked && ![...keys, ...wildcardKeys].some(({ valid }) => valid)
  if (needsNewKey(key) || isMissed) return newKey(key, signers)
  const mended = repairKeyRecord(key)
  if (mended === key.record) {
    return kept(key, key.revoked ? 'It is revoked.' : 'The key is strong enough and well written.')
  }
  const why = 'The same key without the tags that keep receivers from using it.'
  return replacement(key, mended, why)
}

/** Of a domain that sends nothing: what can be broken is revoked (RFC 6376 §3.6.1), the rest left. */
export function planNonSendingKey(key: DkimKey): PlannedRecord {
  if (key.cnames.length > 0) return keptAlias(key)
  if (!isBreakable(key)) {
    return kept(key, 'If nothing is signed with this key any more, you may delete the record.')
  }
  const why = `Whoever computes the private key of ${key.keySize} bits can sign as this domain, which sends nothing itself.`
  return replacement(key, 'v=DKIM1; p=', why)
}

function keptAlias(key: DkimKey): PlannedRecord {
  const [target = ''] = key.cnames
  const why = `The key is kept by ${key.provider?.name ?? target}, and rotated there.`
  return { ...createPlannedRecord('dkim', key.name, target), type: 'CNAME', action: 'keep', why }
}

function kept(key: DkimKey, why: string): PlannedRecord {
  return { ...createPlannedRecord('dkim', key.name, key.record), action: 'keep', why }
}

function newKey(key: DkimKey, signers: readonly Signer[]): PlannedRecord {
  const signer = findSignerOfKey(key, signers)
  const reason =
    key.keySize === null
      ? 'There is no usable key here.'
      : `${key.keySize} bits are too few (RFC 8301 §3.2).`
  const why = `${reason} A key of 2048 bits${signer ? `, made at ${signer.name},` : ''} takes its place.`
  const placeholders = findPlaceholders(
    [NEW_KEY_TEMPLATE],
    signer?.dkim.instructions ?? OWN_SERVER_INSTRUCTIONS,
  )
  return { ...replacement(key, NEW_KEY_TEMPLATE, why), placeholders, ...carefully(key) }
}

/** Mail under way was signed with the old key, if that is one, and is still checked against it. */
function carefully(key: DkimKey): Pick<PlannedRecord, 'precondition' | 'followUp'> {
  const after = 'Have mail signed with the new key as soon as it stands there.'
  if (!key.valid || isBreakable(key)) return { followUp: after }
  const before = `If a new selector can be chosen, publish the new key under that one instead, have mail signed with it, and delete ${key.name} a week later. Only where the selector has to stay:`
  return { precondition: before, followUp: after }
}

function replacement(key: DkimKey, value: string, why: string): PlannedRecord {
  const planned = createPlannedRecord('dkim', key.name, value)
  return { ...planned, action: 'replace', replaces: [key.record], why }
}

/** Whoever wants to can sign with it. */
export function isBreakable(key: DkimKey): boolean {
  return isRsaShorterThan(MIN_RSA_BITS, key)
}

/** Whether only a new key helps. */
export function needsNewKey(key: DkimKey): boolean {
  return isRsaShorterThan(RECOMMENDED_RSA_BITS, key) || key.faults.length > 0 || key.hasPrivateKey
}

/** The same key without what keeps receivers from using it; as it is where there is nothing. */
export function repairKeyRecord(key: DkimKey): string {
  const spoiled = new Set([
    ...(allowsOnlySha1(key) ? ['h'] : []),
    ...(isForEmail(key) ? [] : ['s']),
    ...(key.hasGranularity ? ['g'] : []),
  ])
  if (spoiled.size === 0 && !key.testing) return key.record
  const tags = parseTagList(key.record)
    .tags.filter(({ name }) => name !== 'v' && !spoiled.has(name))
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
