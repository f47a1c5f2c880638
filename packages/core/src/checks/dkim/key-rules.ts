/** Findings about single keys, most severe first. */
import type { FindingId } from '../../catalog/findings/findings.js'
import type { Finding } from '../finding.js'
import { formatList } from '../format-list.js'
import type { DkimKey } from './dkim-facts.js'
import {
  allowsOnlySha1,
  isAcceptable,
  isForEmail,
  isRsaLongerThan,
  isRsaShorterThan,
  MAX_RSA_BITS,
  MIN_RSA_BITS,
  RECOMMENDED_RSA_BITS,
} from './key-record.js'

type Keys = readonly DkimKey[]

interface KeyRule {
  readonly id: FindingId
  /** `usable`: all valid keys for the domain's own mail. */
  readonly appliesTo: (key: DkimKey, usable: Keys) => boolean
  readonly text: (affected: Keys, usable: Keys) => Pick<Finding, 'title' | 'detail' | 'fix'>
  /** Whether it also applies to a wildcard's key, which belongs to no selector. */
  readonly includesWildcard?: true
  /** Whether it also applies to a forwarder's key. */
  readonly includesForwarders?: true
}

const isSha1Only = (key: DkimKey) => key.valid && allowsOnlySha1(key)

const formatSelectors = (keys: Keys) => formatList(keys.map((key) => key.selector))
const formatNames = (keys: Keys) => formatList(keys.map((key) => key.name))
const formatSizes = (keys: Keys) =>
  formatList(keys.map((key) => `${key.selector} (${key.keySize} bits)`))

/** The service to create a new key at. */
function serviceOf(keys: Keys): string {
  const [service = null, ...others] = new Set(keys.map((key) => key.provider?.name ?? null))
  return service === null || others.length > 0 ? 'your mail service' : service
}

/** A sentence to append when receivers refuse every key that was found. */
const onlyRefusedNote = (usable: Keys) =>
  usable.length > 0 && !usable.some(isAcceptable)
    ? ' No key was found that receivers accept, so signed mail counts as unsigned.'
    : ''

const replaceKeys = (keys: Keys) =>
  keys.every(({ cnames }) => cnames.length > 0) ? replaceHostedKeys(keys) : replaceOwnKeys(keys)

/** The service rotates keys behind CNAMEs that stay the same. */
const replaceHostedKeys = (keys: Keys) =>
  `Ask ${serviceOf(keys)} to sign with a 2048-bit key. It hosts the keys itself, so leave the CNAME at ${formatNames(keys)} as it is.`

/** Mail signed with the old key may be verified days later. */
const replaceOwnKeys = (keys: Keys) =>
  `Create a 2048-bit key at ${serviceOf(keys)} and publish it at a new selector. Switch signing to it, wait a few days for mail in transit, and only then remove the record at ${formatNames(keys)}.`

const formatFaults = (keys: Keys, what: 'problem' | 'remedy') =>
  keys
    .slice(0, 5)
    .map(({ name, faults }) => `${name}: ${faults.map((fault) => fault[what]).join(' ')}`)
    .join(' ')

