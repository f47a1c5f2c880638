/** Domains where anyone can get a mailbox, mostly for free. */

import { isListed } from '../read-data.js'
import { isPrivacyRelay } from './privacy-relays.js'

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

/** Left out of the list, because lists of disposable domains have them by mistake. */
const MISTAKEN_FOR_DISPOSABLE: readonly string[] = [
  '21cn.com',
  'facebookmail.com',
  'hongkong.com',
  'nameplanet.com',
  'safe-mail.net',
  'sify.com',
  'vfemail.net',
]

/** On the list, but only typos of a provider's name. */
const TYPOS: readonly string[] = [
  'hitmail.com',
  'hotmail.co',
  'sbcglbal.net',
  'yaho.com',
  'yahoo.co',
]

const PROVIDERS: ReadonlySet<string> = new Set([...MORE_PROVIDERS, ...MISTAKEN_FOR_DISPOSABLE])

export function isFreeProvider(domain: string): boolean {
  const isListedProvider = isListed('freeProviders', domain) && !TYPOS.includes(domain)
  // A relay forwards mail and has no mailboxes.
  return (isListedProvider || PROVIDERS.has(domain)) && !isPrivacyRelay(domain)
}
