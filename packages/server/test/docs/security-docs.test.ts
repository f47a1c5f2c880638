/** The threat model cites files and tests; none of them may be gone. */
import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const GUIDE = readFileSync('docs/security.md', 'utf8')
/** Each begins with its name in bold. */
const THREATS = GUIDE.split(/^\*\*/m).slice(1)

/** “One”, “two” and “three”, which follow the file that has them. */
function citations(text: string): { file: string; titles: string[] }[] {
  const cited = text.matchAll(/`([^`]+\.test\.ts)` (“[^”]+”(?:(?:,| and) “[^”]+”)*)/g)
  return [...cited].map(([, file = '', titles = '']) => ({
    file,
    titles: [...titles.matchAll(/“([^”]+)”/g)].map(([, title = '']) => title),
  }))
}

test('every file that it names is there', () => {
  const named = [...GUIDE.matchAll(/`([\w./-]+\.(?:ts|tsx|mjs|md))`/g)].map(([, file = '']) => file)
  expect(named.length).toBeGreaterThan(50)
  expect(named.filter((file) => !existsSync(file))).toEqual([])
})

test('so is every test, by its title', () => {
  const missing = citations(GUIDE).flatMap(({ file, titles }) => {
    const source = existsSync(file) ? readFileSync(file, 'utf8') : ''
    return titles.filter((title) => !source.includes(`'${title}'`)).map((it) => `${file}: ${it}`)
  })
  expect(missing).toEqual([])
})

test('every quotation belongs to a file', () => {
  const quoted = [...GUIDE.matchAll(/“([^”]+)”/g)].map(([, title]) => title)
  expect(citations(GUIDE).flatMap(({ titles }) => titles)).toEqual(quoted)
})

test('no threat is without a test', () => {
  const untested = THREATS.filter((text) => citations(text).length === 0)
  expect(untested.map((text) => text.split('**')[0])).toEqual([])
  expect(THREATS.length).toBeGreaterThan(25)
})
