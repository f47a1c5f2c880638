/** The registrable domain of a name, from the public suffix list. */
import { getDomain } from 'tldts'

/** Includes the private part of the list: `acme.github.io` is a domain of its own. */
const WHOLE_LIST = { allowPrivateDomains: true, extractHostname: false, validateHostname: false }

/** One label below the public suffix; a suffix itself is returned unchanged. */
export function registrableDomain(name: string): string {
  return getDomain(name, WHOLE_LIST) ?? name
}
