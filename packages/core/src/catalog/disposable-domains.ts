/** Domains of services that lend out addresses for minutes, from two public lists. */
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/** On a list, but people have had their mailboxes there for years, or it is a sender's own domain. */
const NOT_DISPOSABLE: readonly string[] = [
  '21cn.com',
  'facebookmail.com',
  'hongkong.com',
  'nameplanet.com',
  'safe-mail.net',
  'sify.com',
  'vfemail.net',
]

/** On none of the lists. */
const MORE_DISPOSABLE: readonly string[] = ['tempmail.com']

interface Lists {
  readonly curated: ReadonlySet<string>
  readonly collected: ReadonlySet<string>
}

let lists: Lists | null = null

/** Exactly this name is on a list; whether one above it is, is for whoever asks. */
export function isDisposableDomain(name: string): boolean {
  lists ??= load()
  return (lists.curated.has(name) || lists.collected.has(name)) && !NOT_DISPOSABLE.includes(name)
}

/** 140,000 names take a tenth of a second, which neither start-up nor other operations should pay. */
function load(): Lists {
  const curated: typeof import('disposable-email-domains-js') = require('disposable-email-domains-js')
  const collected: readonly string[] = require('disposable-domains')
  return {
    // The package's own lookup makes this set anew at each question.
    curated: curated.disposableEmailBlocklistSet(),
    collected: new Set([...collected, ...MORE_DISPOSABLE]),
  }
}
