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
    meaning: 'There is a BIMI record, but no mail program can show a logo by it.',
    reference: 'draft-brand-indicators-for-message-identification §4.2',
  },
} as const satisfies Record<`transport.${string}`, FindingEntry>
