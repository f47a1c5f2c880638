import type { FindingEntry } from './finding-entry.js'

export const SPF_FINDINGS = {
  'spf.missing': {
    severity: 'high',
    meaning: 'The domain has no SPF record, so receivers cannot tell its servers from others.',
    reference: 'RFC 7208 §3.1',
  },
  'spf.near-miss': {
    severity: 'medium',
    meaning: 'A TXT record looks like SPF, but does not start with `v=spf1` and a space.',
    reference: 'RFC 7208 §4.5',
  },
  'spf.multiple-records': {
    severity: 'high',
    meaning: 'There are several SPF records at one name; receivers use none of them.',
    reference: 'RFC 7208 §3.2',
  },
  'spf.syntax': {
    severity: 'high',
    meaning: 'A term is invalid, which makes the whole record a permanent error.',
    reference: 'RFC 7208 §4.6',
  },
  'spf.hidden-characters': {
    severity: 'high',
    meaning:
      'The record contains characters that are not printable ASCII, often pasted by accident.',
    reference: 'RFC 7208 §4.6.1',
  },
  'spf.split-without-space': {
    severity: 'high',
    meaning: 'The record is split into strings without a space, so two terms run together.',
    reference: 'RFC 7208 §3.3',
  },
  'spf.include-without-record': {
    severity: 'high',
    meaning: 'An include or redirect leads to a name without an SPF record: a permanent error.',
    reference: 'RFC 7208 §5.2',
  },
  'spf.loop': {
    severity: 'high',
    meaning: 'A record includes or redirects to itself, directly or through others.',
    reference: 'RFC 7208 §4.6.4',
  },
  'spf.too-many-lookups': {
    severity: 'high',
    meaning: 'In the worst case the record takes more than 10 DNS lookups: a permanent error.',
    reference: 'RFC 7208 §4.6.4',
  },
  'spf.at-lookup-limit': {
    severity: 'low',
    meaning: 'The record takes exactly 10 DNS lookups; one more in any included record breaks it.',
    reference: 'RFC 7208 §4.6.4',
  },
  'spf.void-lookups': {
    severity: 'high',
    meaning:
      'More than 2 of the lookups are empty (void) for senders over IPv4 and IPv6: a permanent error.',
    reference: 'RFC 7208 §4.6.4',
  },
  'spf.void-lookups-one-family': {
    severity: 'low',
    meaning:
      'More than 2 of the lookups are empty (void), but only for senders over IPv4 or only over IPv6.',
    reference: 'RFC 7208 §4.6.4',
  },
  'spf.mx-limit': {
    severity: 'high',
    meaning: 'An `mx` term names a domain with more than 10 mail servers: a permanent error.',
    reference: 'RFC 7208 §4.6.4',
  },
  'spf.allows-everyone': {
    severity: 'critical',
    meaning:
      'Every sender passes: `+all`, ranges that cover all addresses, or an `exists` that is always true.',
    reference: 'RFC 7208 §5.1',
  },
  'spf.names-nobody': {
    severity: 'high',
    meaning: 'The domain sends mail, but no server passes its SPF record.',
    reference: 'RFC 7208 §4.7',
  },
  'spf.mailbox-provider-missing': {
    severity: 'high',
    meaning: 'The record does not authorize the mailbox provider that the MX records name.',
    reference: 'RFC 7208 §3',
  },
  'spf.term-matches-nothing': {
    severity: 'low',
    meaning: 'A term can match no sender, for example a host without an address.',
    reference: 'RFC 7208 §5',
  },
  'spf.neutral-all': {
    severity: 'medium',
    meaning: 'The record ends in `?all`, which says nothing about senders it does not name.',
    reference: 'RFC 7208 §8.2',
  },
  'spf.no-all': {
    severity: 'medium',
    meaning: 'The record has neither `all` nor `redirect`, which is the same as `?all`.',
    reference: 'RFC 7208 §4.7',
  },
  'spf.softfail-without-dmarc': {
    severity: 'info',
    meaning:
      'The record ends in `~all` and no DMARC policy is enforced, so forged mail is only marked. Only the full check and the score find it.',
    reference: 'RFC 7208 §8.5',
  },
  'spf.wide-range': {
    severity: 'medium',
    meaning:
      'A term authorizes more than 65,536 IPv4 addresses (/16) or an IPv6 range wider than /32.',
    reference: 'RFC 7208 §11.2',
  },
  'spf.private-address': {
    severity: 'low',
    meaning: 'The record names a private address, which no receiver on the internet ever sees.',
    reference: 'RFC 6890 §2.2',
  },
  'spf.ptr': {
    severity: 'low',
    meaning: 'The record uses `ptr`, which is slow, unreliable and should not be published.',
    reference: 'RFC 7208 §5.5',
  },
  'spf.duplicate-include': {
    severity: 'low',
    meaning: 'The same include occurs more than once and costs its lookups each time.',
    reference: 'RFC 7208 §4.6.4',
  },
  'spf.long-record': {
    severity: 'low',
    meaning: 'The record is longer than 450 octets and may not fit into a small DNS answer.',
    reference: 'RFC 7208 §3.4',
  },
  'spf.terms-after-all': {
    severity: 'low',
    meaning: 'Mechanisms follow `all`, where receivers do not read them.',
    reference: 'RFC 7208 §5.1',
  },
  'spf.redirect-ignored': {
    severity: 'medium',
    meaning: 'The record has both `redirect` and `all`, so the `redirect` is ignored.',
    reference: 'RFC 7208 §6.1',
  },
  'spf.ignored-term': {
    severity: 'medium',
    meaning:
      'A mechanism is written with `=` instead of `:`, which makes it an unknown modifier that receivers ignore.',
    reference: 'RFC 7208 §6',
  },
  'spf.unaligned-include': {
    severity: 'info',
    meaning:
      'An include names a service with its own bounce domain: it cannot make DMARC pass and only costs lookups.',
    reference: 'RFC 9989 §4.4.2',
  },
  'spf.depends-on-sender': {
    severity: 'info',
    meaning:
      'Macros make parts of the record depend on the sender, so their lookups are not counted.',
    reference: 'RFC 7208 §7',
  },
  'spf.lookup-unavailable': {
    severity: 'info',
    meaning: 'A record that SPF leads to could not be looked up; it does not affect the result.',
    reference: 'RFC 7208 §2.6.6',
  },
  'spf.type-99': {
    severity: 'info',
    meaning: 'There is a record of the retired type SPF (99), which receivers no longer read.',
    reference: 'RFC 7208 §3.1',
  },
} as const satisfies Record<`spf.${string}`, FindingEntry>
