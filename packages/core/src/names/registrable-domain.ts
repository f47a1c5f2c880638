/** Whose name it is, by the public suffix list. */
import { getDomain } from 'tldts'

/** The private part of the list counts too: `acme.github.io` is somebody's own. */
const WHOLE_LIST = { allowPrivateDomains: true, extractHostname: false, validateHostname: false }

/** One label below the public suffix; a suffix itself has nobody above it and is on its own. */
export function registrableDomain(name: string): string {
  return getDomain(name, WHOLE_LIST) ?? name
}
