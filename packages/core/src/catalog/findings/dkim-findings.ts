import type { FindingEntry } from './finding-entry.js'

export const DKIM_FINDINGS = {
  'dkim.missing': {
    severity: 'high',
    meaning: 'DNS proves that the domain has no DKIM key, so its mail cannot be signed.',
    reference: 'RFC 8020 §2',
  },
  'dkim.revoked': {
    severity: 'high',
    meaning: 'The only keys found are revoked, so signatures made with them are invalid.',
    reference: 'RFC 6376 §3.6.1',
  },
  'dkim.unknown-selector': {
    severity: 'info',
    meaning: 'The domain has selectors, but none of those tried has a usable key.',
    reference: 'RFC 6376 §3.1',
  },
  'dkim.unknown': {
    severity: 'low',
    meaning: 'No usable key was found, but there may be one at another selector.',
    reference: 'RFC 6376 §3.1',
  },
  'dkim.not-needed': {
    severity: 'info',
    meaning: 'There is no usable key, and the domain declares that it sends no mail.',
    reference: 'RFC 7505 §4.2',
  },
  'dkim.selector-not-found': {
    severity: 'high',
    meaning: 'A selector that was asked for has no key.',
    reference: 'RFC 6376 §6.1.2',
  },
  'dkim.weak-key': {
    severity: 'critical',
    meaning: 'An RSA key is shorter than 1024 bits, so attackers can compute and use it.',
    reference: 'RFC 8301 §3.2',
  },
  'dkim.private-key': {
    severity: 'critical',
    meaning: 'A private key is published instead of the public key.',
    reference: 'RFC 6376 §3.6.1',
  },
  'dkim.short-key': {
    severity: 'medium',
    meaning: 'An RSA key has 1024 to 2047 bits; 2048 are recommended.',
    reference: 'RFC 8301 §3.2',
  },
  'dkim.malformed': {
    severity: 'medium',
    meaning: 'A DKIM record has an error, so receivers cannot use it.',
    reference: 'RFC 6376 §3.6.1',
  },
  'dkim.several-records': {
    severity: 'medium',
    meaning: 'A selector has more than one TXT record; which one counts is undefined.',
    reference: 'RFC 6376 §3.6.2.2',
  },
  'dkim.dangling-cname': {
    severity: 'medium',
    meaning: 'A selector is a CNAME that leads to no key.',
    reference: 'RFC 6376 §6.1.2',
  },
  'dkim.testing': {
    severity: 'medium',
    meaning: 'A key is in testing mode, which asks receivers to ignore its signatures.',
    reference: 'RFC 6376 §3.6.1',
  },
  'dkim.sha1-only': {
    severity: 'high',
    meaning: 'All keys allow only SHA-1 signatures, which receivers no longer accept.',
    reference: 'RFC 8301 §3.1',
  },
  'dkim.sha1-key': {
    severity: 'low',
    meaning: 'One key among others allows only SHA-1 signatures, which receivers no longer accept.',
    reference: 'RFC 8301 §3.1',
  },
  'dkim.ed25519-only': {
    severity: 'medium',
    meaning: 'All keys are Ed25519 keys, which many receivers cannot use yet.',
    reference: 'RFC 8463 §6',
  },
  'dkim.not-for-email': {
    severity: 'low',
    meaning: 'A key is limited to services other than email, so receivers ignore it.',
    reference: 'RFC 6376 §3.6.1',
  },
  'dkim.wildcard': {
    severity: 'low',
    meaning: 'A wildcard returns a DKIM record for every selector.',
    reference: 'RFC 6376 §3.6.2.1',
  },
  'dkim.wildcard-revoked': {
    severity: 'info',
    meaning: 'A wildcard revokes every selector without its own record.',
    reference: 'RFC 6376 §3.6.1',
  },
  'dkim.obsolete-tags': {
    severity: 'info',
    meaning: 'A key record has the tag g=, which is no longer part of DKIM.',
    reference: 'RFC 6376 §C.2',
  },
  'dkim.missing-version': {
    severity: 'info',
    meaning: 'A key record does not start with the recommended v=DKIM1.',
    reference: 'RFC 6376 §3.6.1',
  },
  'dkim.large-key': {
    severity: 'low',
    meaning: 'An RSA key has more than 4096 bits, which receivers do not have to verify.',
    reference: 'RFC 8301 §3.2',
  },
  'dkim.mailbox-provider-key-not-found': {
    severity: 'low',
    meaning:
      'Keys were found, but none at the usual selectors of the mailbox provider, so its mail may be unsigned.',
    reference: 'RFC 6376 §3.1',
  },
  'dkim.forwarder-key': {
    severity: 'info',
    meaning: 'A key belongs to a service that forwards mail. It does not count as your DKIM.',
    reference: 'RFC 6376 §2.1',
  },
  'dkim.selector-unavailable': {
    severity: 'info',
    meaning: 'Some selectors could not be looked up; they do not affect the result.',
    reference: 'RFC 6376 §6.1.2',
  },
} as const satisfies Record<`dkim.${string}`, FindingEntry>
