/** docs/score.md names every finding that costs points; every table of the documentation is whole. */
import { readdirSync, readFileSync } from 'node:fs'
import { FINDINGS } from '@mailgrade/core'
import { expect, test } from 'vitest'

test('every finding that costs points is in docs/score.md', () => {
  const scored = Object.entries(FINDINGS).flatMap(([id, { points }]) => (points ? [id] : []))
  const text = readFileSync('docs/score.md', 'utf8')
  expect(scored.length).toBeGreaterThan(40)
  expect(scored.filter((id) => !text.includes(`findings.md#${id})`))).toEqual([])
})

const documents = ['.', 'docs'].flatMap((folder) =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.md'))
    .map((file) => `${folder}/${file}`),
)

test.each(documents)('every row of a table in %s has as many cells as its header', (file) => {
  const uneven = tablesOf(readFileSync(file, 'utf8')).flatMap(([header = '', ...rows]) =>
    rows.filter((row) => countCells(row) !== countCells(header)),
  )
  expect(uneven).toEqual([])
})

/** The rows of each table. */
function tablesOf(markdown: string): string[][] {
  const text = markdown.replaceAll(/^```[\s\S]*?^```/gm, '')
  return [...text.matchAll(/(?:^\|.*\n)+/gm)].map(([table]) => table.trim().split('\n'))
}

/** A pipe in code or after a backslash separates nothing. */
function countCells(row: string): number {
  return row.replaceAll(/\\\||`[^`]*`/g, '').split('|').length
}
