/** DKIM keys in words. */
import type { DkimReport } from './dkim-report.js'

type Key = DkimReport['keys'][number]

const WITHOUT_KEYS = {
  absent: 'There is no key.',
  unknown:
    'No key at the usual selectors. Yours may use another name: look for s= in the DKIM-Signature header of a message you sent.',
}
const WITH_UNUSABLE_KEYS = {
  absent: 'Receivers don’t accept any of the keys.',
  unknown:
    'Receivers don’t accept any of the keys we found. There may be others at selectors we don’t know.',
}

export function describeMissingKey(
  keys: readonly Key[],
  presence: Exclude<DkimReport['presence'], 'present'>,
): string {
  const hasOwnKeys = keys.some(({ forwarder }) => !forwarder)
  return (hasOwnKeys ? WITH_UNUSABLE_KEYS : WITHOUT_KEYS)[presence]
}

export function dkimKeySize({ keyType, keySize, revoked }: Key): string {
  if (revoked) return 'revoked'
  if (keySize === null) return keyType === null ? 'unknown' : 'unreadable'
  return keyType === 'rsa' ? `${keySize} bit` : `${keyType}`
}

export function describeDkimKey({ keyType, valid, testing, provider, forwarder }: Key): string {
  return [
    keyType === null ? 'unknown key type' : keyType.toUpperCase(),
    ...(provider ? [provider.name] : []),
    ...(valid ? ['well-formed'] : ['receivers can’t use it']),
    ...(testing ? ['testing'] : []),
    ...(forwarder ? ['signs forwarded mail only'] : []),
  ].join(' · ')
}
