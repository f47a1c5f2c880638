import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'

test('the tables of findings in the README and the docs are those of the catalogue', () => {
  expect(() => execFileSync(process.execPath, ['scripts/write-docs.mjs', '--check'])).not.toThrow()
})
