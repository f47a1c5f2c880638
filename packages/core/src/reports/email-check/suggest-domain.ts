/** The domain that was probably meant, where the one given is nobody's we know. */
import { isFreeProvider } from '../../catalog/free-providers.js'
import { COM_TYPOS, LARGE_PROVIDER_DOMAINS, TLDS_LIKE_COM } from '../../catalog/large-providers.js'
import { findProviderByMx } from '../../catalog/mailbox-providers.js'
import { isPrivacyRelay } from '../../catalog/privacy-relays.js'
import { isTypo } from './is-typo.js'

/** Below it there are too many names one slip apart: aon.com is not aol.com. */
const MIN_LETTERS = 5

export function suggestDomain(domain: string): string | null {
  const isKnown =
    isFreeProvider(domain) || isPrivacyRelay(domain) || findProviderByMx(domain) !== null
  if (isKnown) return null
  return LARGE_PROVIDER_DOMAINS.find((provider) => isMisspelt(domain, provider)) ?? null
}

function isMisspelt(domain: string, provider: string): boolean {
  const [name, suffix] = halves(domain)
  const [meantName, meantSuffix] = halves(provider)
  const isLong = meantName.length >= MIN_LETTERS
  if (suffix === meantSuffix) return isLong && isTypo(name, meantName)
  if (name !== meantName || meantSuffix !== 'com') return false
  return COM_TYPOS.includes(suffix) || (isLong && TLDS_LIKE_COM.includes(suffix))
}

/** `yahoo.co.uk` → `yahoo`, `co.uk`. */
function halves(domain: string): [string, string] {
  const dot = domain.indexOf('.')
  return [domain.slice(0, dot), domain.slice(dot + 1)]
}
