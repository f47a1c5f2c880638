/** DKIM selectors: the part of a key's name before `_domainkey` (RFC 6376 §3.1). */
import { type DomainName, parseDomain } from './domain-name.js'
import { MAX_DOMAIN_LENGTH } from './host-problem.js'

/** RFC 6376 §3.1, plus underscores, which many selectors in use contain. */
const SELECTOR_PATTERN = /^[A-Za-z0-9_-]{1,63}(?:\.[A-Za-z0-9_-]{1,63})*$/

/** Setup pages of services show the whole name of the key, so that is what people copy. */
const KEY_NAME = /^(?<selector>.*?)\._domainkey(?:\.(?<owner>.*))?$/is

export const INVALID_SELECTOR =
  'This isn’t a DKIM selector. Use parts of 1 to 63 letters, digits, hyphens, and underscores, separated by dots, such as google.'
const OTHER_DOMAIN =
  'This key name belongs to a different domain. Check that domain instead, or send only the part before ._domainkey.'

/** Each costs a query, and few senders sign with more. */
export const MAX_GIVEN_SELECTORS = 5

interface InvalidSelector {
  readonly kind: 'refused'
  /** A sentence for the person who entered the text. */
  readonly reason: string
}

export type ParsedSelector =
  | { readonly kind: 'selector'; readonly selector: string }
  | InvalidSelector

/**
 * Lower case, without `._domainkey` and the domain behind it. Together with the domain, it must make
 * a DNS name that is not too long; without a domain, only its form is checked.
 */
export function parseSelector(text: string, domain: DomainName | null): ParsedSelector {
  const { selector = text, owner = '' } = KEY_NAME.exec(text)?.groups ?? {}
  if (!SELECTOR_PATTERN.test(selector)) return refused(INVALID_SELECTOR)
  const parsedOwner = owner === '' ? null : parseDomain(owner, { allowPrivateNames: true })
  if (parsedOwner?.kind === 'refused') return refused(INVALID_SELECTOR)
  if (domain !== null) {
    if (parsedOwner && parsedOwner.domain !== domain) return refused(OTHER_DOMAIN)
    const { length } = `${selector}._domainkey.${domain}`
    if (length > MAX_DOMAIN_LENGTH) {
      return refused(
        `With this selector, the key’s name is ${length} characters long, but DNS allows only ${MAX_DOMAIN_LENGTH}. Check the selector.`,
      )
    }
  }
  return { kind: 'selector', selector: selector.toLowerCase() }
}

export type ParsedSelectors =
  | { readonly kind: 'selectors'; readonly selectors: readonly string[] }
  | InvalidSelector

export function parseSelectors(texts: readonly string[], domain: DomainName): ParsedSelectors {
  if (texts.length > MAX_GIVEN_SELECTORS) {
    return refused(`There are ${texts.length} selectors; send at most ${MAX_GIVEN_SELECTORS}.`)
  }
  const selectors = new Set<string>()
  for (const text of texts) {
    const parsed = parseSelector(text, domain)
    if (parsed.kind === 'refused') return parsed
    selectors.add(parsed.selector)
  }
  return { kind: 'selectors', selectors: [...selectors] }
}

function refused(reason: string): InvalidSelector {
  return { kind: 'refused', reason }
}
