/** Why a text is not an email address: a stable code, and a sentence for the person who entered it. */

/** None of them quotes the input, because it may be personal data. */
const REASONS = {
  empty: 'No address was given. Enter one address, such as ann@example.com.',
  too_long:
    'This is longer than 254 octets, the limit for an address. Check that it is a single address.',
  no_at_sign: 'There is no @. Enter the whole address, such as ann@example.com.',
  several_at_signs: 'There is more than one @. Enter a single address, such as ann@example.com.',
  angle_brackets:
    'Angle brackets and names beside them are not part of an address. Enter only the text between the brackets.',
  comment:
    'Comments in parentheses are not part of an address. Remove the parentheses and their content.',
  white_space: 'The address contains a space. Enter it without spaces.',
  unsafe_character:
    'The address contains a control, invisible or unassigned character. Type the address instead of pasting it.',
  no_local_part: 'There is nothing before the @. Enter the whole address, such as ann@example.com.',
  local_part_too_long:
    'The part before the @ is longer than 64 octets, its limit. Check the spelling.',
  local_part_dots: 'The part before the @ has an extra dot. Remove it.',
  local_part_character:
    'The part before the @ has a character that needs quotation marks. Check the spelling.',
  bad_quotes:
    'The quotation marks before the @ do not enclose the whole part, or contain an invalid backslash. Check them, or remove them.',
  no_domain: 'There is nothing after the @. Enter the whole address, such as ann@example.com.',
  domain_final_dot: 'There is a dot after the domain. Remove it.',
  bad_literal:
    'The text in brackets is not an IP address. Write it like [192.0.2.1] or [IPv6:2001:db8::1], or enter a domain name.',
} as const satisfies Record<string, string>

export type InvalidAddressCode = keyof typeof REASONS | 'bad_domain'

export interface InvalidAddress {
  readonly kind: 'refused'
  readonly code: InvalidAddressCode
  readonly reason: string
}

export function invalidAddress(code: keyof typeof REASONS): InvalidAddress {
  return { kind: 'refused', code, reason: REASONS[code] }
}
