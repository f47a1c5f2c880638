import type { FindingEntry } from './finding-entry.js'

export const TRANSPORT_FINDINGS = {
  'transport.mta-sts-invalid': {
    severity: 'info',
    meaning: 'There is an MTA-STS record, but senders cannot use it.',
    reference: 'RFC 8461 §3.1',
  },
  'transport.tls-rpt-invalid': {
    severity: 'info',
    meaning: 'There is a TLS reporting record, but senders cannot use it.',
    reference: 'RFC 8460 §3',
  },
  'transport.bimi-invalid': {
    severity: 'info',
    meaning: 'There is a BIMI record, but mail programs cannot use it to show a logo.',
    reference: 'draft-brand-indicators-for-message-identification §4.3',
  },
  'transport.bimi-without-enforcement': {
    severity: 'info',
    meaning:
      'There is a BIMI logo, but mail programs do not show it while DMARC is not enforced. Only the full check finds it.',
    reference: 'draft-brand-indicators-for-message-identification §7.1',
  },
  'transport.mta-sts-policy-not-checked': {
    severity: 'info',
    meaning: 'The MTA-STS record is valid; the policy file on the web server was not fetched.',
    reference: 'RFC 8461 §3.3',
  },
  'transport.lookup-unavailable': {
    severity: 'info',
    meaning: 'Some transport records could not be looked up; they do not affect the result.',
    reference: 'RFC 1035 §4.1.1',
  },
} as const satisfies Record<`transport.${string}`, FindingEntry>
