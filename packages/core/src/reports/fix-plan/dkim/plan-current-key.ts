/** What becomes of the keys that stand there. */
import type { DkimFacts, DkimKey } from '../../../checks/dkim/dkim-facts.js'
import { findPlaceholders } from '../fill-template.js'
import { createPlannedRecord, type PlannedRecord } from '../planned-record.js'
import { isBreakable, needsNewKey, repairKeyRecord } from './repair-key.js'
import {
  findSignerOfKey,
  NEW_KEY_TEMPLATE,
  OWN_SERVER_INSTRUCTIONS,
  type Signer,
} from './signers.js'

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
