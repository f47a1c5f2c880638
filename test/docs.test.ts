import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { FINDINGS } from '../src/catalog/findings/findings.js'

test('docs/findings.md says of every finding what the catalogue says', () => {
  const text = readFileSync('docs/findings.md', 'utf8').replace(/ +/g, ' ')
  const rows = text.match(/^\| <a.*$/gm)
  expect(rows).toEqual(
    Object.entries(FINDINGS).map(
      ([id, { severity, meaning, reference }]) =>
        `| <a id="${id}"></a>\`${id}\` | ${severity} | ${meaning} | ${reference} |`,
    ),
  )
})
