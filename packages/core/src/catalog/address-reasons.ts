/** Every reason for a verdict on an address: its stable code, verdict and meaning. */

/** From the best to the worst. */
export const ADDRESS_VERDICTS = ['ok', 'risky', 'undeliverable'] as const
export type AddressVerdict = (typeof ADDRESS_VERDICTS)[number]

interface AddressReason {
  readonly verdict: Exclude<AddressVerdict, 'ok'>
  readonly meaning: string
  readonly reference: string
}

/** In report order. */
export const ADDRESS_REASONS = {
  special_use_domain: {
    verdict: 'undeliverable',
    meaning: 'The domain is reserved for purposes other than public mail and is never looked up.',
    reference: 'RFC 6761 §6',
  },
  domain_not_found: {
    verdict: 'undeliverable',
    meaning: 'The domain does not exist in DNS.',
    reference: 'RFC 5321 §5.1',
  },
  null_mx: {
    verdict: 'undeliverable',
    meaning: 'The domain declares that it accepts no mail.',
    reference: 'RFC 7505 §3',
  },
  no_mail_server: {
    verdict: 'undeliverable',
    meaning: 'The domain has neither an MX record nor its own address.',
    reference: 'RFC 5321 §5.1',
  },
  unresolvable_mail_servers: {
    verdict: 'undeliverable',
    meaning: 'None of the domain’s mail servers has an address.',
    reference: 'RFC 5321 §5.1',
  },
  private_address: {
    verdict: 'undeliverable',
    meaning: 'Mail would go only to private, loopback or link-local addresses.',
    reference: 'RFC 6890 §2.2',
  },
  documentation_address: {
    verdict: 'undeliverable',
    meaning: 'The IP address is reserved for examples in documentation, so no server has it.',
    reference: 'RFC 6890 §2.2',
  },
  possible_typo: {
    verdict: 'risky',
    meaning: 'The domain is one typo away from a large mailbox provider; see `suggestion`.',
    reference: 'List of large providers',
  },
  parked_domain: {
    verdict: 'risky',
    meaning: 'The domain is parked or for sale; its servers may accept mail that no one reads.',
    reference: 'Lists of parking services',
  },
  disposable: {
    verdict: 'risky',
    meaning: 'The domain, or one of its mail servers, belongs to a disposable address service.',
    reference: 'Lists of disposable domains',
  },
  name_not_allowed: {
    verdict: 'risky',
    meaning: 'The provider allows no new mailbox with this name, so it probably does not exist.',
    reference: 'Sign-up rules of large providers',
  },
  placeholder_name: {
    verdict: 'risky',
    meaning: 'The part before the @ looks like text to fill a field, such as test or asdf.',
    reference: 'List of placeholders',
  },
  placeholder_domain: {
    verdict: 'risky',
    meaning: 'The domain is real, but mostly typed as an example, such as test.com.',
    reference: 'List of placeholders',
  },
  implicit_mx: {
    verdict: 'risky',
    meaning: 'There is no MX record; mail goes to the address of the domain, often a web server.',
    reference: 'RFC 5321 §5.1',
  },
  domain_literal: {
    verdict: 'risky',
    meaning: 'An IP address replaces the domain; hardly any server accepts such mail.',
    reference: 'RFC 5321 §4.1.3',
  },
  role_account: {
    verdict: 'risky',
    meaning: 'The address belongs to a function, such as sales, not to a person.',
    reference: 'RFC 2142',
  },
  quoted_local_part: {
    verdict: 'risky',
    meaning: 'The part before the @ needs quotation marks, which many servers and forms reject.',
    reference: 'RFC 5321 §4.1.2',
  },
  smtp_utf8: {
    verdict: 'risky',
    meaning: 'The part before the @ is not ASCII; only servers with SMTPUTF8 can accept the mail.',
    reference: 'RFC 6531 §3.1',
  },
} as const satisfies Record<string, AddressReason>

export type AddressReasonCode = keyof typeof ADDRESS_REASONS

export const ADDRESS_REASON_CODES = Object.keys(ADDRESS_REASONS) as [
  AddressReasonCode,
  ...AddressReasonCode[],
]

/** The worst verdict of any reason. */
export function worstVerdict(reasons: readonly AddressReasonCode[]): AddressVerdict {
  const ranks = reasons.map((code) => ADDRESS_VERDICTS.indexOf(ADDRESS_REASONS[code].verdict))
  return ADDRESS_VERDICTS[Math.max(0, ...ranks)] ?? 'ok'
}
