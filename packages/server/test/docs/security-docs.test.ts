/** The threat model cites files and tests; all of them exist. */
import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const GUIDE = readFileSync('docs/security.md', 'utf8')
/** Each starts with its name in bold. */
const THREATS = GUIDE.split(/^\*\*/m).slice(1)

/** Titles follow the file that has them: `file` “one”, “two” and “three”. */
function citations(text: string): { file: string; titles: string[] }[] {
  const cited = text.matchAll(/`([^`]+\.test\.ts)` (“[^”]+”(?:(?:,| and) “[^”]+”)*)/g)
  return [...cited].map(([, file = '', titles = '']) => ({
    file,
    titles: [...titles.matchAll(/“([^”]+)”/g)].map(([, title = '']) => title),
  }))
}

test('every cited file exists', () => {
  const named = [...GUIDE.matchAll(/`([\w./-]+\.(?:ts|tsx|mjs|md))`/g)].map(([, file = '']) => file)
  expect(named.length).toBeGreaterThan(50)
  expect(named.filter((file) => !existsSync(file))).toEqual([])
})

test('every cited test title is in its file', () => {
  const missing = citations(GUIDE).flatMap(({ file, titles }) => {
    const source = existsSync(file) ? readFileSync(file, 'utf8') : ''
    return titles
      .filter((title) => !source.includes(`'${title}'`))
      .map((title) => `${file}: ${title}`)
  })
  expect(missing).toEqual([])
})

test('every quoted title follows a file', () => {
  const quoted = [...GUIDE.matchAll(/“([^”]+)”/g)].map(([, title]) => title)
  expect(citations(GUIDE).flatMap(({ titles }) => titles)).toEqual(quoted)
})

test('every threat has a test', () => {
  const untested = THREATS.filter((text) => citations(text).length === 0)
  expect(untested.map((text) => text.split('**')[0])).toEqual([])
  expect(THREATS.length).toBeGreaterThan(25)
})
