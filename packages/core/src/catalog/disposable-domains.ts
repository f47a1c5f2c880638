/** Domains of disposable address services, from two public lists. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { brotliDecompressSync } from 'node:zlib'

const require = createRequire(import.meta.url)

/** Written by `scripts/write-disposable-domains.mjs`. */
const COLLECTED = new URL('../../data/disposable-domains.br', import.meta.url)

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

interface Lists {
  readonly curated: ReadonlySet<string>
  readonly collected: ReadonlySet<string>
}

let lists: Lists | null = null

/** Whether exactly this name is on a list; callers check the names above it. */
export function isDisposableDomain(name: string): boolean {
  lists ??= load()
  return (lists.curated.has(name) || lists.collected.has(name)) && !NOT_DISPOSABLE.includes(name)
}

/** Loaded on first use: 140,000 names take a tenth of a second. */
function load(): Lists {
  const curated: typeof import('disposable-email-domains-js') = require('disposable-email-domains-js')
  const collected = brotliDecompressSync(readFileSync(COLLECTED)).toString().split('\n')
  return {
    // The package's own lookup creates this set on every call.
    curated: curated.disposableEmailBlocklistSet(),
    collected: new Set([...collected, ...MORE_DISPOSABLE]),
  }
}
