import type { FindingEntry } from './finding-entry.js'

/** What a fix plan cannot do on its own, or does not know. */
export const PLAN_FINDINGS = {
  'plan.senders-to-move': {
    severity: 'high',
    meaning: 'The senders do not all fit into the 10 lookups of one SPF record.',
    reference: 'RFC 7208 §4.6.4',
  },
  'plan.spf-too-full': {
    severity: 'high',
    meaning: 'No SPF record within 10 lookups names all senders that pass today.',
    reference: 'RFC 7208 §4.6.4',
  },
  'plan.include-faulty': {
    severity: 'high',
    meaning: 'An SPF include that is needed leads to a record that its operator has to repair.',
    reference: 'RFC 7208 §5.2',
  },
  'plan.mail-at-risk': {
    severity: 'high',
    meaning: 'The DMARC policy is enforced, and no DKIM key signs the domain’s mail.',
    reference: 'RFC 9989 §7.4',
  },
  'plan.sender-at-risk': {
    severity: 'high',
    meaning: 'The DMARC policy is enforced, and a service that passes only with DKIM has no key.',
    reference: 'RFC 9989 §7.4',
  },
  'plan.reject-not-reached': {
    severity: 'medium',
    meaning: 'The stages end before p=reject, because some mail is not signed.',
    reference: 'RFC 9989 §7.4',
  },
  'plan.strict-alignment': {
    severity: 'medium',
    meaning: 'The DMARC record demands strict alignment, which few services meet.',
    reference: 'RFC 9989 §4.4',
  },
  'plan.public-suffix-tag': {
    severity: 'medium',
    meaning: 'The DMARC record has psd=y, which is only for public suffixes.',
    reference: 'RFC 9989 §4.10.2',
  },
  'plan.senders-below': {
    severity: 'medium',
    meaning: 'The domain itself sends no mail, but a subdomain does.',
    reference: 'RFC 9989 §4.10.1',
  },
  'plan.proxied-record': {
    severity: 'medium',
    meaning: 'The DNS host answers a DKIM CNAME with the addresses of its proxy.',
    reference: 'RFC 6376 §3.6.2.1',
  },
  'plan.ptr-kept': {
    severity: 'low',
    meaning: 'The SPF record has ptr, and DNS does not show which servers need it.',
    reference: 'RFC 7208 §5.5',
  },
  'plan.terms-left-out': {
    severity: 'medium',
    meaning: 'The SPF record has terms that receivers cannot use.',
    reference: 'RFC 7208 §4.6',
  },
  'plan.selector-taken': {
    severity: 'medium',
    meaning: 'Two services need their DKIM key at the same name.',
    reference: 'RFC 6376 §3.6.2.2',
  },
  'plan.several-mailbox-providers': {
    severity: 'medium',
    meaning: 'Mail is delivered to more than one mailbox provider.',
    reference: 'RFC 5321 §5.1',
  },
  'plan.unused-receives-mail': {
    severity: 'medium',
    meaning: 'The MX records lead to a mailbox provider that the owner no longer uses.',
    reference: 'RFC 5321 §5.1',
  },
  'plan.mailboxes-cannot-send': {
    severity: 'medium',
    meaning: 'The domain has mailboxes, but its SPF record allows no server to send.',
    reference: 'RFC 7208 §10.1.2',
  },
  'plan.sender-setting': {
    severity: 'medium',
    meaning: 'A service does not sign, and passes DMARC only after a setting is changed there.',
    reference: 'RFC 9989 §4.4',
  },
  'plan.mailboxes-unseen': {
    severity: 'low',
    meaning: 'A gateway is in front of the mailboxes, and nothing shows who runs them.',
    reference: 'RFC 7208 §2.4',
  },
  'plan.several-dns-hosts': {
    severity: 'medium',
    meaning: 'The zone is served by more than one DNS host.',
    reference: 'RFC 1034 §4.2.2',
  },
  'plan.domain-is-alias': {
    severity: 'high',
    meaning: 'The domain is a CNAME, so it cannot have its own records.',
    reference: 'RFC 1034 §3.6.2',
  },
  'plan.delegated-names': {
    severity: 'medium',
    meaning: 'DMARC or DKIM records of the domain are in a delegated zone.',
    reference: 'RFC 1034 §4.2.1',
  },
  'plan.name-too-long': {
    severity: 'medium',
    meaning: 'The domain is so long that names below it exceed the DNS limit.',
    reference: 'RFC 1035 §2.3.4',
  },
  'plan.no-sender-seen': {
    severity: 'medium',
    meaning:
      'The plan blocks all mail because no sender was found, not because the domain declares it.',
    reference: 'RFC 7208 §10.1.2',
  },
  'plan.null-mx-refused': {
    severity: 'info',
    meaning: 'The DNS host does not accept a null MX, so the plan leaves it out.',
    reference: 'RFC 7505 §3',
  },
  'plan.txt-too-long': {
    severity: 'low',
    meaning: 'A text of the plan is longer than the DNS host accepts.',
    reference: 'RFC 1035 §3.3.14',
  },
} as const satisfies Record<`plan.${string}`, FindingEntry>
