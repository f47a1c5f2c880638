/** The domain that a caller asks about. People paste the URL of their website, so `www.` is removed. */
import { type DomainName, type InvalidDomain, parseDomain, toDomainName } from './domain-name.js'
import { hasRegistrableDomain } from './registrable-domain.js'
import type { NameOptions } from './reserved-names.js'

export interface DomainInputOptions extends NameOptions {
  /** Keeps a leading `www.`. */
  readonly exact?: boolean | undefined
}

export type ParsedDomainInput =
  | {
      readonly kind: 'domain'
      readonly domain: DomainName
      /** The name as given, if `domain` is that name without `www.`; otherwise null. */
      readonly requested: DomainName | null
    }
  | InvalidDomain

const WEBSITE = 'www.'

/** Accepts what `parseDomain` accepts. Mail is sent as the domain, hardly ever as its website. */
export function parseDomainInput(
  text: string,
  { exact = false, ...options }: DomainInputOptions = {},
): ParsedDomainInput {
  const parsed = parseDomain(text, options)
  if (parsed.kind === 'refused') return parsed
  const { domain } = parsed
  const rest = !exact && domain.startsWith(WEBSITE) ? domain.slice(WEBSITE.length) : ''
  return rest !== '' && hasRegistrableDomain(rest)
    ? { kind: 'domain', domain: toDomainName(rest), requested: domain }
    : { kind: 'domain', domain, requested: null }
}