export const KEY_RULES: readonly KeyRule[] = [
  {
    id: 'dkim.weak-key',
    includesWildcard: true,
    includesForwarders: true,
    appliesTo: (key) => isRsaShorterThan(MIN_RSA_BITS, key),
    text: (keys, usable) => ({
      title: `RSA key can be broken: ${formatSizes(keys)}`,
      detail: `A private key of fewer than 1024 bits can be computed from the public one and used to sign as this domain. Receivers must not accept it, but some do.${onlyRefusedNote(usable)}`,
      fix: replaceKeys(keys),
    }),
  },
  {
    id: 'dkim.private-key',
    includesWildcard: true,
    includesForwarders: true,
    appliesTo: (key) => key.hasPrivateKey,
    text: (keys) => ({
      title: `Private key published: ${formatSelectors(keys)}`,
      detail:
        'The record holds a private key instead of the public one, and everyone can read it. Once its public key is published anywhere below this domain, anyone can sign as the domain.',
      fix: `Create a new key pair, publish its public key at a new selector, and switch signing to it. Then delete the record at ${formatNames(keys)}, and every record with the public half of the leaked key.`,
    }),
  },
  {
    id: 'dkim.malformed',
    includesForwarders: true,
    appliesTo: (key) => key.faults.length > 0,
    text: (keys) => ({
      title: `Unusable DKIM record: ${formatSelectors(keys)}`,
      detail: `Mail signed with such a selector fails DKIM. ${formatFaults(keys, 'problem')}`,
      fix: formatFaults(keys, 'remedy'),
    }),
  },
  {
    id: 'dkim.not-for-email',
    appliesTo: (key) => !key.revoked && !isForEmail(key),
    text: (keys) => ({
      title: `DKIM key is not for email: ${formatSelectors(keys)}`,
      detail: 'The s= tag limits the key to services other than email, so receivers ignore it.',
      fix: `Write s=email in the record at ${formatNames(keys)}, or remove the s= tag.`,
    }),
  },
  {
    id: 'dkim.sha1-only',
    appliesTo: (key, usable) => isSha1Only(key) && !usable.some(isAcceptable),
    text: (keys) => ({
      title: `Only SHA-1 signatures are allowed: ${formatSelectors(keys)}`,
      detail:
        'The h= tag allows no other hash, and receivers no longer accept SHA-1, so every signature of the domain fails.',
      fix: `Write h=sha256 in the record at ${formatNames(keys)}, or remove the h= tag.`,
    }),
  },
  {
    id: 'dkim.sha1-key',
    appliesTo: (key, usable) => isSha1Only(key) && usable.some(isAcceptable),
    text: (keys) => ({
      title: `Key allows only SHA-1 signatures: ${formatSelectors(keys)}`,
      detail:
        'Its h= tag allows no other hash, and receivers no longer accept SHA-1, so mail signed with the key fails DKIM.',
      fix: `Remove the h= tag from the record at ${formatNames(keys)}, or the whole record if the key is no longer used.`,
    }),
  },
  {
    id: 'dkim.short-key',
    appliesTo: (key) =>
      isRsaShorterThan(RECOMMENDED_RSA_BITS, key) && !isRsaShorterThan(MIN_RSA_BITS, key),
    text: (keys) => ({
      title: `RSA key shorter than 2048 bits: ${formatSizes(keys)}`,
      detail:
        'Receivers accept it today, but a 1024-bit key can be broken with enough computing power. 2048 bits are recommended.',
      fix: replaceKeys(keys),
    }),
  },
  {
    id: 'dkim.large-key',
    appliesTo: (key) => isRsaLongerThan(MAX_RSA_BITS, key),
    text: (keys) => ({
      title: `RSA key longer than 4096 bits: ${formatSizes(keys)}`,
      detail:
        'Receivers only have to verify keys of 1024 to 4096 bits. Signatures with a longer key may fail, and its record may not fit into a DNS answer.',
      fix: replaceKeys(keys),
    }),
  },
  {
    id: 'dkim.testing',
    appliesTo: (key) => key.valid && key.testing,
    text: (keys, usable) => ({
      title:
        keys.length === usable.length
          ? 'DKIM is in testing mode'
          : `Key in testing mode: ${formatSelectors(keys)}`,
      detail: 'The flag t=y asks receivers to treat mail signed with the key like unsigned mail.',
      fix: `Remove t=y from the record at ${formatNames(keys)}.`,
    }),
  },
  {
    id: 'dkim.ed25519-only',
    appliesTo: (key, usable) => key.valid && usable.every(({ keyType }) => keyType === 'ed25519'),
    text: (keys) => ({
      title: `No RSA key beside the Ed25519 key: ${formatSelectors(keys)}`,
      detail:
        'Many receivers, including large ones, cannot verify Ed25519 signatures and treat the mail as unsigned.',
      fix: 'Also sign with a 2048-bit RSA key, and publish it at its own selector.',
    }),
  },
  {
    id: 'dkim.obsolete-tags',
    appliesTo: (key) => key.hasGranularity,
    text: (keys) => ({
      title: `Obsolete tag g=: ${formatSelectors(keys)}`,
      detail:
        'DKIM dropped this tag in 2011. Receivers ignore it, but very old ones treat it as a limit on who may send.',
      fix: `Remove the g= tag from the record at ${formatNames(keys)}.`,
    }),
  },
  {
    id: 'dkim.missing-version',
    appliesTo: (key) => key.faults.length === 0 && !key.hasVersion,
    text: (keys) => ({
      title: `Key record without v=DKIM1: ${formatSelectors(keys)}`,
      detail: 'The version is optional but recommended.',
      fix: `Put "v=DKIM1; " at the start of the record at ${formatNames(keys)}.`,
    }),
  },
]
