/**
 * Services that forward mail from an alias to a real mailbox for as long as its owner likes, so they
 * are not disposable.
 */
import { createHostMatcher, type HostPattern } from './host-pattern.js'

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
