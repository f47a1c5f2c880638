/** The lists in `data`, written again from their sources. Fetches packages from the npm registry. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'

const DATA = 'packages/core/data'
const FILES = [
  'NOTICE',
  'disposable-domains.br',
  'free-providers.br',
  'public-suffixes.br',
  'role-accounts.txt',
]

/** Versions of Node compress differently, so what counts is the text. */
function readText(folder: string, file: string): string {
  const content = readFileSync(join(folder, file))
  return (file.endsWith('.br') ? brotliDecompressSync(content) : content).toString()
}

test('the committed lists are what the script writes from their sources', () => {
  const folder = mkdtempSync(join(tmpdir(), 'written-lists-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  execFileSync(process.execPath, ['packages/core/scripts/write-lists.mjs', folder])
  expect(readdirSync(folder).sort()).toEqual(FILES)
  const committed = readdirSync(DATA, { withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.yaml'))
    .map(({ name }) => name)
  expect(committed.sort()).toEqual([...FILES, 'sources.json'])
  const different = FILES.filter((file) => readText(folder, file) !== readText(DATA, file))
  expect(different).toEqual([])
})
