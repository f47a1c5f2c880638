import type { FindingEntry } from './finding-entry.js'

export const MX_FINDINGS = {
  'mx.missing': {
    severity: 'medium',
    meaning: 'The domain has neither a mail server nor an address, so it cannot receive mail.',
    reference: 'RFC 5321 §5.1',
  },
  'mx.implicit': {
    severity: 'low',
    meaning: 'There is no MX record; senders fall back to the address of the domain itself.',
    reference: 'RFC 5321 §5.1',
  },
  'mx.null-and-others': {
    severity: 'high',
    meaning:
      'A null MX ("we accept no mail") stands beside real mail servers and contradicts them.',
    reference: 'RFC 7505 §3',
  },
  'mx.dangling': {
    severity: 'high',
    meaning: 'A mail server is named that has no address, so mail sent there waits and then fails.',
    reference: 'RFC 5321 §5.1',
  },
  'mx.cname': {
    severity: 'medium',
    meaning: 'A mail server is named by an alias (CNAME), which some senders refuse to follow.',
    reference: 'RFC 2181 §10.3',
  },
  'mx.ip-literal': {
    severity: 'high',
    meaning: 'An MX record holds an IP address where only a host name may stand.',
    reference: 'RFC 1035 §3.3.9',
  },
  'mx.private-address': {
    severity: 'high',
    meaning: 'A mail server has only addresses that cannot be reached from the internet.',
    reference: 'RFC 6890 §2.2',
  },
  'mx.too-many': {
    severity: 'low',
    meaning: 'There are more mail servers than any sender will try; only the first were looked up.',
    reference: 'RFC 5321 §5.1',
  },
  'mx.null-but-sending': {
    severity: 'medium',
    meaning:
      'A null MX says that the domain accepts no mail, while SPF lets somebody send for it. Judged in the combined check.',
    reference: 'RFC 7505 §4.2',
  },
} as const satisfies Record<`mx.${string}`, FindingEntry>
