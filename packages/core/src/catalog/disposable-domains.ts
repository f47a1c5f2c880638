/** Domains of disposable address services, from two public lists. */
import { readNames } from '../read-data.js'

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

let domains: ReadonlySet<string> | null = null

/** Whether exactly this name is on a list; callers check the names above it. */
export function isDisposableDomain(name: string): boolean {
  // On first use, for 138,000 names take a tenth of a second.
  domains ??= new Set([...readNames('disposableDomains'), ...MORE_DISPOSABLE])
  return domains.has(name) && !NOT_DISPOSABLE.includes(name)
}
