import { readFileSync } from 'node:fs'
import { ADDRESS_REASONS } from '@mailgrade/core'
import { expect, test } from 'vitest'

test('the table of reasons in the docs is that of the catalogue', () => {
  const docs = readFileSync('docs/email-check.md', 'utf8')
  const cells = [...docs.matchAll(/^\| `(\S+)` +\| (.*?) +\| (.*?) +\| (.*?) +\|$/gm)]
  const rows = cells.map(([, code, verdict, meaning, reference]) => [
    code,
    { verdict, meaning, reference },
  ])
  expect(rows).toEqual(Object.entries(ADDRESS_REASONS))
})
