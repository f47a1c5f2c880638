/** Reads the lists in `data`. */
import { readFileSync } from 'node:fs'
import { brotliDecompressSync } from 'node:zlib'

/** This file and the bundles that contain it are one level below a package with this folder. */
const DATA_FOLDER = new URL('../data/', import.meta.url)

/** Written by `scripts/write-lists.mjs`; `data/NOTICE` says where they come from. */
const FILES = {
  disposableDomains: 'disposable-domains.br',
  freeProviders: 'free-providers.br',
  publicSuffixes: 'public-suffixes.br',
  roleAccounts: 'role-accounts.txt',
} as const

/** Read on first use: one name on each line, sorted by code units. */
const texts = new Map<keyof typeof FILES, string>()

/**
 * Whether a name is on a list. Searches the sorted text, because a set of 138,000 names takes a tenth
 * of a second, and a process may ask for one.
 */
export function isListed(list: keyof typeof FILES, name: string): boolean {
  const text = readText(list)
  let from = 0
  let to = text.length
  while (from < to) {
    // The line that has the character in the middle.
    const start = text.lastIndexOf('\n', ((from + to) >> 1) - 1) + 1
    const end = text.indexOf('\n', start)
    const line = text.slice(start, end)
    if (line === name) return true
    if (line < name) from = end + 1
    else to = start
  }
  return false
}

/** All names of a list, sorted. */
export function readNames(list: keyof typeof FILES): string[] {
  return readText(list).trimEnd().split('\n')
}

function readText(list: keyof typeof FILES): string {
  const known = texts.get(list)
  if (known !== undefined) return known
  const file = FILES[list]
  const content = readFileSync(new URL(file, DATA_FOLDER))
  const withHeader = (file.endsWith('.br') ? brotliDecompressSync(content) : content).toString()
  const text = `${withHeader.replace(/^#.*\n/, '').trimEnd()}\n`
  texts.set(list, text)
  return text
}
