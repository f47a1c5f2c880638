/** Suggests the domain that was probably intended, if the given one is not known. */
import {
  COM_TYPOS,
  isFreeProvider,
  isPrivacyRelay,
  LARGE_PROVIDER_DOMAINS,
  TLDS_LIKE_COM,
} from '../../catalog/address-services.js'
import { findProviderByMx } from '../../catalog/mail-services.js'
import { isTypo } from '../../names/typo.js'

/** Shorter names have too many real neighbors: aon.com is not a typo of aol.com. */
const MIN_LETTERS = 5

export function suggestDomain(domain: string): string | null {
  const isKnown =
    isFreeProvider(domain) || isPrivacyRelay(domain) || findProviderByMx(domain) !== null
  if (isKnown) return null
  return LARGE_PROVIDER_DOMAINS.find((provider) => isMisspelled(domain, provider)) ?? null
}

function isMisspelled(domain: string, provider: string): boolean {
  const [name, suffix] = splitFirstLabel(domain)
  const [providerName, providerSuffix] = splitFirstLabel(provider)
  const isLong = providerName.length >= MIN_LETTERS
  if (suffix === providerSuffix) return isLong && isTypo(name, providerName)
  if (name !== providerName || providerSuffix !== 'com') return false
  return COM_TYPOS.includes(suffix) || (isLong && TLDS_LIKE_COM.includes(suffix))
}

/** `yahoo.co.uk` → `yahoo`, `co.uk`. */
function splitFirstLabel(domain: string): [string, string] {
  const dot = domain.indexOf('.')
  return [domain.slice(0, dot), domain.slice(dot + 1)]
}
