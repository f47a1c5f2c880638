import type { FindingEntry } from './finding-entry.js'

export const MX_FINDINGS = {
  'mx.missing': {
    severity: 'medium',
    meaning: 'The domain has neither a mail server nor an address, so it cannot receive mail.',
    reference: 'RFC 5321 §5.1',
  },
  'mx.implicit': {
    severity: 'low',
    meaning: 'There is no MX record, so senders use the address of the domain itself.',
    reference: 'RFC 5321 §5.1',
  },
  'mx.null-and-others': {
    severity: 'high',
    meaning: 'A null MX ("we accept no mail") contradicts real mail servers beside it.',
    reference: 'RFC 7505 §3',
  },
  'mx.dangling': {
    severity: 'high',
    meaning: 'A mail server has no address, so mail sent there is delayed and then fails.',
    reference: 'RFC 5321 §5.1',
  },
  'mx.cname': {
    severity: 'medium',
    meaning: 'An MX record points to a CNAME, which some senders refuse to follow.',
    reference: 'RFC 2181 §10.3',
  },
  'mx.ip-literal': {
    severity: 'high',
    meaning: 'An MX record contains an IP address instead of a host name.',
    reference: 'RFC 1035 §3.3.9',
  },
  'mx.private-address': {
    severity: 'high',
    meaning: 'A mail server has only addresses that cannot be reached from the internet.',
    reference: 'RFC 6890 §2.2',
  },
  'mx.too-many': {
    severity: 'low',
    meaning: 'There are more mail servers than any sender tries; only the first were looked up.',
    reference: 'RFC 5321 §5.1',
  },
  'mx.too-many-addresses': {
    severity: 'low',
    meaning: 'A mail server has more addresses than any sender tries; only the first are shown.',
    reference: 'RFC 5321 §5.1',
  },
  'mx.host-unavailable': {
    severity: 'info',
    meaning:
      'Some addresses of a mail server could not be looked up; they do not affect the result.',
    reference: 'RFC 5321 §5.1',
  },
  'mx.null-but-sending': {
    severity: 'medium',
    meaning:
      'A null MX says that the domain accepts no mail, but SPF authorizes senders for it. Only the full check and the score find it.',
    reference: 'RFC 7505 §4.2',
  },
} as const satisfies Record<`mx.${string}`, FindingEntry>
