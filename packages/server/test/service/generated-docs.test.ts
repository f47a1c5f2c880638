import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'

test('the findings tables and server.json are up to date', () => {
  expect(() =>
    execFileSync(process.execPath, ['packages/server/scripts/write-docs.mjs', '--check']),
  ).not.toThrow()
})
