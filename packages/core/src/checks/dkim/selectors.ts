/** Which selectors are worth a question. */
import { COMMON_SELECTORS, GENERIC_SELECTORS } from '../../catalog/dkim-selectors.js'
import { MAX_DOMAIN_LENGTH } from '../../names/name-limits.js'

/** Enough for all that we know to guess, and a bound on what one domain can make us ask. */
const MAX_SELECTORS = 96

/** Those to ask of every domain, at once. */
export function initialSelectors(domainKey: string): string[] {
  return COMMON_SELECTORS.filter((selector) => fits(selector, domainKey))
}

/** Those to ask next: of recognised services first, then the wider net where it can catch anything. */
export function additionalSelectors(
  domainKey: string,
  services: readonly { readonly selectors: readonly string[] }[],
  isWide: boolean,
): string[] {
  const recognised = services.flatMap((service) => service.selectors)
  const all = new Set([...COMMON_SELECTORS, ...recognised, ...(isWide ? GENERIC_SELECTORS : [])])
  return [...all]
    .slice(COMMON_SELECTORS.length, MAX_SELECTORS)
    .filter((selector) => fits(selector, domainKey))
}

function fits(selector: string, domainKey: string): boolean {
  return `${selector}.${domainKey}`.length <= MAX_DOMAIN_LENGTH
}
