import type { FindingEntry } from './finding-entry.js'

export const DMARC_FINDINGS = {
  'dmarc.missing': {
    severity: 'critical',
    meaning: 'No DMARC policy applies, so receivers have no instructions for forged mail.',
    reference: 'RFC 9989 §4.10.1',
  },
  'dmarc.policy-none': {
    severity: 'high',
    meaning: 'The policy is none: forged mail may be reported, but is still delivered.',
    reference: 'RFC 9989 §4.7',
  },
  'dmarc.policy-quarantine': {
    severity: 'info',
    meaning: 'The policy is quarantine: forged mail goes to spam instead of being rejected.',
    reference: 'RFC 9989 §4.7',
  },
  'dmarc.testing': {
    severity: 'medium',
    meaning: 'In test mode (t=y), receivers apply the next weaker policy.',
    reference: 'RFC 9989 §4.7',
  },
  'dmarc.partial': {
    severity: 'medium',
    meaning:
      'An obsolete pct below 100 makes older receivers apply the policy to only part of the mail.',
    reference: 'RFC 9989 §A.6',
  },
  'dmarc.subdomains-open': {
    severity: 'medium',
    meaning: 'The domain is protected, but its subdomains have the policy none.',
    reference: 'RFC 9989 §4.7',
  },
  'dmarc.subdomains-weaker': {
    severity: 'low',
    meaning: 'The policy of the subdomains is weaker than that of the domain.',
    reference: 'RFC 9989 §4.7',
  },
  'dmarc.nonexistent-weaker': {
    severity: 'low',
    meaning: 'Nonexistent subdomains have a weaker policy than the domain.',
    reference: 'RFC 9989 §4.7',
  },
  'dmarc.subdomain-tags-ignored': {
    severity: 'info',
    meaning: 'sp or np has no effect, because the record is not that of the organizational domain.',
    reference: 'RFC 9989 §4.7',
  },
  'dmarc.multiple-records': {
    severity: 'high',
    meaning: 'There are several DMARC records at one name, and receivers discard them all.',
    reference: 'RFC 9989 §4.10',
  },
  'dmarc.near-miss': {
    severity: 'medium',
    meaning: 'A record looks like DMARC but does not start like it, so receivers ignore it.',
    reference: 'RFC 9989 §4.7',
  },
  'dmarc.record-at-domain': {
    severity: 'medium',
    meaning: 'A DMARC record is at the domain itself instead of its _dmarc name, so it is ignored.',
    reference: 'RFC 9989 §4.5',
  },
  'dmarc.unused-record-at-domain': {
    severity: 'info',
    meaning: 'Besides the record that counts, there is one at the domain itself, without effect.',
    reference: 'RFC 9989 §4.5',
  },
  'dmarc.record-at-doubled-name': {
    severity: 'medium',
    meaning:
      'A DMARC record is at a name that ends in the domain twice, so receivers do not find it.',
    reference: 'RFC 9989 §4.5',
  },
  'dmarc.bad-tags': {
    severity: 'medium',
    meaning:
      'The record has errors; receivers ignore the affected tags, strict ones the whole record.',
    reference: 'RFC 9989 §4.8',
  },
  'dmarc.unknown-tags': {
    severity: 'info',
    meaning: 'The record has an unknown tag, which receivers ignore.',
    reference: 'RFC 9989 §4.7',
  },
  'dmarc.obsolete-tags': {
    severity: 'info',
    meaning: 'The record has obsolete parts (pct, rf, ri, size limits).',
    reference: 'RFC 9989 §C.5.2',
  },
  'dmarc.cname': {
    severity: 'info',
    meaning: 'The record is hosted elsewhere: the owner of the CNAME target sets the policy.',
    reference: 'RFC 1034 §3.6.2',
  },
  'dmarc.dangling-cname': {
    severity: 'medium',
    meaning:
      'A CNAME leads to a name without a DMARC record; a new owner of that name could set the policy.',
    reference: 'RFC 1034 §3.6.2',
  },
  'dmarc.no-reports': {
    severity: 'low',
    meaning: 'No aggregate reports arrive: no rua address is valid, authorized and reachable.',
    reference: 'RFC 9989 §5.1.3',
  },
  'dmarc.report-not-authorized': {
    severity: 'medium',
    meaning:
      'Reports go to another organization that has not agreed to receive them, so none are sent.',
    reference: 'RFC 9990 §4',
  },
  'dmarc.report-target-without-mx': {
    severity: 'medium',
    meaning: 'Reports go to a domain that receives no mail.',
    reference: 'RFC 5321 §5.1',
  },
  'dmarc.report-destination-unavailable': {
    severity: 'info',
    meaning:
      'A lookup for a report destination failed, so it is unknown whether reports arrive there.',
    reference: 'RFC 9990 §4',
  },
  'dmarc.too-many-destinations': {
    severity: 'low',
    meaning:
      'More report destinations than receivers support; only the first were read or looked up.',
    reference: 'RFC 7489 §6.2',
  },
  'dmarc.old-receivers-differ': {
    severity: 'low',
    meaning: 'Receivers that still follow RFC 7489 find another record or policy.',
    reference: 'RFC 7489 §6.6.3',
  },
  'dmarc.public-suffix-policy': {
    severity: 'info',
    meaning: 'The domain has no record; the policy comes from the registry above it.',
    reference: 'RFC 9989 §4.10.1',
  },
  'dmarc.reject-without-dkim': {
    severity: 'medium',
    meaning: 'The policy is reject, but there is no DKIM key, so forwarded mail is rejected.',
    reference: 'RFC 9989 §7.4',
  },
} as const satisfies Record<`dmarc.${string}`, FindingEntry>
