/** Services that give people addresses at their own domains, and services that hold domains for sale. */

import { isListed } from '../read-data.js'
import { createHostMatcher, type HostPattern } from './host-pattern.js'

/**
 * Services that forward mail from an alias to a real mailbox for as long as its owner likes, so they
 * are not disposable.
 */
interface PrivacyRelay {
  readonly name: string
  readonly domains: readonly HostPattern[]
}

const PRIVACY_RELAYS: readonly PrivacyRelay[] = [
  { name: 'Apple Hide My Email', domains: ['privaterelay.appleid.com'] },
  { name: 'Firefox Relay', domains: ['mozmail.com', 'relay.firefox.com'] },
  { name: 'DuckDuckGo Email Protection', domains: ['duck.com'] },
  {
    name: 'SimpleLogin',
    domains: [
      'simplelogin.com',
      'simplelogin.co',
      'simplelogin.fr',
      'simplelogin.io',
      'aleeas.com',
      'slmail.me',
      'slmails.com',
      'silomails.com',
      '8alias.com',
      '8shield.net',
      'dralias.com',
    ],
  },
  {
    name: 'Proton Pass',
    domains: ['passmail.net', 'passinbox.com', 'passfwd.com'],
  },
  {
    name: 'addy.io',
    domains: ['addy.io', 'addymail.com', 'anonaddy.com', 'anonaddy.me', '4wrd.cc', 'mailer.me'],
  },
  { name: 'Blur', domains: ['opayq.com'] },
  { name: 'MsgSafe', domains: ['msgsafe.io'] },
  { name: '33mail', domains: ['33mail.com'] },
  {
    name: 'Spamgourmet',
    domains: ['spamgourmet.com', 'spamgourmet.net', 'spamgourmet.org', '0sg.net'],
  },
  { name: 'Sneakemail', domains: ['sneakemail.com', 'snkmail.com'] },
  {
    name: 'MySudo',
    domains: [
      'sudolife.me',
      'sudolife.net',
      'sudomail.biz',
      'sudomail.com',
      'sudomail.net',
      'sudoverse.com',
      'sudoverse.net',
      'sudoweb.net',
      'sudoworld.com',
      'sudoworld.net',
    ],
  },
]

const findRelay = createHostMatcher(PRIVACY_RELAYS, ({ domains }) => domains)

export function isPrivacyRelay(domain: string): boolean {
  return findRelay(domain) !== null
}

/**
 * On lists of disposable domains, and so not on that of free providers; but they are long-lived
 * mailbox providers, or a sender's own domain.
 */
const NOT_DISPOSABLE: readonly string[] = [
  '21cn.com',
  'facebookmail.com',
  'hongkong.com',
  'nameplanet.com',
  'safe-mail.net',
  'sify.com',
  'vfemail.net',
]

/** Open to everyone, but not on the list of free providers. */
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

/** On that list, but only typos of a provider's name. */
const TYPOS: readonly string[] = [
  'hitmail.com',
  'hotmail.co',
  'sbcglbal.net',
  'yaho.com',
  'yahoo.co',
]

const PROVIDERS: ReadonlySet<string> = new Set([...MORE_PROVIDERS, ...NOT_DISPOSABLE])

/** Whether anyone can get a mailbox there, mostly for free. */
export function isFreeProvider(domain: string): boolean {
  const isListedProvider = isListed('freeProviders', domain) && !TYPOS.includes(domain)
  // A relay forwards mail and has no mailboxes.
  return (isListedProvider || PROVIDERS.has(domain)) && !isPrivacyRelay(domain)
}

/** Not on the lists of disposable domains. */
const MORE_DISPOSABLE: readonly string[] = ['tempmail.com']

/** Whether exactly this name is on a list; callers check the names above it. */
export function isDisposableDomain(name: string): boolean {
  const isDisposable = isListed('disposableDomains', name) || MORE_DISPOSABLE.includes(name)
  return isDisposable && !NOT_DISPOSABLE.includes(name)
}

/** They accept mail that no one reads. */
const PARKING_MAIL_SERVERS: readonly HostPattern[] = [
  'park-mx.above.com',
  'h-email.net',
  'parkmail.dynadot.com',
  'sedoparking.com',
  'parkingcrew.net',
]

const findParking = createHostMatcher(PARKING_MAIL_SERVERS, (host) => [host])

export function isParkingMailServer(host: string): boolean {
  return findParking(host) !== null
}

/** The largest mailbox providers, whose names are mistyped most often. */
export const LARGE_PROVIDER_DOMAINS: readonly string[] = [
  'gmail.com',
  'googlemail.com',
  'yahoo.com',
  'yahoo.co.uk',
  'yahoo.co.in',
  'yahoo.co.jp',
  'yahoo.com.br',
  'yahoo.de',
  'yahoo.es',
  'yahoo.fr',
  'yahoo.it',
  'hotmail.com',
  'hotmail.co.uk',
  'hotmail.de',
  'hotmail.es',
  'hotmail.fr',
  'hotmail.it',
  'outlook.com',
  'outlook.de',
  'outlook.fr',
  'live.com',
  'msn.com',
  'icloud.com',
  'aol.com',
  'gmx.com',
  'zoho.com',
  'protonmail.com',
  'yandex.com',
  'yandex.ru',
  'rediffmail.com',
  'comcast.net',
  'verizon.net',
  'sbcglobal.net',
  'bellsouth.net',
  'btinternet.com',
  'wanadoo.fr',
  't-online.de',
]

/** Typos of `com`. No such top-level domains exist. */
export const COM_TYPOS: readonly string[] = [
  'cim',
  'clm',
  'cmo',
  'coim',
  'comm',
  'con',
  'coom',
  'cpm',
  'ocm',
  'vom',
  'xom',
]
/** Typos of `com` that exist as top-level domains, with short names in use. */
export const TLDS_LIKE_COM: readonly string[] = ['cm', 'co', 'om']
