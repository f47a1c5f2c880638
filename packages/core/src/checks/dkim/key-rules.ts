/** Findings about single keys, most severe first, and about the services that they belong to. */

import { describeSetup } from '../../catalog/service-setup.js'
import { type Finding, txtEvidence } from '../finding.js'
import { type Found, found, type Rule } from '../rule.js'
import type { DkimFacts, DkimKey } from './dkim-facts.js'
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

export interface KeyFacts extends DkimFacts {
  /** The keys that say something about the domain's own mail. */
  readonly counted: Keys
  /** The valid ones among them. */
  readonly usable: Keys
  /** Also those of forwarders, and those of a wildcard, which belong to no selector. */
  readonly everyKey: Keys
}

export const KEY_RULES: readonly Rule<KeyFacts>[] = [
  forKeys(
    'everyKey',
    (key) => isRsaShorterThan(MIN_RSA_BITS, key),
    (values, keys) => found(hosted('dkim.weak-key', keys), values),
  ),
  forKeys(
    'everyKey',
    (key) => key.hasPrivateKey,
    (values) => found('dkim.private-key', values),
  ),
  forKeys(
    'keys',
    (key) => key.faults.length > 0,
    ({ selectors }, keys) =>
      found('dkim.malformed', {
        selectors,
        problems: formatFaults(keys, 'problem'),
        remedies: formatFaults(keys, 'remedy'),
      }),
  ),
  forKeys(
    'counted',
    (key) => !key.revoked && !isForEmail(key),
    (values) => found('dkim.not-for-email', values),
  ),
  forKeys(
    'counted',
    (key, { usable }) => isSha1Only(key) && !usable.some(isAcceptable),
    (values) => found('dkim.sha1-only', values),
  ),
  forKeys(
    'counted',
    (key, { usable }) => isSha1Only(key) && usable.some(isAcceptable),
    (values) => found('dkim.sha1-key', values),
  ),
  forKeys(
    'counted',
    (key) => isRsaShorterThan(RECOMMENDED_RSA_BITS, key) && !isRsaShorterThan(MIN_RSA_BITS, key),
    (values, keys) => found(hosted('dkim.short-key', keys), values),
  ),
  forKeys(
    'counted',
    (key) => isRsaLongerThan(MAX_RSA_BITS, key),
    (values, keys) => found(hosted('dkim.large-key', keys), values),
  ),
  forKeys(
    'counted',
    (key) => key.valid && key.testing,
    (values) => found('dkim.testing', values),
  ),
  forKeys(
    'counted',
    (key, { usable }) => key.valid && usable.every(({ keyType }) => keyType === 'ed25519'),
    (values) => found('dkim.ed25519-only', values),
  ),
  forKeys(
    'counted',
    (key) => key.hasGranularity,
    (values) => found('dkim.obsolete-tags', values),
  ),
  forKeys(
    'counted',
    (key) => key.faults.length === 0 && !key.hasVersion && !isHosted(key),
    (values) => found('dkim.missing-version', values),
  ),

  /** A key says nothing about a mailbox provider that signs with other selectors. */
  (facts) => {
    const { domain, requestedSelector, mailboxProviders, wildcardKeys, usable } = facts
    const isGuessing = requestedSelector === null && !wildcardKeys.some((key) => key.valid)
    if (!isGuessing || usable.length === 0) return null
    const unsigned = mailboxProviders.find(
      ({ id, selectors }) =>
        areAnswered(selectors, facts) &&
        !usable.some((key) => selectors.includes(key.selector) || key.provider?.id === id),
    )
    if (!unsigned) return null
    const { name: service, setup, selectors } = unsigned
    const names = selectors.map((selector) => `${selector}._domainkey.${domain}`)
    return found(
      'dkim.mailbox-provider-key-not-found',
      { service, names, domain, setup: setup.dkim && describeSetup(service, setup.dkim) },
      { evidence: names.map((name) => ({ name, type: 'TXT', value: 'no usable key' })) },
    )
  },

  ({ keys }) => {
    const forwarded = keys.filter(({ forwarder }) => forwarder)
    if (forwarded.length === 0) return null
    const selectors = forwarded.map(({ selector }) => selector)
    const services = forwarded.flatMap(({ provider }) => provider?.name ?? [])
    const evidence = forwarded.map(keyEvidence)
    return found('dkim.forwarder-key', { selectors, services }, { evidence })
  },
]

export function keyEvidence({ name, record }: DkimKey): Finding['evidence'][number] {
  return txtEvidence(name, record)
}

/** A finding about all keys that something applies to. */
function forKeys(
  which: 'counted' | 'keys' | 'everyKey',
  applies: (key: DkimKey, facts: KeyFacts) => boolean,
  describe: (values: ReturnType<typeof valuesOf>, keys: Keys) => Found,
): Rule<KeyFacts> {
  return (facts) => {
    const affected = facts[which].filter((key) => applies(key, facts))
    if (affected.length === 0) return null
    const values = valuesOf(facts, affected)
    return { ...describe(values, affected), evidence: affected.map(keyEvidence) }
  }
}

function valuesOf({ domain }: KeyFacts, keys: Keys) {
  return {
    domain,
    selectors: keys.map(({ selector }) => selector),
    names: keys.map(({ name }) => name),
    keys: keys.map(({ selector, keySize }) => `${selector} (${keySize} bits)`),
    service: serviceOf(keys),
  }
}

/** The service to create a new key at. */
function serviceOf(keys: Keys): string | null {
  const [service = null, ...others] = new Set(keys.map(({ provider }) => provider?.name ?? null))
  return others.length > 0 ? null : service
}

function isSha1Only(key: DkimKey): boolean {
  return key.valid && allowsOnlySha1(key)
}

/** Behind the CNAME of a known service, only the service can edit the record. */
function isHosted({ cnames, provider }: DkimKey): boolean {
  return cnames.length > 0 && provider !== null
}

/** The service rotates keys behind CNAMEs that stay the same. */
function hosted<Id extends string>(id: Id, keys: Keys): Id | `${Id} (hosted)` {
  return keys.every(({ cnames }) => cnames.length > 0) ? `${id} (hosted)` : id
}

function formatFaults(keys: Keys, what: 'problem' | 'remedy'): string {
  return keys
    .slice(0, 5)
    .map(({ name, faults }) => `${name}: ${faults.map((fault) => fault[what]).join(' ')}`)
    .join(' ')
}

/** A failed query leaves open whether there is a key. */
function areAnswered(
  selectors: readonly string[],
  { selectorsTried, selectorsFailed }: DkimFacts,
): boolean {
  return (
    selectors.length > 0 &&
    selectors.every(
      (selector) => selectorsTried.includes(selector) && !selectorsFailed.includes(selector),
    )
  )
}
