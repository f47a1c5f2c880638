/** Domains where anyone can get a mailbox, mostly for free. */
import { createRequire } from 'node:module'
import { isDisposableDomain } from './disposable-domains.js'
import { isPrivacyRelay } from './privacy-relays.js'

const require = createRequire(import.meta.url)

/** Open to everyone, but not on the list. */
const MORE_PROVIDERS: readonly string[] = [
  'countermail.com',
  'disroot.org',
  'hey.com',
  'keemail.me',
  'kolabnow.com',
  'magenta.de',
  'mailbox.org',
  'myyahoo.com',
  'onmail.com',
  'riseup.net',
  'startmail.com',
  'tuta.com',
  'tutamail.com',
  'tutanota.com',
]

/** On the list, but only typos of a provider's name. */
const TYPOS: readonly string[] = [
  'hitmail.com',
  'hotmail.co',
  'sbcglbal.net',
  'yaho.com',
  'yahoo.co',
]

let providers: ReadonlySet<string> | null = null

export function isFreeProvider(domain: string): boolean {
  providers ??= new Set([...load(), ...MORE_PROVIDERS])
  // A relay forwards mail and has no mailboxes.
  return providers.has(domain) && !isPrivacyRelay(domain)
}

/** The list contains thousands of disposable domains. */
function load(): string[] {
  const listed: readonly string[] = require('free-email-domains')
  return listed.filter((domain) => !isDisposableDomain(domain) && !TYPOS.includes(domain))
}
