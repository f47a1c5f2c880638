/** Every reason for a verdict on an address: its stable code, where it leads, what it means. */

/** From the best to the worst. */
export const ADDRESS_VERDICTS = ['ok', 'risky', 'undeliverable'] as const
export type AddressVerdict = (typeof ADDRESS_VERDICTS)[number]

interface AddressReason {
  readonly verdict: Exclude<AddressVerdict, 'ok'>
  readonly meaning: string
  readonly reference: string
}

/** In the order in which a report names them. */
export const ADDRESS_REASONS = {
  special_use_domain: {
    verdict: 'undeliverable',
    meaning: 'The domain is set aside for something other than public mail and is never looked up.',
    reference: 'RFC 6761 §6',
  },
  domain_not_found: {
    verdict: 'undeliverable',
    meaning: 'The DNS says that the domain does not exist.',
    reference: 'RFC 5321 §5.1',
  },
  null_mx: {
    verdict: 'undeliverable',
    meaning: 'The domain declares that it accepts no mail.',
    reference: 'RFC 7505 §3',
  },
  no_mail_server: {
    verdict: 'undeliverable',
    meaning: 'The domain has neither an MX record nor an address of its own.',
    reference: 'RFC 5321 §5.1',
  },
  unresolvable_mail_servers: {
    verdict: 'undeliverable',
    meaning: 'None of the mail servers that the domain names has an address.',
    reference: 'RFC 5321 §5.1',
  },
  private_address: {
    verdict: 'undeliverable',
    meaning: 'Mail would go to private, loopback or link-local addresses only.',
    reference: 'RFC 6890 §2.2',
  },
  possible_typo: {
    verdict: 'risky',
    meaning: 'The domain is one slip away from a large mailbox provider; see `suggestion`.',
    reference: 'List of large providers',
  },
  disposable: {
    verdict: 'risky',
    meaning: 'The domain, or a mail server that it uses, belongs to a disposable address service.',
    reference: 'Lists of disposable domains',
  },
  implicit_mx: {
    verdict: 'risky',
    meaning: 'There is no MX record; mail goes to the address of the domain, often a web server.',
    reference: 'RFC 5321 §5.1',
  },
  domain_literal: {
    verdict: 'risky',
    meaning: 'An IP address stands in place of a domain; hardly any server takes such mail.',
    reference: 'RFC 5321 §4.1.3',
  },
  role_account: {
    verdict: 'risky',
    meaning: 'The address belongs to a function, such as sales, and not to one person.',
    reference: 'RFC 2142',
  },
  quoted_local_part: {
    verdict: 'risky',
    meaning: 'The part before the @ needs quotation marks, which many servers and forms refuse.',
    reference: 'RFC 5321 §4.1.2',
  },
  smtp_utf8: {
    verdict: 'risky',
    meaning: 'The part before the @ is not ASCII; only servers with SMTPUTF8 can take the mail.',
    reference: 'RFC 6531 §3.1',
  },
} as const satisfies Record<string, AddressReason>

export type AddressReasonCode = keyof typeof ADDRESS_REASONS

export const ADDRESS_REASON_CODES = Object.keys(ADDRESS_REASONS) as [
  AddressReasonCode,
  ...AddressReasonCode[],
]

/** The worst that any of the reasons leads to. */
export function worstVerdict(reasons: readonly AddressReasonCode[]): AddressVerdict {
  const ranks = reasons.map((code) => ADDRESS_VERDICTS.indexOf(ADDRESS_REASONS[code].verdict))
  return ADDRESS_VERDICTS[Math.max(0, ...ranks)] ?? 'ok'
}
