/** DKIM selectors: the part of a key's name before `_domainkey` (RFC 6376 §3.1). */
import type { DomainName } from './domain-name.js'
import { MAX_DOMAIN_LENGTH } from './host-problem.js'

/** RFC 6376 §3.1, plus underscores, which many selectors in use contain. */
export const SELECTOR_PATTERN = /^[A-Za-z0-9_-]{1,63}(?:\.[A-Za-z0-9_-]{1,63})*$/

export const INVALID_SELECTOR =
  'This is not a DKIM selector. Use labels of 1 to 63 letters, digits, hyphens and underscores, separated by dots, such as google.'

export type ParsedSelector =
  | { readonly kind: 'selector'; readonly selector: string }
  /** A sentence for the person who entered the text. */
  | { readonly kind: 'refused'; readonly reason: string }

/** Lower case. Together with the domain, it must make a DNS name that is not too long. */
export function parseSelector(text: string, domain: DomainName): ParsedSelector {
  if (!SELECTOR_PATTERN.test(text)) return { kind: 'refused', reason: INVALID_SELECTOR }
  const { length } = `${text}._domainkey.${domain}`
  if (length <= MAX_DOMAIN_LENGTH) return { kind: 'selector', selector: text.toLowerCase() }
  return {
    kind: 'refused',
    reason: `With this selector the name of the key has ${length} characters; DNS allows ${MAX_DOMAIN_LENGTH}. Check the selector.`,
  }
}
