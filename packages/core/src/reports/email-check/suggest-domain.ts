/** The domain that was probably meant, where the one given is nobody's we know. */
import { isFreeProvider } from '../../catalog/free-providers.js'
import { COM_NEIGHBOURS, COM_SLIPS, LARGE_PROVIDERS } from '../../catalog/large-providers.js'
import { providerOfMx } from '../../catalog/mailbox-providers.js'
import { isPrivacyRelay } from '../../catalog/privacy-relays.js'
import { isSlip } from './slip.js'

/** Below it there are too many names one slip apart: aon.com is not aol.com. */
const MIN_LETTERS = 5

export function suggestDomain(domain: string): string | null {
  const isKnown = isFreeProvider(domain) || isPrivacyRelay(domain) || providerOfMx(domain) !== null
  if (isKnown) return null
  return LARGE_PROVIDERS.find((provider) => isMisspelt(domain, provider)) ?? null
}

function isMisspelt(domain: string, provider: string): boolean {
  const [name, suffix] = halves(domain)
  const [meantName, meantSuffix] = halves(provider)
  const isLong = meantName.length >= MIN_LETTERS
  if (suffix === meantSuffix) return isLong && isSlip(name, meantName)
  if (name !== meantName || meantSuffix !== 'com') return false
  return COM_SLIPS.includes(suffix) || (isLong && COM_NEIGHBOURS.includes(suffix))
}

/** `yahoo.co.uk` → `yahoo`, `co.uk`. */
function halves(domain: string): [string, string] {
  const dot = domain.indexOf('.')
  return [domain.slice(0, dot), domain.slice(dot + 1)]
}
