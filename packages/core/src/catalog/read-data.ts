/** Reads the lists in `data`. Only this module knows where they are, so a bundle replaces it alone. */
import { readFileSync } from 'node:fs'
import { brotliDecompressSync } from 'node:zlib'

/** Written by `scripts/write-lists.mjs`; `data/NOTICE` says where they come from. */
const FILES = {
  disposableDomains: new URL('../../data/disposable-domains.br', import.meta.url),
  freeProviders: new URL('../../data/free-providers.txt', import.meta.url),
  roleAccounts: new URL('../../data/role-accounts.txt', import.meta.url),
}

/** The names of a list, sorted. Callers keep what they need: every call reads the file again. */
export function readNames(list: keyof typeof FILES): string[] {
  const file = FILES[list]
  const content = readFileSync(file)
  const text = (file.pathname.endsWith('.br') ? brotliDecompressSync(content) : content).toString()
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
}
