import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { FINDINGS } from '../src/catalog/findings/findings.js'

test('every finding has a story', () => {
  const stories = ['src/checks', 'src/reports']
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.test.ts'))
        .map((file) => readFileSync(`${folder}/${file}`, 'utf8')),
    )
    .join('\n')
  const untold = Object.keys(FINDINGS).filter((id) => !stories.includes(`'${id}'`))
  expect(untold).toEqual([])
})
