/** Reads the lists in `data`. */
import { readFileSync } from 'node:fs'
import { brotliDecompressSync } from 'node:zlib'

/** This file and the bundles that contain it are one level below a package with this folder. */
const DATA_FOLDER = new URL('../data/', import.meta.url)

/** Written by `scripts/write-lists.mjs`; `data/NOTICE` says where they come from. */
const FILES = {
  disposableDomains: 'disposable-domains.br',
  freeProviders: 'free-providers.txt',
  publicSuffixes: 'public-suffixes.txt',
  roleAccounts: 'role-accounts.txt',
} as const

/** The names of a list, sorted. Callers keep what they need: every call reads the file again. */
export function readNames(list: keyof typeof FILES): string[] {
  const file = FILES[list]
  const content = readFileSync(new URL(file, DATA_FOLDER))
  const text = (file.endsWith('.br') ? brotliDecompressSync(content) : content).toString()
  return text
    .replace(/^#.*\n/, '')
    .trimEnd()
    .split('\n')
}
