/** What may be wrong with keys, gravest first. */
import type { FindingId } from '../../catalog/findings/findings.js'
import type { Finding } from '../finding.js'
import { formatList } from '../format-list.js'
import type { DkimKey } from './dkim-facts.js'
import {
  allowsOnlySha1,
  isForEmail,
  isRsaShorterThan,
  MIN_RSA_BITS,
  RECOMMENDED_RSA_BITS,
} from './key-record.js'

type Keys = readonly DkimKey[]

interface KeyRule {
  readonly id: FindingId
  /** `usable` are all the keys that receivers can use. */
  readonly concerns: (key: DkimKey, usable: Keys) => boolean
  readonly words: (concerned: Keys, usable: Keys) => Pick<Finding, 'title' | 'detail' | 'fix'>
  /** Whether it matters with a wildcard's key as well, which belongs to no selector. */
  readonly includesWildcard?: true
}

const isSha1Only = (key: DkimKey) => key.valid && allowsOnlySha1(key)

const selectorsOf = (keys: Keys) => formatList(keys.map((key) => key.selector))
const namesOf = (keys: Keys) => formatList(keys.map((key) => key.name))
const sizesOf = (keys: Keys) =>
  formatList(keys.map((key) => `${key.selector} (${key.keySize} bits)`))

/** Where to make a new key. */
function makerOf(keys: Keys): string {
  const [maker = null, ...others] = new Set(keys.map((key) => key.provider?.name ?? null))
  return maker === null || others.length > 0 ? 'your mail service' : maker
}

/** Mail signed with the old key is still verified with it, some days later at times. */
const replacement = (keys: Keys) =>
  keys.every(({ cnames }) => cnames.length > 0) ? rotation(keys) : ownReplacement(keys)

/** Whoever keeps the keys changes between names that have to stay. */
const rotation = (keys: Keys) =>
  `Have ${makerOf(keys)} sign with a key of 2048 bits. It keeps the keys itself, so leave the CNAME at ${namesOf(keys)} as it is.`

const ownReplacement = (keys: Keys) =>
  `Make a key of 2048 bits at ${makerOf(keys)} and publish it under another selector. Have the service sign with it, wait some days for mail that is still under way, and only then remove the record at ${namesOf(keys)}.`

const faultsOf = (keys: Keys, what: 'problem' | 'remedy') =>
  keys
    .slice(0, 5)
    .map(({ name, faults }) => `${name}: ${faults.map((fault) => fault[what]).join(' ')}`)
    .join(' ')

export const KEY_RULES: readonly KeyRule[] = [
  {
    id: 'dkim.weak-key',
    includesWildcard: true,
    concerns: (key) => isRsaShorterThan(MIN_RSA_BITS, key),
    words: (keys) => ({
      title: `RSA key that can be broken: ${sizesOf(keys)}`,
      detail:
        'A private key of fewer than 1024 bits can be computed from the public one, and whoever does so can sign as this domain. Receivers are told not to accept it, but not all obey.',
      fix: replacement(keys),
    }),
  },
  {
    id: 'dkim.private-key',
    includesWildcard: true,
    concerns: (key) => key.hasPrivateKey,
    words: (keys) => ({
      title: `Private key published: ${selectorsOf(keys)}`,
      detail:
        'Everybody can read the private key that stands where the public one belongs. As soon as its public key is published anywhere below this domain, strangers can sign as the domain.',
      fix: `Make a new pair of keys, publish its public key under a new selector, and delete the record at ${namesOf(keys)}.`,
    }),
  },
  {
    id: 'dkim.malformed',
    concerns: (key) => key.faults.length > 0,
    words: (keys) => ({
      title: `DKIM record that receivers cannot use: ${selectorsOf(keys)}`,
      detail: `Mail signed with such a selector fails DKIM. ${faultsOf(keys, 'problem')}`,
      fix: faultsOf(keys, 'remedy'),
    }),
  },
  {
    id: 'dkim.not-for-email',
    concerns: (key) => !key.revoked && !isForEmail(key),
    words: (keys) => ({
      title: `Key that is not for email: ${selectorsOf(keys)}`,
      detail:
        'The s= tag lists what the key is for. Email is not among it, so receivers ignore the key.',
      fix: `Write s=email in the record at ${namesOf(keys)}, or remove the s= tag.`,
    }),
  },
  {
    id: 'dkim.sha1-only',
    concerns: (key, usable) => isSha1Only(key) && usable.every(isSha1Only),
    words: (keys) => ({
      title: `Only SHA-1 signatures are allowed: ${selectorsOf(keys)}`,
      detail:
        'The h= tag allows no other hash, and receivers no longer accept this one, so every signature of the domain fails.',
      fix: `Write h=sha256 in the record at ${namesOf(keys)}, or remove the h= tag.`,
    }),
  },
  {
    id: 'dkim.sha1-key',
    concerns: (key, usable) => isSha1Only(key) && !usable.every(isSha1Only),
    words: (keys) => ({
      title: `Key that allows only SHA-1 signatures: ${selectorsOf(keys)}`,
      detail:
        'Its h= tag allows no other hash, and receivers no longer accept this one, so mail signed with the key fails DKIM.',
      fix: `Remove the h= tag from the record at ${namesOf(keys)}, or the whole record if the key is out of use.`,
    }),
  },
  {
    id: 'dkim.short-key',
    concerns: (key) =>
      isRsaShorterThan(RECOMMENDED_RSA_BITS, key) && !isRsaShorterThan(MIN_RSA_BITS, key),
    words: (keys) => ({
      title: `RSA key shorter than 2048 bits: ${sizesOf(keys)}`,
      detail:
        'Receivers accept it today, but a key of 1024 bits is within reach of whoever can pay for the computing, and signers are asked for 2048.',
      fix: replacement(keys),
    }),
  },
  {
    id: 'dkim.testing',
    concerns: (key) => key.valid && key.testing,
    words: (keys, usable) => ({
      title:
        keys.length === usable.length
          ? 'DKIM is in testing mode'
          : `Key in testing mode: ${selectorsOf(keys)}`,
      detail:
        'The flag t=y asks receivers to treat mail signed with the key no differently from unsigned mail.',
      fix: `Remove t=y from the record at ${namesOf(keys)}.`,
    }),
  },
  {
    id: 'dkim.ed25519-only',
    concerns: (key, usable) => key.valid && usable.every(({ keyType }) => keyType === 'ed25519'),
    words: (keys) => ({
      title: `No RSA key beside the Ed25519 key: ${selectorsOf(keys)}`,
      detail:
        'Many receivers, large ones among them, cannot verify Ed25519 signatures and take the mail for unsigned.',
      fix: 'Sign with an RSA key of 2048 bits as well, and publish it under a selector of its own.',
    }),
  },
  {
    id: 'dkim.obsolete-tags',
    concerns: (key) => key.hasGranularity,
    words: (keys) => ({
      title: `Obsolete tag g=: ${selectorsOf(keys)}`,
      detail:
        'DKIM dropped this tag in 2011. Receivers ignore it, but very old ones take it for a limit on who may send.',
      fix: `Remove the g= tag from the record at ${namesOf(keys)}.`,
    }),
  },
  {
    id: 'dkim.missing-version',
    concerns: (key) => key.faults.length === 0 && !key.hasVersion,
    words: (keys) => ({
      title: `Key record without v=DKIM1: ${selectorsOf(keys)}`,
      detail: 'The version may be left out, but to have it there is recommended.',
      fix: `Put "v=DKIM1; " at the start of the record at ${namesOf(keys)}.`,
    }),
  },
]
