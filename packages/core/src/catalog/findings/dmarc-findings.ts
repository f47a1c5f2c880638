import type { FindingEntry } from './finding-entry.js'

export const DMARC_FINDINGS = {
  'dmarc.missing': {
    severity: 'critical',
    meaning: 'No DMARC policy applies, so nothing asks receivers to keep forged mail out.',
    reference: 'RFC 9989 §4.10.1',
  },
  'dmarc.policy-none': {
    severity: 'high',
    meaning: 'The policy is none: forged mail is reported, but delivered all the same.',
    reference: 'RFC 9989 §4.7',
  },
  'dmarc.policy-quarantine': {
    severity: 'low',
    meaning: 'The policy is quarantine: forged mail lands in the spam folder instead of outside.',
    reference: 'RFC 9989 §4.7',
  },
  'dmarc.testing': {
    severity: 'medium',
    meaning: 'Test mode (t=y) has receivers apply the policy one level down.',
    reference: 'RFC 9989 §4.7',
  },
  'dmarc.partial': {
    severity: 'medium',
    meaning: 'An old pct below 100 has older receivers apply the policy to a share of mail only.',
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
    meaning: 'Subdomains that do not exist have a weaker policy than the domain.',
    reference: 'RFC 9989 §4.7',
  },
  'dmarc.subdomain-tags-ignored': {
    severity: 'info',
    meaning: 'sp or np stands in a record that is not the organisational domain’s, without effect.',
    reference: 'RFC 9989 §4.7',
  },
  'dmarc.multiple-records': {
    severity: 'high',
    meaning: 'Several DMARC records stand at one name, and receivers discard them all.',
    reference: 'RFC 9989 §4.10',
  },
  'dmarc.near-miss': {
    severity: 'medium',
    meaning:
      'A record was meant as DMARC but does not begin as one, so no receiver takes it for one.',
    reference: 'RFC 9989 §4.7',
  },
  'dmarc.bad-tags': {
    severity: 'medium',
    meaning: 'The record has faults; receivers drop the tags concerned, strict ones all of it.',
    reference: 'RFC 9989 §4.8',
  },
  'dmarc.unknown-tags': {
    severity: 'info',
    meaning: 'The record has a tag that DMARC does not know, and that receivers ignore.',
    reference: 'RFC 9989 §4.7',
  },
  'dmarc.obsolete-tags': {
    severity: 'info',
    meaning: 'The record has parts that DMARC no longer knows (pct, rf, ri, size limits).',
    reference: 'RFC 9989 §C.5.2',
  },
  'dmarc.cname': {
    severity: 'info',
    meaning: 'The record is kept elsewhere: whoever controls the CNAME’s target sets the policy.',
    reference: 'RFC 1034 §3.6.2',
  },
  'dmarc.dangling-cname': {
    severity: 'medium',
    meaning: 'A CNAME leads to a name without a DMARC record; who takes that name sets the policy.',
    reference: 'RFC 1034 §3.6.2',
  },
  'dmarc.no-reports': {
    severity: 'low',
    meaning: 'Nobody gets aggregate reports: no rua address is valid, authorised and reachable.',
    reference: 'RFC 9989 §5.1.3',
  },
  'dmarc.report-not-authorized': {
    severity: 'medium',
    meaning:
      'Reports go to another organisation that has not agreed to take them, so none are sent.',
    reference: 'RFC 9990 §4',
  },
  'dmarc.report-target-without-mx': {
    severity: 'medium',
    meaning: 'Reports go to a domain that receives no mail.',
    reference: 'RFC 5321 §5.1',
  },
  'dmarc.too-many-destinations': {
    severity: 'low',
    meaning:
      'More report destinations than receivers serve; only the first were read or looked up.',
    reference: 'RFC 7489 §6.2',
  },
  'dmarc.old-receivers-differ': {
    severity: 'low',
    meaning: 'Receivers that still go by RFC 7489 come to another record or policy.',
    reference: 'RFC 7489 §6.6.3',
  },
  'dmarc.public-suffix-policy': {
    severity: 'info',
    meaning: 'The domain has no record; the policy is that of the registry above it.',
    reference: 'RFC 9989 §4.10.1',
  },
  'dmarc.reject-without-dkim': {
    severity: 'medium',
    meaning: 'The policy is reject, but no DKIM key exists, so forwarded mail is refused.',
    reference: 'RFC 9989 §7.4',
  },
} as const satisfies Record<`dmarc.${string}`, FindingEntry>
