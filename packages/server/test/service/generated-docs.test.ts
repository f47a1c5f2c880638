import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'

test('docs/findings.md and server.json match the code', () => {
  expect(() =>
    execFileSync(process.execPath, ['packages/server/scripts/write-docs.mjs', '--check']),
  ).not.toThrow()
})
