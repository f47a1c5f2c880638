/** Why a text is not a mail address: a stable code, and a sentence for the person who gave it. */

/** None of them repeats what was given: before the @ it is somebody's own. */
const REASONS = {
  empty: 'Nothing was given; give one address, such as ann@example.com.',
  too_long:
    'This is longer than the 254 octets that an address may have; check that it is a single address.',
  no_at_sign: 'There is no @ in it; give the whole address, such as ann@example.com.',
  several_at_signs: 'There is more than one @; give a single address, such as ann@example.com.',
  angle_brackets:
    'Angle brackets and names beside them are not part of an address; give only what stands between the brackets.',
  comment:
    'Comments in parentheses belong into message headers, not into an address; remove the parentheses and what they hold.',
  white_space: 'There is a space inside; give the address without spaces.',
  unsafe_character:
    'There is a control, invisible or unassigned character inside; type the address by hand instead of pasting it.',
  no_local_part: 'There is nothing before the @; give the whole address, such as ann@example.com.',
  local_part_too_long:
    'The part before the @ is longer than the 64 octets that it may have; check the spelling.',
  local_part_dots:
    'The part before the @ has a dot at its start or end, or two in a row; remove the dot.',
  local_part_character:
    'The part before the @ has a character that may not stand there without quotation marks; check the spelling.',
  bad_quotes:
    'The quotation marks before the @ do not enclose the whole part, or a backslash in them stands before a character that it may not; check them, or leave them out.',
  no_domain: 'There is nothing after the @; give the whole address, such as ann@example.com.',
  domain_final_dot: 'There is a dot after the domain; remove it.',
  bad_literal:
    'What stands in brackets is no IP address; write it like [192.0.2.1] or [IPv6:2001:db8::1], or give a domain name.',
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
