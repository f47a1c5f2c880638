import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'

test('the tables of findings and server.json are what the code makes them', () => {
  expect(() =>
    execFileSync(process.execPath, ['packages/server/scripts/write-docs.mjs', '--check']),
  ).not.toThrow()
})
