import { readFileSync } from 'node:fs'
import { ADDRESS_REASONS } from '@mailgrade/core'
import { expect, test } from 'vitest'

test('docs/email-check.md lists every reason as the catalog has it', () => {
  const guide = readFileSync('docs/email-check.md', 'utf8')
  const cells = [...guide.matchAll(/^\| `(\S+)` +\| (.*?) +\| (.*?) +\| (.*?) +\|$/gm)]
  const rows = cells.map(([, code, verdict, meaning, reference]) => [
    code,
    { verdict, meaning, reference },
  ])
  expect(rows).toEqual(Object.entries(ADDRESS_REASONS))
})
