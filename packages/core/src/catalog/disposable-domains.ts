/** Domains of disposable address services, from two public lists. */
import { isListed } from '../read-data.js'

/** On a list, but they are long-lived mailbox providers, or a sender's own domain. */
const NOT_DISPOSABLE: readonly string[] = [
  '21cn.com',
  'facebookmail.com',
  'hongkong.com',
  'nameplanet.com',
  'safe-mail.net',
  'sify.com',
  'vfemail.net',
]

/** Not on the lists. */
const MORE_DISPOSABLE: readonly string[] = ['tempmail.com']

/** Whether exactly this name is on a list; callers check the names above it. */
export function isDisposableDomain(name: string): boolean {
  const isDisposable = isListed('disposableDomains', name) || MORE_DISPOSABLE.includes(name)
  return isDisposable && !NOT_DISPOSABLE.includes(name)
}
